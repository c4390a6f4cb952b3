// Follows CustomResourceDefinitions: each one that is created becomes a resource of this server, and goes together
// with its objects when the definition goes. Schemas are accepted as they are and check nothing.
import type { KubeObject } from './cluster-api.ts';
import { arrayAt, isObject, objectAt, textAt, valueAt } from './json-object.ts';
import { type PrinterColumn, type ResourceType, type Subresource, typeKey } from './resource-type.ts';
import { PLAIN_RULES, type ResourceRules } from './rules/resource-rules.ts';
import type { ServerState } from './server-state.ts';
import type { Verbs } from './verbs.ts';

const DEFINITIONS = 'customresourcedefinitions.apiextensions.k8s.io';

export class CustomResources {
  readonly #state: ServerState;
  readonly #verbs: Verbs;

  constructor(state: ServerState, verbs: Verbs) {
    this.#state = state;
    this.#verbs = verbs;
  }

  follow(): void {
    this.#state.store.listen(DEFINITIONS, (event) => {
      const type = customResourceType(event.object);
      if (event.type === 'DELETED') this.#forget(type);
      else {
        this.#state.registry.put(type);
        this.#state.store.table(typeKey(type));
        if (event.type === 'ADDED') this.#accept(event.object, type);
      }
    });
  }

  #accept(definition: KubeObject, type: ResourceType): void {
    const now = this.#state.timestamp();
    const condition = (name: string, reason: string, message: string) => ({
      type: name,
      status: 'True',
      lastTransitionTime: now,
      reason,
      message,
    });
    const definitions = this.#state.registry.byName(DEFINITIONS) as ResourceType;
    const status = {
      conditions: [
        condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
        condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
      ],
      acceptedNames: {
        plural: type.plural,
        singular: type.singular,
        kind: type.kind,
        listKind: type.listKind,
        ...(type.shortNames.length === 0 ? {} : { shortNames: type.shortNames }),
        ...(type.categories.length === 0 ? {} : { categories: type.categories }),
      },
      storedVersions: [type.storageVersion],
    };
    this.#verbs.update(definitions, undefined, definition.metadata.name as string, (now) => ({ ...now, status }), {
      subresource: 'status',
    });
  }

  #forget(type: ResourceType): void {
    for (const object of this.#state.store.table(typeKey(type)).list('')) {
      this.#verbs.delete(type, object.metadata.namespace, object.metadata.name as string);
    }
    this.#state.registry.delete(type);
  }
}

function customResourceType(definition: KubeObject): ResourceType {
  const spec = objectAt(definition, 'spec') ?? {};
  const names = objectAt(spec, 'names') ?? {};
  const kind = textAt(names, 'kind');
  const namespaced = textAt(spec, 'scope') === 'Namespaced';
  const versions = arrayAt(spec, 'versions').filter(isObject);
  const served = versions.filter((version) => version['served'] !== false).map((version) => textAt(version, 'name'));
  const stored = versions.find((version) => version['storage'] === true) ?? versions[0];
  const has = (subresource: string) => versions.some((one) => objectAt(one, 'subresources', subresource) !== undefined);
  const subresources = (['status', 'scale'] as Subresource[]).filter(has);
  const scale = versions.map((version) => objectAt(version, 'subresources', 'scale')).find((one) => one !== undefined);
  const fields = versions.flatMap((version) => arrayAt(version, 'selectableFields'));
  return {
    group: textAt(spec, 'group'),
    versions: served.sort(byPriority),
    storageVersion: textAt(stored, 'name'),
    plural: textAt(names, 'plural'),
    singular: textAt(names, 'singular') || kind.toLowerCase(),
    kind,
    listKind: textAt(names, 'listKind') || `${kind}List`,
    namespaced,
    shortNames: arrayAt(names, 'shortNames').map(String),
    categories: arrayAt(names, 'categories').map(String),
    subresources,
    rules: customRules(has('status')),
    custom: true,
    printerColumns: Object.fromEntries(
      versions.map((version) => [
        textAt(version, 'name'),
        arrayAt(version, 'additionalPrinterColumns') as readonly PrinterColumn[],
      ]),
    ),
    ...(scale === undefined
      ? {}
      : {
          scalePaths: {
            specReplicas: pathOf(textAt(scale, 'specReplicasPath')),
            statusReplicas: pathOf(textAt(scale, 'statusReplicasPath')),
            ...(valueAt(scale, 'labelSelectorPath') === undefined
              ? {}
              : { selector: pathOf(textAt(scale, 'labelSelectorPath')) }),
          },
        }),
    selectableFields: {
      'metadata.name': undefined,
      ...(namespaced ? { 'metadata.namespace': undefined } : {}),
      ...Object.fromEntries(fields.map((field) => [pathOf(textAt(field, 'jsonPath')).join('.'), undefined])),
    },
  };
}

function customRules(separateStatus: boolean): ResourceRules {
  return {
    ...PLAIN_RULES,
    generation: true,
    separateStatus,
    metadataWithStatus: 'none',
    versionedUpdates: true,
    prepareCreate(draft) {
      if (separateStatus) delete draft['status'];
    },
  };
}

function pathOf(jsonPath: string): string[] {
  return jsonPath.split('.').filter((step) => step !== '');
}

/** v2 before v1 before v1beta2 before v1beta1 before v1alpha1 before anything else. */
function byPriority(a: string, b: string): number {
  const [x, y] = [priority(a), priority(b)];
  for (let i = 0; i < x.length; i++) if (x[i] !== y[i]) return (y[i] as number) - (x[i] as number);
  return a < b ? -1 : 1;
}

function priority(version: string): number[] {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return [-1, 0, 0];
  return [match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0, Number(match[1]), Number(match[3] ?? 0)];
}
