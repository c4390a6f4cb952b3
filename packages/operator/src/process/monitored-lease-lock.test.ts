import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Lease } from '@podtrail/machinery';
import { ManualClock, MemoryResourceClient } from '@podtrail/machinery/testing';
import { MonitoredLeaseLock } from './monitored-lease-lock.ts';

const RECORD = { holderIdentity: 'a', leaseDurationSeconds: 10, acquireTime: '', renewTime: '', leaderTransitions: 0 };

test('a lease that was not reached for a minute is not reachable, for the reason of the last try', async () => {
  const clock = new ManualClock(0);
  const client = new MemoryResourceClient<Lease>({ apiVersion: 'coordination.k8s.io/v1', kind: 'Lease' });
  const lease = new MonitoredLeaseLock({ client, namespace: 'ns', name: 'one', identity: 'a' }, clock);
  await lease.create(RECORD as never);
  await clock.advance(60_000);
  assert.deepEqual(lease.check(), { ok: true });
  client.failNext('get', new Error('no'));
  await assert.rejects(lease.get());
  lease.failed('no');
  await clock.advance(1_000);
  const reason = 'the lease ns/one has not been reachable for 61 s: no';
  assert.deepEqual([lease.check(), lease.isAnswering], [{ ok: false, reason }, false]);
  await lease.get();
  assert.deepEqual([lease.check(), lease.isAnswering], [{ ok: true }, true]);
  await clock.advance(60_000);
  await lease.update(RECORD as never);
  await clock.advance(60_000);
  assert.deepEqual(lease.check(), { ok: true });
});
