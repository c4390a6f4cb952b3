// What a listing was asked about, as its document repeats it.
import type { Cluster, Span, Subject } from '../engines/snapshot.ts';
import { HistoryError } from '../errors.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { Holder } from '../model/records.ts';
import { type EpochMillis, epochMillis, toText } from '../model/time.ts';
import { LONGEST_SPAN_MS } from '../query/limits.ts';

export type Asked =
  | { readonly by: 'ip'; readonly ip: IpAddress }
  | { readonly by: 'service'; readonly namespace: string; readonly name: string }
  /** With a namespace: as if there were no such pod elsewhere. */
  | { readonly by: 'uid'; readonly uid: string; readonly namespace?: string }
  | Exclude<Subject, { readonly by: 'uid' }>;

export type AskedPods = Exclude<Asked, { readonly by: 'ip' | 'service' }>;

/** Whose records are read. */
export function subjectOf(asked: AskedPods): Subject {
  return asked.by === 'uid' ? { by: 'uid', uid: asked.uid } : asked;
}

/** Whether a record of the subject is of the namespace that was asked about. */
export function isWithin({ namespace: wanted }: AskedPods, { namespace }: Pick<Holder, 'namespace'>): boolean {
  return wanted === undefined || namespace === wanted;
}

/** A span of which the asker gave both ends, one or none. */
export interface AskedSpan extends Span {
  readonly hasSince: boolean;
  readonly hasUntil: boolean;
}

/** Where a span begins of which only the end was given. One that has no time that has come would find nothing, silently. */
export function beginningOf(to: EpochMillis, now: EpochMillis, longest = LONGEST_SPAN_MS): EpochMillis {
  if (to - longest <= now) return epochMillis(Math.max(0, to - longest));
  throw new HistoryError('bad-span', 'until is so far ahead that nothing of the time before it has come', {
    hint: 'leave until out, which then is now, or give since, too.',
  });
}

export function clusterDocument({ id, name }: Cluster) {
  return { cluster: name, clusterId: id };
}

/** Null where the asker gave none. */
export function spanDocument({ from, to, hasSince, hasUntil }: AskedSpan) {
  return { since: hasSince ? toText(from) : null, until: hasUntil ? toText(to) : null };
}
