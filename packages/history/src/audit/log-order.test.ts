import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inLogOrder } from './log-order.ts';

const CASES: Readonly<Record<string, readonly string[]>> = {
  'those that the API server rotated come before the log, the oldest first, packed or not': [
    'audit/audit-2026-11-15T23-59-59.999.log.gz',
    'audit/audit-2026-11-16T00-00-00.001.log',
    'audit/audit-2026-11-16T10-00-00.000.log',
    'audit/audit.log',
  ],
  'those that logrotate renamed come before the log, the highest number first': [
    'audit.log.10.gz',
    'audit.log.9.gz',
    'audit.log.2.gz',
    'audit.log.1',
    'audit.log',
  ],
  'logs of several API servers stay apart': [
    'a/audit-2026-11-16T10-00-00.000.log',
    'a/audit.log',
    'b/audit-2026-11-15T10-00-00.000.log',
    'b/audit.log',
  ],
};

for (const [sentence, files] of Object.entries(CASES)) {
  test(sentence, () => {
    assert.deepEqual(inLogOrder(files.toReversed()), files);
    assert.deepEqual(inLogOrder(files.toSorted()), files);
  });
}
