// Anomalies of the last day, for those who look after a ledger: a sentence for each kind.
import { type AnomalySummary, anomalySummary, type Engine, epochMillis, withSnapshot } from '@podtrail/history';

/** The last day is what can still be looked at on the nodes. */
const LOOK_BACK_MS = 24 * 3_600_000;
/** More are counted and not named. */
const MOST_NODES = 10;

/** Also what a wrong clock observed in the future. */
export function recentAnomalies(engine: Engine, cluster: string, now: number): Promise<AnomalySummary[]> {
  const span = { from: epochMillis(now - LOOK_BACK_MS), to: epochMillis(Number.MAX_SAFE_INTEGER) };
  return withSnapshot(engine, cluster, (snapshot) => anomalySummary(snapshot, span));
}

export function anomalySentence({ count, nodes, latest }: AnomalySummary): string {
  const named = nodes.slice(0, MOST_NODES).join(', ');
  const more = nodes.length > MOST_NODES ? ` and ${nodes.length - MOST_NODES} more` : '';
  const where = nodes.length === 0 ? '' : `, on ${nodes.length === 1 ? 'node' : 'nodes'} ${named}${more}`;
  return `${count} ${count === 1 ? 'anomaly' : 'anomalies'} in the last 24h${where}: ${latest.detail}`;
}

export function anomalyJson({ what, count, nodes, latest }: AnomalySummary) {
  return { what, count, nodes, latest: latest.detail };
}
