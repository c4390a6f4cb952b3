// The binding subresource: how a scheduler puts a pod on a node, once.
import { badRequest, conflict } from './api-status-error.ts';
import type { KubeObject } from './cluster-api.ts';
import { arrayAt, ensureObject, type JsonObject, mutableCopy, objectAt, textAt } from './json-object.ts';
import type { ResourceType } from './resource-type.ts';
import { inheritTopology } from './rules/pod-rules.ts';
import type { ServerState } from './server-state.ts';

export function bindPod(state: ServerState, pod: KubeObject, node: string, annotations: JsonObject = {}): KubeObject {
  const pods = state.registry.byName('pods') as ResourceType;
  const name = pod.metadata.name as string;
  if (node === '') throw badRequest('a binding must name the node');
  const binding = { ...pods, plural: 'pods/binding' };
  if (pod.metadata.deletionTimestamp !== undefined) {
    throw conflict(binding, name, `pod ${name} is being deleted, cannot be assigned to a host`);
  }
  const assigned = textAt(pod, 'spec', 'nodeName');
  if (assigned !== '') {
    throw conflict(binding, name, `pod ${name} is already assigned to node ${JSON.stringify(assigned)}`);
  }
  const others = arrayAt(pod, 'status', 'conditions').filter((one) => textAt(one, 'type') !== 'PodScheduled');
  const scheduled = { type: 'PodScheduled', status: 'True', lastProbeTime: null };
  const draft: JsonObject = {
    ...pod,
    metadata: mutableCopy(pod.metadata),
    spec: { ...objectAt(pod, 'spec'), nodeName: node },
    status: {
      ...objectAt(pod, 'status'),
      conditions: [...others, { ...scheduled, lastTransitionTime: state.timestamp() }],
    },
  };
  if (Object.keys(annotations).length > 0) {
    Object.assign(ensureObject(ensureObject(draft, 'metadata'), 'annotations'), annotations);
  }
  inheritTopology(draft, state.context());
  return state.put(pods, draft);
}
