// What observing yields and an engine stores. Every fact is an upsert by its record's key: storing one twice changes
// nothing, and a later version of a record replaces the earlier one.
import type { Anomaly, Change, ChangeValue, Conflict, Coverage, Holder, Placement, Tenure } from './records.ts';
import type { EpochMillis } from './time.ts';

/** What must be remembered of a holder that has not ended, to understand its next observation, also after a restart. */
export interface LiveHolder {
  readonly holder: Holder;
  readonly epoch: number;
  /** Of the last observation that counted. */
  readonly resourceVersion: string;
  readonly seenAt: EpochMillis;
  /** Terminal pods stay until deleted: their address is no longer theirs. */
  readonly terminal: boolean;
  /** Those that are open; and, while its sandbox is lost, those that ended with it. */
  readonly tenures: readonly Tenure[];
  readonly placement: Placement | undefined;
  /** When the address was first found blank on a pod that goes on. */
  readonly blankSince: EpochMillis | undefined;
  /** When its sandbox came up, and when that was lost, as the kubelet told. */
  readonly networkReadyAt: EpochMillis | undefined;
  readonly networkLostAt: EpochMillis | undefined;
  readonly annotations: readonly (readonly [key: string, value: ChangeValue])[];
}

export type Fact =
  | { readonly kind: 'tenure'; readonly tenure: Tenure }
  | { readonly kind: 'placement'; readonly placement: Placement }
  | { readonly kind: 'change'; readonly change: Change }
  | { readonly kind: 'coverage'; readonly coverage: Coverage }
  | { readonly kind: 'conflict'; readonly conflict: Conflict }
  | { readonly kind: 'anomaly'; readonly anomaly: Anomaly }
  /** Undefined: it has ended and need not be remembered. */
  | { readonly kind: 'live'; readonly uid: string; readonly live: LiveHolder | undefined };

export function tenureKey(t: Tenure): string {
  return `${t.ip}|${t.holder.uid}|${t.start.epoch}|${t.start.resourceVersion}`;
}

/**
 * Of two versions of one coverage record, the one to keep, in whichever order they come: a claim only grows, until a
 * gap ends it with what was really watched.
 */
export function newerCoverage(stored: Coverage | undefined, told: Coverage): Coverage {
  if (stored === undefined || (told.ended && !stored.ended)) return told;
  if (stored.ended && !told.ended) return stored;
  const isLonger = told.to > stored.to || (told.to === stored.to && told.confirmed > stored.confirmed);
  return isLonger ? told : stored;
}

/** Of two versions of one change, the one to keep: the number of suppressed changes only grows. */
export function newerChange(stored: Change | undefined, told: Change): Change {
  if (stored?.suppressed === undefined || told.suppressed === undefined) return told;
  return stored.suppressed.changes > told.suppressed.changes ? stored : told;
}

/** What a recorder goes on with: the stretch that began last, and not what lies over it. `coverage` is in order. */
export function presentCoverage(coverage: readonly Coverage[]): Coverage | undefined {
  return coverage.findLast(({ scope }) => scope.kind !== 'pods');
}
