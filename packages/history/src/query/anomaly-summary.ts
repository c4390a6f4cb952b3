// What could not be right within a span, counted: how often, on which nodes, and the latest of each kind. For those who
// look after a ledger (`doctor`, `store status`); the records themselves are the snapshot's.
import type { Snapshot, Span } from '../engines/snapshot.ts';
import type { Anomaly } from '../model/records.ts';
import { LARGEST_PAGE } from './limits.ts';

export interface AnomalySummary {
  readonly what: Anomaly['what'];
  /** As far as one page goes: a flood is a flood. */
  readonly count: number;
  /** Those that the anomalies name, each once, in order. */
  readonly nodes: readonly string[];
  readonly latest: Anomaly;
}

export async function anomalySummary(snapshot: Pick<Snapshot, 'occurrences'>, span: Span): Promise<AnomalySummary[]> {
  const { items } = await snapshot.occurrences({ kind: 'anomaly', span, page: { limit: LARGEST_PAGE } });
  const kinds = new Map<Anomaly['what'], Anomaly[]>();
  for (const anomaly of items) {
    const same = kinds.get(anomaly.what);
    if (same === undefined) kinds.set(anomaly.what, [anomaly]);
    else same.push(anomaly);
  }
  return [...kinds].map(([what, all]) => ({
    what,
    count: all.length,
    nodes: [...new Set(all.flatMap(({ detail }) => nodeOf(detail) ?? []))].sort(),
    latest: all.at(-1) as Anomaly,
  }));
}

/** Observing names the object first: `pod shop/web-1 on node node-a: …`, `node node-a: …`. */
function nodeOf(detail: string): string | undefined {
  return /^(?:pod \S+ on )?node ([^\s:]+):/.exec(detail)?.[1];
}
