import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { StoredFact } from '../model/fact.ts';
import { epochMillis } from '../model/time.ts';
import { ALL_VISIBLE, type Visibility } from '../query/visibility.ts';
import { boundary, CLUSTER, coverage, DAY, HOUR, holder, ledgerOf } from '../testing/random-ledger.ts';
import { neverSeenNode, neverSeenPod } from './never-seen.ts';

const SHOP: Visibility = { kind: 'namespaces', since: new Map([['shop', epochMillis(0)]]) };

const placed = (name: string, namespace: string, n: number, uid = `uid-${name}`): StoredFact => {
  const pod = holder('Pod', name, { namespace, node: 'worker-1', uid });
  return { kind: 'placement', placement: { pod, start: boundary(n, n, n, n), end: undefined } };
};

async function search(visibility: Visibility) {
  const reader = await ledgerOf([coverage(0, HOUR), placed('cart-1', 'shop', 1), placed('vault-1', 'vault', 2)]);
  return { reader, visibility, cluster: CLUSTER.id, now: epochMillis(DAY), monotonic: () => 0 };
}

const named = (namespace: string, name: string) => ({ by: 'name' as const, namespace, name });

test('who sees everything gets names that are near, and of the namespace that has one', async () => {
  const all = await search(ALL_VISIBLE);
  assert.match((await neverSeenPod(all, named('shop', 'cart-2'))) ?? '', /did you mean cart-1\?/);
  assert.match((await neverSeenPod(all, named('shop', 'vault-1'))) ?? '', /there is one in vault/);
  assert.equal(await neverSeenPod(all, named('vault', 'vault-1')), undefined);
  assert.match((await neverSeenNode(all, 'worker-2')) ?? '', /did you mean worker-1\?/);
});

test('who sees one namespace gets nothing beside it: what is hidden was never seen', async () => {
  const narrowed = await search(SHOP);
  assert.match((await neverSeenPod(narrowed, named('shop', 'cart-2'))) ?? '', /did you mean cart-1\?/);
  for (const asked of [named('shop', 'vault-1'), named('vault', 'vault-1'), named('vault', 'vault-2')]) {
    const { namespace, name } = asked;
    assert.equal(await neverSeenPod(narrowed, asked), `no such pod has ever been seen: ${namespace}/${name}`);
  }
  for (const node of ['worker-1', 'worker-2']) assert.equal(await neverSeenNode(narrowed, node), undefined);
});

test('a name that came back in a namespace that was created again was seen', async () => {
  const reader = await ledgerOf([
    coverage(0, HOUR),
    placed('cart-1', 'shop', 1),
    placed('cart-1', 'shop', 1000, 'uid-2'),
  ]);
  const since: Visibility = { kind: 'namespaces', since: new Map([['shop', epochMillis(500)]]) };
  const search = { reader, visibility: since, cluster: CLUSTER.id, now: epochMillis(DAY), monotonic: () => 0 };
  assert.equal(await neverSeenPod(search, named('shop', 'cart-1')), undefined);
});
