// A short form of `npm run proof -- requests`.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { proveRequests } from './proof/requests.ts';

test('5,000 requests that nobody should send: no crash, an answer to each, and no 5xx but 503', {
  timeout: 300_000,
}, async (t) => {
  const out = await mkdtemp(join(tmpdir(), 'podtrail-requests-'));
  t.after(() => rm(out, { recursive: true, force: true }));
  const log = (line: string) => t.diagnostic(line);
  const { wrong, crashes, requests, outcomes } = await proveRequests({ seed: 15, requests: 5_000, out, log }, log);
  assert.deepEqual([wrong, crashes], [0, 0]);
  assert.equal(requests, 5_000);
  // That most are refused is meant; that all are would be a fuzzer that never gets past the door.
  assert.ok((outcomes['200'] ?? 0) > 250 && (outcomes['400'] ?? 0) > 500, JSON.stringify(outcomes));
});
