// Health as CSV: the gaps, and what cannot be right, oldest first. Pure.
import type { AnomaliesDocument, GapsDocument } from '@podtrail/history/wire';
import { csvText } from '../../parts/csv.ts';

const HEADER = ['what', 'from', 'to', 'reason', 'detail', 'uid'];

export function healthCsv({ coverage }: GapsDocument, anomalies: AnomaliesDocument['anomalies']): string {
  return csvText(HEADER, [
    ['watched', coverage.from, coverage.to, null, null, null],
    ...coverage.gaps.map(({ from, to, reason }) => ['gap', from, to, reason, null, null]),
    ...anomalies.map(({ what, uid, detail, evidence }) => ['anomaly', evidence.observedAt, null, what, detail, uid]),
  ]);
}
