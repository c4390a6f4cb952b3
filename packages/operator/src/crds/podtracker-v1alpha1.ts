// PodTracker v1alpha1: the shape in which the first PodTracker controllers wrote, for those who still read it. Lists
// instead of maps, one namespace, no conditions. Converted from and to v1; never stored.
import type { KubeObject } from '@podtrail/machinery';
import { DNS_LABEL, matches, NAME_RULE, NAMESPACE_ADVICE } from './rules.ts';
import { type Infer, list, object, optional, text, time, withDefault } from './schema.ts';

const podInfo = object('One pod and its address.', {
  podName: text("The pod's name."),
  namespace: text("The pod's namespace."),
  ip: text("The pod's address."),
  nodeName: text('The node that the pod runs on.'),
  creationTimestamp: time('When the pod was created.'),
  phase: text("The pod's phase."),
});

const nodeInfo = object('One node and the pods on it.', {
  nodeName: text("The node's name."),
  nodeIP: text("The node's address."),
  podIPs: optional(list('The pods on this node.', podInfo)),
  resources: optional(
    object("The node's resources.", {
      cpuCapacity: text('CPUs that the node has.'),
      memoryCapacity: text('Memory that the node has.'),
      cpuAllocatable: text('CPUs that the node offers to pods.'),
      memoryAllocatable: text('Memory that the node offers to pods.'),
    }),
  ),
  lastUpdateTime: time('The same as lastUpdateTime of the status.'),
});

const spec = object('Which pods are tracked.', {
  namespace: optional(
    text('Only pods of this namespace. Empty: of all.', {
      maxLength: 63,
      'x-kubernetes-validations': [matches(`^$|${DNS_LABEL}`, `${NAMESPACE_ADVICE} of v1`)],
    }),
  ),
});

const status = object('Where the pods are now.', {
  podIPs: optional(
    list('The tracked pods. Empty while they are in PodTrackerSlices, where more than 100 go.', podInfo),
  ),
  nodeInfo: optional(list('The nodes on which these pods run.', nodeInfo)),
  lastUpdateTime: optional(
    time(
      'When the tracker last became ready, degraded or sliced, or ceased to be. A pod that comes or goes does not move it.',
    ),
  ),
});

export const podTrackerV1alpha1 = object(
  'Keeps the addresses and nodes of the pods of a namespace, or of all.',
  { spec: withDefault(spec, {}), status: optional(status) },
  { 'x-kubernetes-validations': [NAME_RULE] },
);

export type PodInfo = Infer<typeof podInfo>;
export type NodeInfo = Infer<typeof nodeInfo>;

export interface PodTrackerV1alpha1 extends KubeObject {
  spec: Infer<typeof spec>;
  status?: Infer<typeof status>;
}
