// The kinds that a recorder follows, as data: adding one is one entry in this list. What a role means is decided where the
// streams are followed (stream-set.ts), not here.
import type { EpochMillis, EvidenceObservation, Observed } from '@podtrail/history';
import {
  type Cacheable,
  type GroupVersionResource,
  NODES,
  nodeCodec,
  type ObjectCodec,
  type ObjectDelta,
  PODS,
  podCodec,
  SERVICES,
  serviceCodec,
} from '@podtrail/machinery';

interface Followed<T extends Cacheable> {
  readonly resource: GroupVersionResource;
  readonly codec: ObjectCodec<T>;
  /** False: not followed by a recorder of some namespaces. */
  readonly isNamespaced: boolean;
}

/**
 * "Free" rests on it. Nothing is claimed before it has been listed, its loss is a gap, and while it is not current the
 * recorder is not ready.
 */
export interface ClaimsStream<T extends Cacheable = Cacheable> extends Followed<T> {
  readonly role: 'claims';
  readonly kind: Observed['kind'];
  observe(object: T): Observed;
}

/**
 * Best effort. Its loss changes neither who held what, nor coverage, nor readiness; it is seen in the log, the metrics and
 * the status of the stream. After a restart it is listed, not caught up with.
 */
export interface EvidenceStream<T extends Cacheable = Cacheable> extends Followed<T> {
  readonly role: 'evidence';
  /** What the cache keeps of an object. Absent: all of it. */
  transform?(object: T): T;
  /** There is no cache: each object is observed and forgotten. Absent: there is one. */
  readonly uncached?:
    | {
        /** Decided at once, for each object that arrives: what is not wanted costs nothing. */
        wants(object: T, type: 'ADDED' | 'MODIFIED' | 'DELETED'): boolean;
        /** A cause may rest on it: where one is not observed, something is missing. Others are dropped without a word. */
        isTelling(object: T): boolean;
        /** What it is about: how much is observed of one subject is bounded (evidence/evidence-budget.ts). */
        subject(object: T): { readonly namespace: string; readonly object: string };
      }
    | undefined;
  /** A listing shows what happened up to this long ago, also of what is gone. Absent: it does not. */
  readonly remembersMs?: number;
  observe(delta: ObjectDelta<T>, at: EpochMillis): readonly EvidenceObservation[];
}

export type RecordedStream = ClaimsStream | EvidenceStream;

/** Keeps the type of the objects between codec and `observe`. */
export function stream<T extends Cacheable>(definition: ClaimsStream<T>): RecordedStream;
export function stream<T extends Cacheable>(definition: EvidenceStream<T>): RecordedStream;
export function stream(definition: unknown): RecordedStream {
  return definition as RecordedStream;
}

/** The claims. Pods first: the checkpoint is theirs. evidence/evidence-streams.ts has what else may be followed. */
export const RECORDED_STREAMS: readonly RecordedStream[] = [
  stream({
    resource: PODS,
    codec: podCodec,
    role: 'claims',
    kind: 'Pod',
    isNamespaced: true,
    observe: (object) => ({ kind: 'Pod', object }),
  }),
  stream({
    resource: SERVICES,
    codec: serviceCodec,
    role: 'claims',
    kind: 'Service',
    isNamespaced: true,
    observe: (object) => ({ kind: 'Service', object }),
  }),
  stream({
    resource: NODES,
    codec: nodeCodec,
    role: 'claims',
    kind: 'Node',
    isNamespaced: false,
    observe: (object) => ({ kind: 'Node', object }),
  }),
];
