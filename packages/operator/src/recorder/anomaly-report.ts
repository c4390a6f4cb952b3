// Anomalies that became durable, as lines of a log: the first few of each kind, then each time their number doubles. A
// node with a wrong clock makes one for every pod; `podtrail doctor` and `podtrail store status` have the rest.
import type { Anomaly } from '@podtrail/history';
import type { StoredBatch } from './commit-queue.ts';

export interface AnomalyFields {
  readonly what: Anomaly['what'];
  /** Names the object, its node where it has one, and the field or the time. */
  readonly detail: string;
  /** Of this kind, since the recorder began. */
  readonly times: number;
}

const REPORTED_EACH = 5;

export function anomalyReport(report: (fields: AnomalyFields) => void): (stored: StoredBatch) => void {
  const counts = new Map<Anomaly['what'], number>();
  return ({ batch }) => {
    for (const fact of batch.facts) {
      if (fact.kind !== 'anomaly') continue;
      const { what, detail } = fact.anomaly;
      const times = (counts.get(what) ?? 0) + 1;
      counts.set(what, times);
      if (times <= REPORTED_EACH || (times & (times - 1)) === 0) report({ what, detail, times });
    }
  };
}
