// Create, update and delete by the rules of the API, for one resource type at a time. Synchronous: reading, checking
// and committing is one step, so nothing can come in between. Both the in-process API and the HTTP side end here.
import {
  ApiStatusError,
  alreadyExists,
  badRequest,
  conflict,
  type FieldError,
  forbidden,
  invalid,
  notFound,
} from './api-status-error.ts';
import { checkKind, checkNamespace, checkPath } from './body-checks.ts';
import type { DeleteOptions, KubeObject, ObjectMeta } from './cluster-api.ts';
import { checkPreconditions, finalizersFor, gracePeriod, isReleased, shortened } from './deletion.ts';
import { deepEqual, ensureObject, isObject, type JsonObject, mutableCopy, objectAt, textAt } from './json-object.ts';
import { checkMetadata } from './object-metadata.ts';
import { checkName, generatedName, generatedUid } from './object-names.ts';
import { checkSize } from './object-size.ts';
import { apiVersionOf, type ResourceType, type Subresource } from './resource-type.ts';
import type { ServerState } from './server-state.ts';
import {
  checkAddedFinalizers,
  checkFixed,
  dropEmpty,
  keptMetadata,
  statusMetadata,
  unsettled,
} from './written-metadata.ts';

export interface WriteOptions {
  readonly dryRun?: boolean;
}

export interface UpdateOptions extends WriteOptions {
  /** A PUT over HTTP, which must name the version it is based on where the resource asks for it. */
  readonly replaces?: boolean;
  /** A PATCH over HTTP: another UID is wrong in itself, and not only late. */
  readonly patches?: boolean;
  readonly subresource?: Subresource | undefined;
}

export interface Deletion {
  /** As it was, or as it is now where it stays marked. */
  readonly object: KubeObject;
  readonly gone: boolean;
}

/** What the lifecycle of objects adds once one is gone or marked. */
export interface Lifecycle {
  created(type: ResourceType, object: KubeObject): void;
  marked(type: ResourceType, object: KubeObject): void;
  gone(type: ResourceType, object: KubeObject): void;
}

const IMMORTAL_NAMESPACES = ['default', 'kube-system', 'kube-public'];

export class Verbs {
  readonly #state: ServerState;
  readonly #lifecycle: Lifecycle;

  constructor(state: ServerState, lifecycle: (verbs: Verbs) => Lifecycle) {
    this.#state = state;
    this.#lifecycle = lifecycle(this);
  }

  create(type: ResourceType, namespace: string | undefined, given: unknown, options: WriteOptions = {}): KubeObject {
    const draft = this.#draft(type, given);
    const metadata = ensureObject(draft, 'metadata');
    adoptNamespace(type, metadata, namespace);
    const generated = textAt(metadata, 'name') === '' && textAt(metadata, 'generateName') !== '';
    if (generated) metadata['name'] = generatedName(textAt(metadata, 'generateName'), this.#state.random);
    const name = textAt(metadata, 'name');
    const version = givenVersion(metadata);
    if (type.namespaced) this.#checkNamespace(type, name, textAt(metadata, 'namespace'));
    for (const field of SERVER_FIELDS) delete metadata[field];
    dropEmpty(metadata);
    metadata['uid'] = generatedUid(this.#state.random);
    metadata['creationTimestamp'] = this.#state.timestamp();
    if (type.rules.generation) metadata['generation'] = 1;
    type.rules.prepareCreate?.(draft, this.#state.context());
    const errors: FieldError[] = name === '' ? [NAME_MISSING] : checkName(name, type.rules.names);
    errors.push(...checkMetadata(metadata), ...(type.rules.validate?.(draft) ?? []));
    if (errors.length > 0) throw invalid(type, name, errors);
    if (version !== '' && options.dryRun !== true) {
      throw new ApiStatusError(500, '', 'resourceVersion should not be set on objects to be created');
    }
    const present = this.#state.find(type, textAt(metadata, 'namespace') || undefined, name);
    if (present !== undefined) throw alreadyExists(type, name, present.metadata.deletionTimestamp !== undefined);
    checkSize(draft);
    if (options.dryRun === true) {
      // A version that should not be there is not looked at, and stays.
      if (version !== '') metadata['resourceVersion'] = version;
      return draft as unknown as KubeObject;
    }
    return this.#state.store.together(() => {
      const object = this.#state.put(type, draft);
      this.#lifecycle.created(type, object);
      return object;
    });
  }

  /** `produce` makes the wanted object from the current one; what a client may not set is put back afterwards. */
  update(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    produce: (current: KubeObject) => unknown,
    options: UpdateOptions = {},
  ): KubeObject {
    const current = this.#state.find(type, namespace, name);
    if (current === undefined) throw notFound(type, name);
    const given = produce(current);
    if (!isObject(given)) throw badRequest(`the object provided is unrecognized (must be of type ${type.kind})`);
    const wanted = objectAt(given, 'metadata') ?? {};
    this.#checkIdentity(type, current, given, wanted, options);
    const draft =
      options.subresource === 'status'
        ? this.#statusDraft(type, current, given, wanted)
        : this.#mainDraft(type, current, given, wanted);
    this.#checkUpdate(type, current, draft, wanted, options.subresource === 'status');
    checkSize(draft);
    if (options.dryRun === true) return draft as unknown as KubeObject;
    const metadata = draft['metadata'] as ObjectMeta;
    if (metadata.deletionTimestamp !== undefined && isReleased(metadata)) {
      this.#state.store.together(() => this.#removeNow(type, current));
      return draft as unknown as KubeObject;
    }
    return this.#state.put(type, draft);
  }

  delete(
    type: ResourceType,
    namespace: string | undefined,
    name: string,
    options: DeleteOptions = {},
    { dryRun = false }: WriteOptions = {},
  ): Deletion {
    const current = this.#state.find(type, namespace, name);
    if (current === undefined) throw notFound(type, name);
    checkPreconditions(type, name, current, options);
    if (type.plural === 'namespaces' && IMMORTAL_NAMESPACES.includes(name)) {
      throw forbidden(type, name, 'this namespace may not be deleted');
    }
    if (dryRun) return this.#dryDeletion(type, current, options);
    return this.#state.store.together(() =>
      type.plural === 'namespaces' && type.group === ''
        ? this.#endNamespace(type, current)
        : this.#mark(type, current, options),
    );
  }

  /** Ends what is marked and held by nothing any more. */
  release(type: ResourceType, object: KubeObject, finalizer: string): void {
    const finalizers = (object.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    const metadata = { ...object.metadata, finalizers };
    if (isReleased(metadata)) this.#removeNow(type, object);
    else this.#state.put(type, { ...object, metadata });
  }

  #dryDeletion(type: ResourceType, current: KubeObject, options: DeleteOptions): Deletion {
    if (type.plural === 'namespaces' && type.group === '') return { object: current, gone: false };
    const marked = this.#marked(type, current, options);
    return { object: marked ?? current, gone: marked === undefined };
  }

  #mark(type: ResourceType, current: KubeObject, options: DeleteOptions): Deletion {
    const marked = this.#marked(type, current, options);
    if (marked === current) return { object: current, gone: false };
    if (marked === undefined) return { object: this.#removeNow(type, current), gone: true };
    const object = this.#state.put(type, marked);
    // The end of a pod is first emitted as a grace period of 0, then as the deletion: the real server does both.
    if (isReleased(object.metadata)) return { object: this.#removeNow(type, object), gone: true };
    this.#lifecycle.marked(type, object);
    return { object, gone: false };
  }

  /** As a deletion leaves it: the same where it changes nothing, undefined where nothing keeps it. */
  #marked(type: ResourceType, current: KubeObject, options: DeleteOptions): KubeObject | undefined {
    const { metadata } = current;
    const finalizers = finalizersFor(type, metadata, options);
    const grace = type.rules.graceful ? gracePeriod(current, options) : 0;
    const marked = metadata.deletionTimestamp !== undefined;
    const before = metadata.deletionGracePeriodSeconds ?? 0;
    if (marked && grace >= before && deepEqual(finalizers, metadata.finalizers ?? [])) {
      if (finalizers.length > 0 || before > 0) return current;
    }
    if (finalizers.length === 0 && !type.rules.graceful) return undefined;
    const seconds = marked ? Math.min(before, grace) : grace;
    const timestamp = marked
      ? shortened(metadata.deletionTimestamp as string, before - seconds)
      : this.#state.timestamp(seconds);
    const generation = !marked && metadata.generation !== undefined ? { generation: metadata.generation + 1 } : {};
    return {
      ...current,
      metadata: {
        ...metadata,
        ...generation,
        deletionTimestamp: timestamp,
        deletionGracePeriodSeconds: seconds,
        ...(finalizers.length === 0 ? {} : { finalizers }),
      },
    };
  }

  #endNamespace(type: ResourceType, current: KubeObject): Deletion {
    if (current.metadata.deletionTimestamp !== undefined) return { object: current, gone: false };
    const object = this.#state.put(type, {
      ...current,
      metadata: { ...current.metadata, deletionTimestamp: this.#state.timestamp() },
      status: { ...objectAt(current, 'status'), phase: 'Terminating' },
    });
    this.#lifecycle.marked(type, object);
    return { object, gone: false };
  }

  #removeNow(type: ResourceType, object: KubeObject): KubeObject {
    const removed = this.#state.remove(type, object);
    this.#lifecycle.gone(type, object);
    return removed;
  }

  #draft(type: ResourceType, given: unknown): JsonObject {
    if (!isObject(given)) throw badRequest(`the object provided is unrecognized (must be of type ${type.kind})`);
    const draft = mutableCopy(given) as JsonObject;
    delete draft['apiVersion'];
    delete draft['kind'];
    return { kind: type.kind, apiVersion: apiVersionOf(type.group, type.storageVersion), ...draft };
  }

  #mainDraft(type: ResourceType, current: KubeObject, given: JsonObject, wanted: JsonObject): JsonObject {
    const body: JsonObject = {};
    let changed = false;
    const fields = new Set([...Object.keys(given), ...Object.keys(current)]);
    for (const field of fields) {
      if (field === 'metadata' || field === 'apiVersion' || field === 'kind') continue;
      if (field === 'status' && type.rules.separateStatus) {
        if (current['status'] !== undefined) body['status'] = current['status'];
        continue;
      }
      if (given[field] === undefined || given[field] === null) {
        if (current[field] !== undefined) changed = true;
        continue;
      }
      if (given[field] === current[field]) body[field] = current[field];
      else {
        changed = true;
        body[field] = mutableCopy(given[field]);
      }
    }
    const draft: JsonObject = {
      kind: current.kind,
      apiVersion: current.apiVersion,
      metadata: keptMetadata(current.metadata, mutableCopy(wanted) as JsonObject),
      ...body,
    };
    if (changed) type.rules.prepareUpdate?.(draft, current as unknown as JsonObject, this.#state.context());
    const noted =
      type.rules.annotationsCount === true &&
      !deepEqual(objectAt(draft, 'metadata', 'annotations'), current.metadata.annotations);
    if (type.rules.generation && (noted || (changed && !sameBody(draft, current, type.rules.separateStatus)))) {
      (draft['metadata'] as JsonObject)['generation'] = (current.metadata.generation ?? 0) + 1;
    }
    return draft;
  }

  #statusDraft(type: ResourceType, current: KubeObject, given: JsonObject, wanted: JsonObject): JsonObject {
    const { status: _, ...rest } = current;
    const draft: JsonObject = { ...rest, metadata: statusMetadata(type, current.metadata, wanted) };
    const zero = type.rules.zeroStatus?.();
    if (isObject(given['status']) || zero !== undefined) draft['status'] = { ...zero, ...objectAt(given, 'status') };
    type.rules.prepareStatus?.(draft, current as unknown as JsonObject);
    return draft;
  }

  #checkIdentity(
    type: ResourceType,
    current: KubeObject,
    given: JsonObject,
    wanted: JsonObject,
    { replaces = false, patches = false }: UpdateOptions,
  ): void {
    const name = current.metadata.name as string;
    if (!type.custom) checkKind(type, given);
    checkPath(current.metadata.namespace ?? '', name, given);
    if (!patches) checkUid(type, current.metadata, textAt(wanted, 'uid'));
    const version = givenVersion(wanted);
    if (version === '' && replaces && type.rules.versionedUpdates) {
      const error = { field: 'metadata.resourceVersion', reason: 'Invalid', value: '0' } as const;
      const detail = 'must be specified for an update';
      throw invalid({ kind: type.plural, group: type.group }, name, [{ ...error, detail }]);
    }
    if (version !== '' && version !== current.metadata.resourceVersion) throw conflict(type, name);
    // The kind of a custom object is a field like others, and looked at when all is known to be about this object.
    if (type.custom) checkKind(type, given);
  }

  #checkUpdate(
    type: ResourceType,
    current: KubeObject,
    draft: JsonObject,
    wanted: JsonObject,
    statusOnly: boolean,
  ): void {
    const before = current as unknown as JsonObject;
    const errors = [
      ...checkMetadata(draft['metadata'] as JsonObject),
      ...checkAddedFinalizers(current.metadata, draft['metadata'] as ObjectMeta),
      ...checkFixed(current.metadata, statusOnly ? unsettled(type, wanted) : wanted),
      ...(statusOnly
        ? (type.rules.validateStatus?.(draft, before) ?? [])
        : [...(type.rules.validate?.(draft) ?? []), ...(type.rules.validateUpdate?.(draft, before) ?? [])]),
    ];
    if (errors.length > 0) throw invalid(type, current.metadata.name as string, errors);
  }

  #checkNamespace(type: ResourceType, name: string, namespace: string): void {
    const registry = this.#state.registry.byName('namespaces') as ResourceType;
    const found = this.#state.find(registry, undefined, namespace);
    if (found === undefined) throw notFound(registry, namespace);
    if (found.metadata.deletionTimestamp === undefined) return;
    const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
    throw forbidden(type, name, why, [
      {
        reason: 'NamespaceTerminating',
        message: `namespace ${namespace} is being terminated`,
        field: 'metadata.namespace',
      },
    ]);
  }
}

/** An update may name the UID that it is meant for; what is not there has none. */
export function checkUid(type: ResourceType, current: ObjectMeta, given: string): void {
  const { uid = '' } = current;
  if (given === '' || given === uid) return;
  throw conflict(
    type,
    current.name as string,
    `StorageError: invalid object, Code: 4, Key: ${storageKey(type, current)}, ResourceVersion: 0, ` +
      `AdditionalErrorMsg: Precondition failed: UID in precondition: ${given}, UID in object meta: ${uid}`,
  );
}

/** 0 is the version of nothing, and as good as none. */
function givenVersion(metadata: unknown): string {
  const version = textAt(metadata, 'resourceVersion');
  return version === '0' ? '' : version;
}

/** Where etcd would keep it: some refusals name it. */
function storageKey(type: ResourceType, metadata: ObjectMeta): string {
  const place = type.custom ? `${type.group}/${type.plural}` : type.plural === 'nodes' ? 'minions' : type.plural;
  return `/registry/${place}/${metadata.namespace === undefined ? '' : `${metadata.namespace}/`}${metadata.name}`;
}

const SERVER_FIELDS = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
];

const NAME_MISSING = {
  field: 'metadata.name',
  reason: 'Required',
  detail: 'name or generateName is required',
} as const;

function adoptNamespace(type: ResourceType, metadata: JsonObject, namespace: string | undefined): void {
  if (!type.namespaced) {
    delete metadata['namespace'];
    return;
  }
  if (namespace === undefined) return;
  checkNamespace(namespace, { metadata });
  metadata['namespace'] = namespace;
}

function sameBody(draft: JsonObject, current: KubeObject, withoutStatus: boolean): boolean {
  const ignored = new Set(['kind', 'apiVersion', 'metadata', ...(withoutStatus ? ['status'] : [])]);
  const fields = new Set([...Object.keys(draft), ...Object.keys(current)].filter((field) => !ignored.has(field)));
  return [...fields].every((field) => deepEqual(draft[field], current[field]));
}
