import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { ConnectionError, isAlreadyExists, isConflict, isNotFound } from '../errors.ts';
import { MemoryResourceClient } from './memory-resource-client.ts';

const named = (name: string, spec: unknown = {}) => ({ metadata: { name }, spec });

describe('in-memory collection', () => {
  test('a second create of the same name already exists, a read of an absent one is not found', async () => {
    const client = new MemoryResourceClient({ kind: 'Thing', apiVersion: 'v1', namespace: 'ns' });
    const created = await client.create(named('a'));
    assert.equal(created.kind, 'Thing');
    assert.equal(created.metadata.namespace, 'ns');
    await assert.rejects(client.create(named('a')), isAlreadyExists);
    await assert.rejects(client.get('b'), isNotFound);
    await assert.rejects(client.update(named('b')), isNotFound);
    await assert.rejects(client.delete('b'), isNotFound);
  });

  test('an update or patch with an old resourceVersion conflicts and changes nothing', async () => {
    const client = new MemoryResourceClient();
    const first = await client.create(named('a', { n: 1 }));
    const second = await client.update({ ...first, spec: { n: 2 } });
    assert.notEqual(second.metadata.resourceVersion, first.metadata.resourceVersion);
    await assert.rejects(client.update({ ...first, spec: { n: 3 } }), isConflict);
    const stale = { metadata: { resourceVersion: first.metadata.resourceVersion }, spec: { n: 4 } };
    await assert.rejects(client.patch('a', { kind: 'merge', body: stale }), isConflict);
    await assert.rejects(client.delete('a', { preconditions: { resourceVersion: '99' } }), isConflict);
    assert.deepEqual(client.peek('a')?.['spec'], { n: 2 });
  });

  test('a merge patch removes nulls, merges objects and replaces arrays', async () => {
    const client = new MemoryResourceClient();
    await client.create(named('a', { keep: 1, drop: 2, list: [1, 2], deep: { x: 1 } }));
    const body = { spec: { drop: null, list: [3], deep: { y: 2 } } };
    const patched = await client.patch('a', { kind: 'merge', body });
    assert.deepEqual(patched['spec'], { keep: 1, list: [3], deep: { x: 1, y: 2 } });
  });

  test('what is handed out is a copy', async () => {
    const client = new MemoryResourceClient();
    const created = await client.create(named('a', { n: 1 }));
    (created['spec'] as { n: number }).n = 9;
    const listed = (await client.list()).items[0];
    assert.deepEqual(listed?.['spec'], { n: 1 });
  });

  test('a write that changes nothing keeps the resourceVersion, a dry run stores nothing', async () => {
    const client = new MemoryResourceClient();
    const created = await client.create(named('a', { n: 1 }));
    assert.equal((await client.update(created)).metadata.resourceVersion, created.metadata.resourceVersion);
    await client.update({ ...created, spec: { n: 2 } }, { dryRun: true });
    assert.deepEqual(client.peek('a')?.['spec'], { n: 1 });
  });

  test('an injected failure hits one call, a lost reply leaves the write in place', async () => {
    const client = new MemoryResourceClient();
    const broken = new ConnectionError('refused', 'nobody listens');
    client.failNext('get', broken);
    await client.create(named('a'));
    await assert.rejects(client.get('a'), broken);
    await client.get('a');
    client.loseReplyOfNext('create');
    await assert.rejects(client.create(named('b')), ConnectionError);
    assert.ok(client.peek('b'));
    assert.deepEqual(
      client.calls.map((c) => `${c.verb} ${c.name}`),
      ['create a', 'get a', 'get a', 'create b'],
    );
  });

  test('a call whose signal has aborted does nothing', async () => {
    const client = new MemoryResourceClient();
    await assert.rejects(client.create(named('a'), { signal: AbortSignal.abort() }), ConnectionError);
    assert.equal(client.peek('a'), undefined);
  });
});
