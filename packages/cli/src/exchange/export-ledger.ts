// The ledger of one cluster as JSON lines: first a header that names the cluster, then every record as the fact that
// would store it. Streams; nothing is held.
import type { Cluster, Engine, Fact } from '@podtrail/history';
import { formatJsonLine } from '../output/json.ts';

export const EXPORT_FORMAT = 1;

export interface ExportHeader {
  readonly podtrailExport: number;
  readonly cluster: Cluster;
}

/** Lines with their line ends. */
export async function* exportLines(engine: Engine, cluster: Cluster): AsyncGenerator<string> {
  const header: ExportHeader = { podtrailExport: EXPORT_FORMAT, cluster: { id: cluster.id, name: cluster.name } };
  yield formatJsonLine(header);
  const expired = (await engine.expired(cluster.id)).reduce((latest, { to }) => Math.max(latest, to), 0);
  for await (const fact of engine.records(cluster.id)) {
    const kept = sinceExpired(fact, expired);
    if (kept !== undefined) yield formatJsonLine(sorted(kept));
  }
}

/** What has been removed was watched once, but whoever imports this must not take its absence for "free". */
function sinceExpired(fact: Fact, expired: number): Fact | undefined {
  if (fact.kind !== 'coverage' || fact.coverage.from >= expired) return fact;
  const { coverage } = fact;
  if (coverage.to <= expired) return undefined;
  const from = expired as typeof coverage.from;
  const confirmed = coverage.confirmed > from ? coverage.confirmed : from;
  return { kind: 'coverage', coverage: { ...coverage, from, confirmed } };
}

/** Keys in one order, so that the same ledger gives the same bytes. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([, field]) => field !== undefined);
  entries.sort(([a], [b]) => (a < b ? -1 : 1));
  // Not through assignment: a key may be __proto__.
  return Object.fromEntries(entries.map(([key, field]) => [key, sorted(field)]));
}
