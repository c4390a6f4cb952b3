// The history API through the real aggregator, with stock kubectl and real RBAC: `kubectl get tenures` and its relatives,
// who sees what, and what is left when podtrail is gone.
import assert from 'node:assert/strict';
import { after, before, test } from 'node:test';
import { until, useCluster } from './controlplane/index.ts';
import { install } from './operator-stage.ts';
import { Hand } from './podtracker-stage.ts';
import { HISTORY, type ServedHistory, serveHistory } from './serving-stage.ts';

const cluster = await useCluster({ needs: ['own control plane'], controllerManager: true });
const { skip } = cluster;
const leavings: (() => Promise<unknown>)[] = [];
const stage = { after: (done: () => Promise<unknown>) => void leavings.push(done) };
let served: ServedHistory;

const kubectl = (words: string, kubeconfig?: string) =>
  cluster.kubectl(words.split(' '), kubeconfig === undefined ? {} : { kubeconfig });
const json = async (words: string) => JSON.parse(await kubectl(`${words} -o json`));

before(async () => {
  if (skip !== false) return;
  const plane = cluster.controlPlane;
  await install(plane);
  const hand = await Hand.of(stage, plane);
  for (const namespace of ['shop', 'vault']) await cluster.kubectl(['create', 'namespace', namespace]);
  for (const node of ['node-1', 'node-2']) await hand.createNode(node);
  served = await serveHistory(stage, plane, 'history-0');
  await served.operator.untilReady();
  await hand.createPod('shop', 'cart', 'node-1', '10.1.0.1');
  await hand.createPod('shop', 'till', 'node-2', '10.1.0.2');
  await hand.createPod('vault', 'gold', 'node-1', '10.1.0.3');
  await until('all of them are recorded', async () => (await json('get tenures -A')).items.length === 3);
});

after(async () => {
  for (const leave of leavings.reverse()) await leave();
});

test('kubectl get tenures -A --field-selector ip= answers from the ledger of the recorder', { skip }, async () => {
  const table = await kubectl('get tenures -A --field-selector ip=10.1.0.1');
  assert.match(table, /^NAMESPACE +IP +HOLDER +NODE +START +END *\nshop +10\.1\.0\.1 +cart +node-1 +\S+Z +<none> *\n$/);
  const { items } = await json('get tenures -A --field-selector ip=10.1.0.1');
  assert.equal(items.length, 1);
  assert.equal(items[0].apiVersion, `${HISTORY}/v1`);
  assert.deepEqual([items[0].kind, items[0].ip, items[0].holder.name], ['Tenure', '10.1.0.1', 'cart']);
});
