// What is kept of a PodTrackerSlice: whose it is, and its entries as packed strings. Made by the informer's codec and
// from the server's answers to our writes.
import type { ObjectCodec } from '@podtrail/machinery';
import { HOLDS_LABEL, TRACKER_LABEL } from '../crds/manifests.ts';
import type { PodTrackerSlice } from '../crds/podtracker-slice.ts';
import { type Packed, packNodeEntry, packPodEntry } from './packed-entry.ts';

export type Holds = 'pods' | 'nodes';

export interface SliceView {
  readonly metadata: { readonly name: string; readonly uid: string; readonly resourceVersion: string };
  /** By the label or, when somebody took that away, by the owner; empty if by neither. */
  readonly tracker: string;
  readonly ownerUid: string;
  readonly holds: Holds;
  /** False when its labels are not as we write them. */
  readonly labelled: boolean;
  readonly entries: ReadonlyMap<string, Packed>;
}

export function sliceView(slice: PodTrackerSlice): SliceView {
  const { name = '', uid = '', resourceVersion = '', labels = {}, ownerReferences = [] } = slice.metadata;
  const owner = ownerReferences.find(({ kind }) => kind === 'PodTracker');
  const label = labels[HOLDS_LABEL];
  const holds: Holds = label === 'pods' || label === 'nodes' ? label : slice.nodes === undefined ? 'pods' : 'nodes';
  const entries = new Map<string, Packed>(
    holds === 'pods'
      ? Object.entries(slice.entries ?? {}).map(([key, entry]) => [key, packPodEntry(entry)])
      : Object.entries(slice.nodes ?? {}).map(([key, entry]) => [key, packNodeEntry(entry)]),
  );
  return {
    metadata: { name, uid, resourceVersion },
    tracker: labels[TRACKER_LABEL] ?? owner?.name ?? '',
    ownerUid: owner?.uid ?? '',
    holds,
    labelled: labels[TRACKER_LABEL] !== undefined && label === holds,
    entries,
  };
}

export const sliceCodec: ObjectCodec<SliceView> = {
  kind: 'PodTrackerSlice',
  apiVersion: 'podtrail.dev/v1',
  fromProtobuf: undefined,
  fromJson: (json) => sliceView(json as PodTrackerSlice),
};
