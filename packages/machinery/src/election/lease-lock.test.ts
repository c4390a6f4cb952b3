import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { isAlreadyExists, isConflict, isNotFound, MachineryError } from '../errors.ts';
import { MemoryResourceClient } from '../testing/memory-resource-client.ts';
import type { ElectionRecord, Lease } from './lease.ts';
import { electionIdentity, LeaseLock } from './lease-lock.ts';

const RECORD: ElectionRecord = {
  holderIdentity: 'me',
  leaseDurationSeconds: 15,
  acquireTime: '2026-01-01T00:00:00.000000Z',
  renewTime: '2026-01-01T00:00:10.000000Z',
  leaderTransitions: 1,
  strategy: 'S',
  preferredHolder: 'you',
};

function aLock(labels?: Record<string, string>, client = new MemoryResourceClient<Lease>({ namespace: 'ns' })) {
  const options = { client, namespace: 'ns', name: 'lock', identity: 'me' };
  return { client, lock: new LeaseLock(labels === undefined ? options : { ...options, labels }) };
}

describe('lease lock', () => {
  test('reading an absent lease is not found', async () => {
    await assert.rejects(aLock().lock.get(), isNotFound);
  });

  test('a created lease is read back field by field', async () => {
    const { lock } = aLock();
    await lock.create(RECORD);
    assert.deepEqual(await lock.get(), RECORD);
  });

  test('creating a lease that exists fails as already existing', async () => {
    const { lock } = aLock();
    await lock.create(RECORD);
    await assert.rejects(lock.create(RECORD), isAlreadyExists);
  });

  test('an update before any read is refused', async () => {
    await assert.rejects(
      aLock().lock.update(RECORD),
      (e) => e instanceof MachineryError && e.code === 'lease-not-read',
    );
  });

  test('an update carries the resourceVersion that was read, so a late one conflicts', async () => {
    const { lock, client } = aLock();
    await lock.create(RECORD);
    const other = aLock(undefined, client).lock;
    await other.get();
    await other.update({ ...RECORD, holderIdentity: 'other' });
    await assert.rejects(lock.update(RECORD), isConflict);
    assert.equal(client.peek('lock')?.spec?.holderIdentity, 'other');
  });

  test('the description is namespace and name', () => {
    assert.equal(aLock().lock.description, 'ns/lock');
  });

  test('our labels are set on a lease that has none', async () => {
    const { client } = aLock();
    await client.create({ metadata: { name: 'lock' } });
    const { lock } = aLock({ mine: '1' }, client);
    await lock.get();
    await lock.update(RECORD);
    assert.deepEqual(client.peek('lock')?.metadata.labels, { mine: '1' });
  });

  test('labels of the lease stay when we set none', async () => {
    const { client } = aLock();
    await client.create({ metadata: { name: 'lock', labels: { theirs: '1' } } });
    const { lock } = aLock(undefined, client);
    await lock.get();
    await lock.update(RECORD);
    assert.deepEqual(client.peek('lock')?.metadata.labels, { theirs: '1' });
  });

  test('an update sets our labels back and leaves the others', async () => {
    const { lock, client } = aLock({ mine: '1' });
    await lock.create(RECORD);
    await client.patch('lock', { kind: 'merge', body: { metadata: { labels: { mine: 'changed', theirs: '2' } } } });
    await lock.get();
    await lock.update(RECORD);
    assert.deepEqual(client.peek('lock')?.metadata.labels, { mine: '1', theirs: '2' });
  });

  test('what others wrote into metadata and spec survives our update', async () => {
    const { client } = aLock();
    await client.create({ metadata: { name: 'lock', annotations: { a: 'b' } }, spec: { future: [1] } });
    const { lock } = aLock(undefined, client);
    await lock.get();
    await lock.update(RECORD);
    const stored = client.peek('lock');
    assert.deepEqual(stored?.metadata.annotations, { a: 'b' });
    assert.deepEqual(stored?.spec?.['future'], [1]);
  });

  test('two processes on one host are two candidates', () => {
    assert.notEqual(electionIdentity('host'), electionIdentity('host'));
    assert.equal(electionIdentity('host', 'u-1'), 'host_u-1');
  });
});
