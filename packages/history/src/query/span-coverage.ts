// What was watched of a span: every answer about a span carries it, because silence there is not absence.
import type { Snapshot, Span } from '../engines/snapshot.ts';
import type { Coverage } from '../model/records.ts';
import type { EpochMillis } from '../model/time.ts';
import type { Gap, WatchedTime } from './watched-time.ts';
import { readWatchedTime } from './who.ts';

export interface SpanCoverage {
  /** The first and the last instant of the ledger; undefined when there is none. */
  readonly first: EpochMillis | undefined;
  readonly last: EpochMillis | undefined;
  /** Of the stretches that touch the span; more than one when the recorder was started again with other rights. */
  readonly scopes: readonly Coverage['scope'][];
  /** Cut to the span. */
  readonly gaps: readonly Gap[];
  /** Where pods were watched, and services or nodes were not: nothing is free there. */
  readonly podsOnly: readonly Span[];
  readonly expired: readonly Span[];
}

export async function spanCoverage(snapshot: Snapshot, span: Span): Promise<SpanCoverage> {
  return coverageOf(await readWatchedTime(snapshot), span);
}

function coverageOf({ first, last, gaps, stretches, partial, expired }: WatchedTime, span: Span): SpanCoverage {
  const touching = [...stretches, ...partial].filter(({ from, to }) => from < span.to && to >= span.from);
  const scopes = new Map(touching.map(({ scope }) => [JSON.stringify(scope), scope]));
  return {
    first,
    last,
    scopes: [...scopes.values()],
    gaps: cut(gaps, span),
    podsOnly: cut(partial, span),
    expired: cut(expired, span),
  };
}

/** What of these lies within the span. */
function cut<T extends Span>(parts: readonly T[], span: Span): T[] {
  const found: T[] = [];
  for (const part of parts) {
    const from = part.from > span.from ? part.from : span.from;
    const to = part.to < span.to ? part.to : span.to;
    if (from < to) found.push({ ...part, from, to });
  }
  return found;
}
