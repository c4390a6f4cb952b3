// What is kept of one pod and of one node: the values of the maps in a PodTracker's status and in its slices.
import { type Infer, list, mapOf, object, optional, text, time } from './schema.ts';

/** The most entries of one map, and so of one slice: as many as an EndpointSlice has by default. */
export const ENTRY_LIMIT = 100;

export const podEntry = object('One pod that is selected, has not ended and has an address.', {
  podName: text("The pod's name."),
  namespace: text("The pod's namespace."),
  ip: text("The pod's first address."),
  ips: optional(list("All of the pod's addresses, in the order of its status.", text('An IPv4 or IPv6 address.'))),
  nodeName: optional(text('The node that the pod runs on.')),
  creationTimestamp: optional(time('When the pod was created.')),
  phase: optional(text('Pending, Running or Unknown; pods that have ended are not listed.')),
});

export type PodEntry = Infer<typeof podEntry>;

const quantities = (description: string) => optional(mapOf(description, text('A quantity, such as "8" or "32Gi".')));

export const nodeEntry = object('One node on which listed pods run, as its Node object describes it.', {
  nodeIP: optional(text("The node's internal address, or its external one if it has no other.")),
  capacity: quantities('What the node has, by resource.'),
  allocatable: quantities('What the node offers to pods, by resource.'),
});

export type NodeEntry = Infer<typeof nodeEntry>;

export const podEntries = (description: string) =>
  optional(mapOf(description, podEntry, { maxProperties: ENTRY_LIMIT }));

export const nodeEntries = (description: string) =>
  optional(mapOf(description, nodeEntry, { maxProperties: ENTRY_LIMIT }));
