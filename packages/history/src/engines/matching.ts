// What a question means, for one record at a time: shared by all engines, so that they cannot differ in it.
import type { Tenure } from '../model/records.ts';
import type { EpochMillis } from '../model/time.ts';
import type { About, Named } from './occurrences/occurrence-type.ts';
import type { OccurrenceQuestion, Span, Subject } from './snapshot.ts';

type Interval = Pick<Tenure, 'start' | 'end'>;

/** Bounds included: whatever may have been so within the span. An open record reaches as far as anybody asks. */
export function touches({ start, end }: Interval, span: Span): boolean {
  return start.notBefore < span.to && (end === undefined || end.notAfter > span.from);
}

/** Invariant: retention removes only closed, expired records. */
export function isExpired({ end }: Interval, before: EpochMillis | undefined): boolean {
  return before !== undefined && end !== undefined && end.notAfter < before;
}

export function isWithin(time: number, span: Span): boolean {
  return time >= span.from && time < span.to;
}

/** Whether an occurrence is about what was asked for. */
export function isAsked({ subject, ip }: Pick<OccurrenceQuestion, 'subject' | 'ip'>, about: About): boolean {
  if (ip !== undefined && about.ip !== ip) return false;
  return subject === undefined || about.holders.some((holder) => concerns(subject, holder));
}

export function concerns(subject: Subject, holder: Named): boolean {
  switch (subject.by) {
    case 'uid':
      return holder.uid === subject.uid;
    case 'name':
      return holder.namespace === subject.namespace && holder.name === subject.name;
    case 'workload':
      return (
        holder.namespace === subject.namespace &&
        holder.workload?.kind === subject.kind &&
        holder.workload.name === subject.name
      );
  }
}

/**
 * Of two versions of one record, the one to keep: what has ended is not reopened by what was known before its end, and a
 * beginning that is known is not put in doubt again.
 */
export function newer<T extends Interval>(stored: T | undefined, incoming: T): T {
  if (stored === undefined || incoming.end !== undefined) return incoming;
  return stored.end !== undefined || incoming.start.notAfter > stored.start.notAfter ? stored : incoming;
}
