// The ledger of one cluster as JSON lines: first a header that names the cluster, then every record as the fact that
// would store it, last how many there were, so that a file that was cut short is known as such. Streams; nothing is held.
import {
  type Cluster,
  type Coverage,
  exportLines,
  type LedgerReader,
  type Span,
  withSnapshot,
} from '@podtrail/history';
import { formatJsonLine } from '../output/json.ts';

export const EXPORT_FORMAT = 1;

export interface ExportHeader {
  readonly podtrailExport: number;
  readonly cluster: Cluster;
  /** Changes before it were removed: their absence says nothing. Left out where none were. */
  readonly changesSince?: number;
}

/** The last line. */
export interface ExportFooter {
  /** How many lines of records came before. */
  readonly podtrailExportEnd: number;
}

/** Lines with their line ends. */
export async function* exportLedger(engine: LedgerReader, cluster: Cluster): AsyncGenerator<string> {
  const [ranges, removedChanges] = await withSnapshot(engine, cluster.id, (snapshot) =>
    Promise.all([snapshot.expired(), snapshot.expired('change')]),
  );
  const removed = endOf(removedChanges);
  const about = { podtrailExport: EXPORT_FORMAT, cluster: { id: cluster.id, name: cluster.name } };
  const header: ExportHeader = removed === 0 ? about : { ...about, changesSince: removed };
  yield formatJsonLine(header);
  const expired = endOf(ranges);
  let records = 0;
  for await (const line of exportLines(engine, cluster.id)) {
    const kept = expired === 0 ? line : sinceExpired(line, expired);
    if (kept === undefined) continue;
    records++;
    yield `${kept}\n`;
  }
  const footer: ExportFooter = { podtrailExportEnd: records };
  yield formatJsonLine(footer);
}

/** 0 where nothing was removed. */
function endOf(ranges: readonly Span[]): number {
  return ranges.reduce((latest, { to }) => Math.max(latest, to), 0);
}

/**
 * What has been removed was watched once, but whoever imports this must not take its absence for "free": coverage of
 * such times is cut or left out. All other lines stay as they are.
 */
function sinceExpired(line: string, expired: number): string | undefined {
  if (!line.includes('"kind":"coverage"')) return line;
  const fact = JSON.parse(line) as {
    readonly kind: string;
    readonly coverage: Pick<Coverage, 'from' | 'to' | 'confirmed'>;
  };
  if (fact.kind !== 'coverage' || fact.coverage.from >= expired) return line;
  if (fact.coverage.to <= expired) return undefined;
  // The keys keep their order, which is the canonical one.
  const cut = { ...fact.coverage, from: expired, confirmed: Math.max(fact.coverage.confirmed, expired) };
  return JSON.stringify({ ...fact, coverage: cut });
}
