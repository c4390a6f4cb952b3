// What the metadata of owners of pods, and of namespaces, say: that one is there, is to be deleted, is gone, whose it is,
// and that it was changed. One reader for each stream; it remembers only whose controller it has reported today.
import { type EpochMillis, epochMillis, type ReportedEvidence } from '@podtrail/history';
import type { MetadataOnlyView, MetadataView, ObjectDelta } from '@podtrail/machinery';
import { DESIRED_REPLICAS, REVISION } from './slim-metadata.ts';

const DAY_MS = 86_400_000;

type Trace = Pick<ReportedEvidence, 'id' | 'what' | 'at'> &
  Partial<Pick<ReportedEvidence, 'reason' | 'message' | 'related'>>;

export class OwnerEvidence {
  readonly #kind: string;
  #day = 0;
  /** UIDs of whose controller a record of `#day` exists. */
  readonly #owned = new Set<string>();

  constructor(kind: string) {
    this.#kind = kind;
  }

  observe(delta: ObjectDelta<MetadataOnlyView>, observedAt: EpochMillis): ReportedEvidence[] {
    const { metadata } = delta.object;
    const { name, namespace, uid, resourceVersion } = metadata;
    const about = { kind: this.#kind, namespace, name, uid };
    const isInferred = delta.kind === 'deleted' && delta.finalStateUnknown;
    const source = isInferred ? 'inferred' : delta.source === 'watch' ? 'watch' : 'list';
    return this.#traces(delta, observedAt).map((trace) => ({
      ...{ about, reason: '', message: '', by: '', count: 1, source, resourceVersion, ...trace },
    }));
  }

  #traces(delta: ObjectDelta<MetadataOnlyView>, observedAt: EpochMillis): Trace[] {
    const { metadata } = delta.object;
    const { uid } = metadata;
    if (delta.kind === 'deleted') {
      const controller = this.#controller(metadata, observedAt);
      this.#owned.delete(uid);
      return [...controller, { id: `${uid}/deleted`, what: 'deleted', at: observedAt }];
    }
    const isNew = delta.kind === 'added' && !delta.initial;
    const created: Trace = { id: `${uid}/created`, what: 'created', at: createdAt(metadata, observedAt) };
    return [
      ...(isNew ? [created] : []),
      ...this.#controller(metadata, observedAt),
      ...changes(delta, observedAt),
      ...terminating(delta),
    ];
  }

  /**
   * Once a day while something happens to it, and at every start: records expire, and the owner of an owner must be known
   * when a pod of it ends. Writing the same day again changes nothing.
   */
  #controller(metadata: MetadataView, observedAt: EpochMillis): Trace[] {
    const controller = metadata.ownerReferences.find((owner) => owner.controller);
    if (controller === undefined) return [];
    const day = Math.floor(observedAt / DAY_MS);
    if (day !== this.#day) this.#owned.clear();
    this.#day = day;
    if (this.#owned.has(metadata.uid)) return [];
    this.#owned.add(metadata.uid);
    const { kind, name, uid } = controller;
    const at = epochMillis(Math.max(day * DAY_MS, createdAt(metadata, observedAt)));
    const related = { kind, namespace: metadata.namespace, name, uid };
    return [{ id: `${metadata.uid}/owned/${day}`, what: 'owned', at, reason: revisionOf(metadata), related }];
  }
}

/** Not of a first listing: what is as it was has not been changed. */
function changes(delta: ObjectDelta<MetadataOnlyView>, observedAt: EpochMillis): Trace[] {
  const { metadata } = delta.object;
  if (delta.kind === 'deleted' || (delta.kind === 'added' && delta.initial)) return [];
  const before = delta.kind === 'updated' ? delta.previous.metadata : undefined;
  const revision = metadata.annotations.get(REVISION);
  const isRevised = revision !== before?.annotations.get(REVISION);
  const isChanged = before !== undefined && metadata.generation !== before.generation;
  if (!isRevised && !isChanged) return [];
  const at = before === undefined ? createdAt(metadata, observedAt) : observedAt;
  const id = `${metadata.uid}/revision/${revision ?? ''}/${metadata.generation}`;
  return [{ id, what: 'revision', at, reason: revisionOf(metadata), message: describe(metadata, before) }];
}

/** Its `deletionTimestamp` is that of the request where there is no grace, as for all but pods. */
function terminating(delta: ObjectDelta<MetadataOnlyView>): Trace[] {
  const { uid, deletionTimestamp } = delta.object.metadata;
  const isKnown = delta.kind === 'updated' && delta.previous.metadata.deletionTimestamp !== undefined;
  if (deletionTimestamp === undefined || isKnown) return [];
  return [{ id: `${uid}/terminating`, what: 'terminating', at: epochMillis(deletionTimestamp) }];
}

function createdAt({ creationTimestamp }: MetadataView, observedAt: EpochMillis): EpochMillis {
  return creationTimestamp === undefined ? observedAt : epochMillis(creationTimestamp);
}

function revisionOf({ annotations, generation }: MetadataView): string {
  return annotations.get(REVISION) ?? String(generation);
}

/** With how many replicas were desired before: whether it was scaled, or is part of a rollout. */
function describe({ annotations, generation }: MetadataView, before: MetadataView | undefined): string {
  const desired = annotations.get(DESIRED_REPLICAS);
  const previous = before?.annotations.get(DESIRED_REPLICAS);
  const changed = previous === undefined ? '' : `, ${previous} before`;
  return desired === undefined
    ? `generation ${generation}`
    : `generation ${generation}, ${desired} replicas desired${changed}`;
}
