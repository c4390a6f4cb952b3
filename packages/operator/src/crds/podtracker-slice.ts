// PodTrackerSlice v1: up to 100 pods, or up to 100 nodes, of a PodTracker that has more than fit into its status.
import type { KubeObject } from '@podtrail/machinery';
import { object } from './schema.ts';
import { type NodeEntry, nodeEntries, type PodEntry, podEntries } from './tracked-entries.ts';

export const podTrackerSlice = object(
  'A part of what a PodTracker lists. The label podtrail.dev/tracker names the tracker. Written by the operator only.',
  {
    entries: podEntries('Pods by their UID, at most 100. A pod is in one slice of its tracker, and stays there.'),
    nodes: nodeEntries('Nodes by their name, at most 100. A slice lists pods or nodes, not both.'),
  },
);

export interface PodTrackerSlice extends KubeObject {
  entries?: Record<string, PodEntry>;
  nodes?: Record<string, NodeEntry>;
}
