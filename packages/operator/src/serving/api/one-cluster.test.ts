// A store of two clusters, as the operator of one of them serves it: rights in one cluster open nothing of the other.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ledgerOf } from '@podtrail/history/testing';
import { epochMillis } from '@podtrail/history/wire';
import { systemClock } from '@podtrail/machinery';
import { accessOf, startedServer } from '../testing/started-server.ts';
import { NOW, SINCE, tenantFacts } from '../testing/two-tenants.ts';
import { apiRoutes } from './api-routes.ts';
import { AskedLedger, type AskedReader } from './asked-ledger.ts';
import { oneCluster } from './one-cluster.ts';

const HERE = { name: 'here', id: 'id-here' };
const THERE = { name: 'there', id: 'id-there' };
const engines = {
  [HERE.id]: await ledgerOf(tenantFacts(['vault'])),
  [THERE.id]: await ledgerOf(tenantFacts(['shop'])),
};

/** Both have what is asked; `joined` counts, and gives nothing. */
function bothClusters(joined: string[]): AskedReader {
  return {
    clusters: async () => [HERE, THERE],
    snapshot: async (id) => {
      const engine = engines[id] ?? assert.fail(id);
      const [cluster] = await engine.clusters();
      return await engine.snapshot(cluster?.id ?? '');
    },
    joined: async (id) => {
      joined.push(id);
      return { value: undefined, peers: [] };
    },
  };
}

test('an operator answers for its own cluster only: another one of its store is not read, and not named', async (t) => {
  const joined: string[] = [];
  const clock = { ...systemClock, now: () => NOW };
  const ledger = new AskedLedger(oneCluster(bothClusters(joined), HERE), clock);
  const counts = { tenures: 1, placements: 1, changes: 1, live: 1 };
  const status = async () => ({ version: 1, bytes: 1, clusters: [HERE, THERE].map((of) => ({ ...of, ...counts })) });
  const since = new Map([['shop', epochMillis(0)]]);
  const { get } = await startedServer(t, apiRoutes({ ledger, version: '0', status }), {
    access: accessOf({ jane: { kind: 'namespaces', since }, admin: { kind: 'all' } }),
  });
  const asked: readonly (readonly [path: string, status: number])[] = [
    ['who?ip=10.1.0.1', 200],
    ['trail?subject=shop-stays&namespace=shop', 200],
    ['moves', 200],
    ['clusters', 200],
    ['gaps?cluster=here', 200],
    ['gaps?cluster=id-here', 200],
    ['gaps?cluster=there', 404],
    ['trail?subject=shop-stays&namespace=shop&cluster=id-there', 404],
    ['trail?subject=shop-stays&namespace=shop&cluster=nowhere', 404],
  ];
  for (const [path, expected] of asked) {
    for (const as of ['jane', 'admin']) {
      const reply = await get(`/api/v1/${path}`, { as });
      const text = await reply.text();
      assert.equal(reply.status, expected, `${as} ${path}: ${text}`);
      const said = path.includes('there') ? text.replaceAll(/no cluster (id-)?there/g, '') : text;
      assert.doesNotMatch(said, /there|uid-shop/, `${as} ${path}`);
    }
  }
  const stats = await (await get('/api/v1/stats', { as: 'admin' })).json();
  const watched = { from: new Date(SINCE - 60_000).toISOString(), to: new Date(NOW).toISOString() };
  const times = { firstRecord: watched.from, lastRecord: watched.to, coverage: watched };
  const { clusters: listed, ...rest } = stats as { readonly clusters: readonly object[] };
  assert.deepEqual(rest, { storeVersion: 1, bytes: 1, bytesPerDay: 24, limitBytes: null, volume: null });
  assert.deepEqual(listed, [{ ...HERE, ...counts, ...times }]);
  assert.ok(joined.every((id) => id === HERE.id));
});

test('a snapshot of another cluster is refused, however it is asked for', async () => {
  const reader = oneCluster(bothClusters([]), HERE);
  const refusal = { code: 'unknown-cluster', message: 'this operator answers for the cluster here only' };
  await assert.rejects(reader.snapshot(THERE.id), refusal);
  await assert.rejects(reader.joined?.(THERE.id, async () => 1) ?? Promise.resolve(), refusal);
});

test('an engine that answers itself is asked about the own cluster only', async () => {
  const asked: string[] = [];
  const answerPoints: AskedReader['answerPoints'] = async ({ id }) => {
    asked.push(id);
    return { texts: [], open: [] };
  };
  const reader = oneCluster({ ...bothClusters([]), answerPoints }, HERE);
  await reader.answerPoints?.(HERE, []);
  await assert.rejects(async () => reader.answerPoints?.(THERE, []), { code: 'unknown-cluster' });
  assert.deepEqual(asked, [HERE.id]);
  assert.equal(oneCluster(bothClusters([]), HERE).answerPoints, undefined);
});
