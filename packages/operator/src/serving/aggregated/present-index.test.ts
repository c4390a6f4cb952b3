// Lists of the pods that are there now: in order whatever comes and goes, and without work where nothing did.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochMillis } from '@podtrail/history/wire';
import { PresentIndex } from './present-index.ts';
import { keyOf, recordsOfPresent } from './present-pods.ts';
import type { PresentPod } from './resource.ts';

const podOf = (i: number): PresentPod => ({ namespace: `ns-${i % 7}`, name: `web-${(i * 31) % 997}`, uid: `uid-${i}` });

test('pods are in the order of their keys whatever came and went in between', () => {
  const index = new PresentIndex();
  const there = new Map<string, PresentPod>();
  for (let i = 0; i < 2_000; i++) {
    const pod = podOf((i * 7919) % 1_500);
    if (there.delete(keyOf(pod))) index.remove(pod);
    else {
      there.set(keyOf(pod), pod);
      index.add(pod);
    }
    if (i % 97 !== 0) continue;
    const expected = [...there.keys()].sort((a, b) => (a < b ? -1 : 1));
    assert.deepEqual(index.list().map(keyOf), expected);
  }
});

test('the list is the same one until a pod comes or goes', () => {
  const index = new PresentIndex();
  for (let i = 0; i < 100; i++) index.add(podOf(i));
  const first = index.list();
  index.add(podOf(3));
  index.remove({ ...podOf(3), uid: 'another' });
  assert.equal(index.list(), first);
  index.remove(podOf(3));
  assert.equal(index.list().length, 99);
  // It comes and goes before anybody asks.
  const second = index.list();
  index.add(podOf(3));
  index.remove(podOf(3));
  assert.equal(index.list(), second);
});

test('a page looks only at the pods of its namespace, from its cursor on', async () => {
  let looked = 0;
  const index = new PresentIndex();
  for (let i = 0; i < 7_000; i++) index.add(podOf(i));
  // Also a namespace whose name begins as another one does.
  index.add({ namespace: 'ns-3-b', name: 'a', uid: 'b' });
  const list = new Proxy(index.list() as PresentPod[], {
    get: (target, key) => {
      if (typeof key === 'string' && /^\d+$/.test(key)) looked++;
      return Reflect.get(target, key);
    },
  });
  const record = (pod: PresentPod) => ({
    ...{ name: keyOf(pod), namespace: pod.namespace, fields: {} },
    ...{ at: epochMillis(0), began: epochMillis(0), changed: epochMillis(0) },
  });
  const found: string[] = [];
  let cursor: string | undefined;
  do {
    looked = 0;
    const question = {
      present: () => list,
      namespace: 'ns-3',
      visibility: { kind: 'all' } as const,
      limit: 100,
      cursor,
    };
    const page = await recordsOfPresent(question, async (pod) => [record(pod)]);
    assert.ok(looked < 150, `${looked} looked at for 100`);
    found.push(...page.records.map(({ name }) => name));
    cursor = page.cursor;
  } while (cursor !== undefined);
  const expected = index.list().filter(({ namespace }) => namespace === 'ns-3');
  assert.deepEqual(found, expected.map(keyOf));
});
