import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { AnomaliesDocument, GapsDocument } from '@podtrail/history/wire';
import { NOW, watched } from '../../testing/records.ts';
import { healthCsv } from './health-csv.ts';

test('what was watched, each gap with its reason and each anomaly is a row', () => {
  const at = '2026-11-18T11:00:00.000Z';
  const document = { coverage: watched(NOW - 3_600_000, [{ from: at, to: null, reason: 'not-watching' }]) };
  const anomaly = { what: 'clock-skew', uid: 'uid-a', detail: '=1+1, two', evidence: { observedAt: at } };
  const text = healthCsv(document as unknown as GapsDocument, [anomaly] as unknown as AnomaliesDocument['anomalies']);
  assert.deepEqual(text.split('\r\n'), [
    'what,from,to,reason,detail,uid',
    'watched,2026-11-18T11:00:00.000Z,2026-11-18T12:00:00.000Z,,,',
    'gap,2026-11-18T11:00:00.000Z,,not-watching,,',
    `anomaly,2026-11-18T11:00:00.000Z,,clock-skew,"'=1+1, two",uid-a`,
    '',
  ]);
});
