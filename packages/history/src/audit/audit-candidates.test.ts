import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Snapshot } from '../engines/snapshot.ts';
import { parseIp } from '../model/ip-address.ts';
import type { Coverage } from '../model/records.ts';
import { epochMillis } from '../model/time.ts';
import { AuditCandidates } from './audit-candidates.ts';
import type { AuditedAction } from './audited-action.ts';

const SPANS = 200_000;
const HOUR_MS = 3_600_000;
/** Watched for a minute of every hour. */
const coverage = Array.from({ length: SPANS }, (_, i) => {
  const from = epochMillis(i * HOUR_MS);
  return { scope: { kind: 'cluster' }, from, to: epochMillis(from + 60_000) } as Coverage;
});

function shownAt(at: number): AuditedAction {
  const sighting = { holder: { uid: 'uid-a' }, ips: [parseIp('10.0.0.7')], hasEnded: false };
  return { at, answeredAt: at, outcome: { kind: 'allowed' }, sighting } as unknown as AuditedAction;
}

test('a ledger with very many gaps can be asked for each of them', async () => {
  const snapshot = { coverage: async () => coverage, expired: async () => [] } as unknown as Snapshot;
  const candidates = await AuditCandidates.open(snapshot, epochMillis(SPANS * HOUR_MS));
  candidates.add(shownAt(150_000 * HOUR_MS + HOUR_MS / 2));
  assert.equal(candidates.tally.watched, 0);
  candidates.add(shownAt(150_000 * HOUR_MS + 30_000));
  assert.equal(candidates.tally.watched, 1);
});
