// Occurrences: what happened at one instant, beside the records that last. A change of an annotation, a conflict of two
// holders, an anomaly; the life of a pod and its departure, and the evidence for their causes. Stores treat all kinds alike (engines/occurrences/); the fact of one is `{kind, [kind]: record}`.
import type { Evidence } from './evidence.ts';
import type { Departure, PodLife } from './pod-life.ts';
import type { Anomaly, Change, Conflict } from './records.ts';

/** The record of each kind. A new kind begins here. */
export interface OccurrenceRecords {
  readonly change: Change;
  readonly conflict: Conflict;
  readonly anomaly: Anomaly;
  readonly life: PodLife;
  readonly departure: Departure;
  readonly evidence: Evidence;
}

export type OccurrenceKind = keyof OccurrenceRecords;

export type OccurrenceFact<K extends OccurrenceKind = OccurrenceKind> = {
  [P in K]: { readonly kind: P } & { readonly [Q in P]: OccurrenceRecords[P] };
}[K];

export function occurrenceFact<K extends OccurrenceKind>(kind: K, record: OccurrenceRecords[K]): OccurrenceFact<K> {
  return { kind, [kind]: record } as OccurrenceFact<K>;
}

export function recordOf(fact: OccurrenceFact): OccurrenceRecords[OccurrenceKind] {
  return (fact as unknown as OccurrenceRecords)[fact.kind];
}
