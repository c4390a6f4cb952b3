// The scale subresource: a small view on the replicas of a workload, and the way back.
import { ApiStatusError, invalid, notFound } from './api-status-error.ts';
import type { KubeObject } from './cluster-api.ts';
import { isObject, type JsonObject, numberAt, objectAt, textAt } from './json-object.ts';
import type { ResourceType } from './resource-type.ts';
import { selectorOfObject } from './selectors/label-selector.ts';

export function scaleOf(type: ResourceType, object: KubeObject): KubeObject {
  const { name, namespace, uid, resourceVersion, creationTimestamp } = object.metadata;
  const custom = type.scalePaths;
  const selector = custom === undefined ? selectorOfObject(objectAt(object, 'spec', 'selector')).text : '';
  const written = custom?.selector === undefined ? selector : textAt(object, ...custom.selector);
  if (custom !== undefined && numberAt(object, ...custom.specReplicas) === undefined) {
    const message = `the spec replicas field ${JSON.stringify(`.${custom.specReplicas.join('.')}`)} does not exist`;
    throw new ApiStatusError(500, 'InternalError', `Internal error occurred: ${message}`, {
      causes: [{ message }],
    });
  }
  const replicas = numberAt(object, ...(custom?.specReplicas ?? ['spec', 'replicas'])) ?? 0;
  const current = numberAt(object, ...(custom?.statusReplicas ?? ['status', 'replicas'])) ?? 0;
  return {
    kind: 'Scale',
    apiVersion: 'autoscaling/v1',
    metadata: { name, namespace, uid, resourceVersion, creationTimestamp } as KubeObject['metadata'],
    spec: replicas === 0 ? {} : { replicas },
    status: { replicas: current, ...(written === '' ? {} : { selector: written }) },
  };
}

/** The object as it should be for a scale that was written. */
export function withScale(type: ResourceType, object: KubeObject, scale: unknown): JsonObject {
  if (!type.subresources.includes('scale')) throw notFound(type, object.metadata.name as string);
  const replicas = numberAt(scale, 'spec', 'replicas') ?? 0;
  if (replicas < 0) {
    const detail = 'must be greater than or equal to 0';
    const error = { field: 'spec.replicas', reason: 'Invalid', value: String(replicas), detail } as const;
    throw invalid({ kind: 'Scale', group: 'autoscaling' }, object.metadata.name as string, [error]);
  }
  const path = type.scalePaths?.specReplicas ?? ['spec', 'replicas'];
  const version = textAt(scale, 'metadata', 'resourceVersion');
  const changed = withValue(object as unknown as JsonObject, path, replicas);
  return { ...changed, metadata: { ...object.metadata, ...(version === '' ? {} : { resourceVersion: version }) } };
}

function withValue(object: JsonObject, [field, ...rest]: readonly string[], value: unknown): JsonObject {
  if (field === undefined) return object;
  const child = object[field];
  return { ...object, [field]: rest.length === 0 ? value : withValue(isObject(child) ? child : {}, rest, value) };
}
