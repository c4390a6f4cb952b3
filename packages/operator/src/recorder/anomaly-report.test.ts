import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochMillis, type StoredFact } from '@podtrail/history';
import { type AnomalyFields, anomalyReport } from './anomaly-report.ts';

function anomaly(what: 'clock-skew' | 'unparsable-address', detail: string): StoredFact {
  const provenance = { source: 'watch', epoch: 1, resourceVersion: '1', collector: 'c' } as const;
  return { kind: 'anomaly', anomaly: { ...provenance, observedAt: epochMillis(0), what, uid: 'u', detail } };
}

test('a flood of anomalies of one kind is a few lines, and hides none of another kind', () => {
  const lines: AnomalyFields[] = [];
  const stored = anomalyReport((fields) => void lines.push(fields));
  for (let i = 1; i <= 100; i++) {
    const batch = { facts: [anomaly('clock-skew', `pod shop/web-${i} on node node-a: its network came up late`)] };
    stored({ batch, appendMs: 1, lagsMs: [] });
  }
  stored({ batch: { facts: [anomaly('unparsable-address', 'x')] }, appendMs: 1, lagsMs: [] });
  assert.deepEqual(
    lines.map(({ what, times }) => `${what} ${times}`),
    [...[1, 2, 3, 4, 5, 8, 16, 32, 64].map((times) => `clock-skew ${times}`), 'unparsable-address 1'],
  );
  assert.match(lines[0]?.detail ?? '', /on node node-a/);
});
