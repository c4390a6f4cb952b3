// What follows from an object's end: dependents are collected, foreground deletions finish, namespaces are emptied
// and go. On a real cluster controllers do this a moment later; here it happens right after the change was emitted.
import type { KubeObject, OwnerReference } from './cluster-api.ts';
import { type ResourceType, typeKey } from './resource-type.ts';
import type { ServerState } from './server-state.ts';
import type { Lifecycle, Verbs } from './verbs.ts';

const FOREGROUND = 'foregroundDeletion';
const ORPHAN = 'orphan';

export class ObjectLifecycle implements Lifecycle {
  readonly #state: ServerState;
  readonly #verbs: Verbs;

  constructor(state: ServerState, verbs: Verbs) {
    this.#state = state;
    this.#verbs = verbs;
  }

  created(_type: ResourceType, object: KubeObject): void {
    if ((object.metadata.ownerReferences ?? []).length === 0) return;
    this.#state.store.afterwards(() => this.#collectIfAbandoned(object.metadata.uid as string));
  }

  marked(type: ResourceType, object: KubeObject): void {
    this.#state.store.afterwards(() => {
      if (isNamespace(type)) this.#emptyNamespace(type, object.metadata.name as string);
      else this.#workOffFinalizers(object.metadata.uid as string);
    });
  }

  gone(_type: ResourceType, object: KubeObject): void {
    this.#state.store.afterwards(() => {
      const { uid, namespace } = object.metadata;
      for (const dependent of this.#state.dependentsOf(uid as string)) this.#collectIfAbandoned(dependent);
      for (const owner of object.metadata.ownerReferences ?? []) this.#finishForeground(owner.uid);
      if (namespace !== undefined) this.#finishNamespace(namespace);
    });
  }

  /** Without any owner left it goes; with some, it forgets those that are gone. */
  #collectIfAbandoned(uid: string): void {
    const found = this.#state.objectOf(uid);
    if (found === undefined) return;
    const { type, object } = found;
    const owners = object.metadata.ownerReferences ?? [];
    const alive = owners.filter((owner) => this.#state.placeOf(owner.uid) !== undefined);
    if (alive.length === owners.length) return;
    if (alive.length > 0) {
      this.#state.put(type, { ...object, metadata: { ...object.metadata, ownerReferences: alive } });
    } else if (object.metadata.deletionTimestamp === undefined) this.#delete(type, object, 'Background');
  }

  #workOffFinalizers(uid: string): void {
    const found = this.#state.objectOf(uid);
    const finalizers = found?.object.metadata.finalizers ?? [];
    if (finalizers.includes(ORPHAN)) this.#orphanDependents(uid);
    if (finalizers.includes(FOREGROUND)) {
      for (const dependent of this.#state.dependentsOf(uid)) this.#deleteInForeground(dependent);
      this.#finishForeground(uid);
    }
  }

  #orphanDependents(uid: string): void {
    for (const dependent of this.#state.dependentsOf(uid)) {
      const found = this.#state.objectOf(dependent);
      if (found === undefined) continue;
      const { ownerReferences, ...metadata } = found.object.metadata;
      const others = (ownerReferences ?? []).filter((owner) => owner.uid !== uid);
      this.#state.put(found.type, {
        ...found.object,
        metadata: others.length === 0 ? metadata : { ...metadata, ownerReferences: others },
      });
    }
    const found = this.#state.objectOf(uid);
    if (found !== undefined) this.#verbs.release(found.type, found.object, ORPHAN);
  }

  #deleteInForeground(uid: string): void {
    const found = this.#state.objectOf(uid);
    if (found === undefined || found.object.metadata.deletionTimestamp !== undefined) return;
    const policy = this.#state.dependentsOf(uid).length > 0 ? 'Foreground' : 'Background';
    this.#delete(found.type, found.object, policy);
  }

  #finishForeground(uid: string): void {
    const found = this.#state.objectOf(uid);
    if (found === undefined || !(found.object.metadata.finalizers ?? []).includes(FOREGROUND)) return;
    if (found.object.metadata.deletionTimestamp === undefined) return;
    const blocked = this.#state.dependentsOf(uid).some((dependent) => {
      const owners: readonly OwnerReference[] = this.#state.objectOf(dependent)?.object.metadata.ownerReferences ?? [];
      return owners.some((owner) => owner.uid === uid && owner.blockOwnerDeletion === true);
    });
    if (!blocked) this.#verbs.release(found.type, found.object, FOREGROUND);
  }

  #emptyNamespace(namespaces: ResourceType, name: string): void {
    for (const type of [...this.#state.registry.all()]) {
      if (!type.namespaced) continue;
      for (const object of this.#state.store.table(typeKey(type)).list(`${name}/`)) {
        if (this.#state.placeOf(object.metadata.uid as string) !== undefined) this.#delete(type, object, 'Background');
      }
    }
    this.#finishNamespace(name, namespaces);
  }

  #finishNamespace(name: string, namespaces = this.#state.registry.byName('namespaces') as ResourceType): void {
    if (this.#state.contentOf(name) > 0) return;
    const namespace = this.#state.find(namespaces, undefined, name);
    if (namespace?.metadata.deletionTimestamp === undefined) return;
    this.#verbs.release(namespaces, { ...namespace, spec: {} }, '');
  }

  #delete(type: ResourceType, object: KubeObject, propagationPolicy: 'Background' | 'Foreground'): void {
    const { namespace, name } = object.metadata;
    this.#verbs.delete(type, namespace, name as string, { propagationPolicy });
  }
}

function isNamespace(type: ResourceType): boolean {
  return type.plural === 'namespaces' && type.group === '';
}
