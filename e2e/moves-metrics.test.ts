// The counters of moves on a real control plane: they are what `podtrail moves` finds in the same store, also where the
// recorder is killed before it could count.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podtrail } from './cli/podtrail-process.ts';
import { until, useCluster } from './controlplane/index.ts';
import { aStore, monitored } from './recorder-stage.ts';

const cluster = await useCluster({
  needs: ['own control plane', 'simulated nodes'],
  controllerManager: true,
  scheduler: true,
  kwok: { nodes: 3 },
});
const IMAGE = '--image=registry.example/web:1';

test('every departure is counted once, with the cause that moves lists, also across a kill of the recorder', {
  skip: cluster.skip,
  timeout: 300_000,
}, async (t) => {
  const namespace = await cluster.namespace(t);
  const kubectl = (...words: string[]) => cluster.kubectl(['-n', namespace, ...words]);
  const store = await aStore(t);
  const first = await monitored(t, cluster.kubeconfig, '--store', store);
  await until('it is ready', async () => (await first.readyz()).status === 200);
  await kubectl('create', 'deployment', 'web', IMAGE, '--replicas=4');
  await kubectl('run', 'alone', IMAGE);
  await kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
  await kubectl('wait', '--for=condition=Ready', 'pod/alone', '--timeout=60s');
  t.after(() => cluster.kubectl(['uncordon', 'node-0']));
  await cluster.kubectl(['drain', 'node-0', '--ignore-daemonsets', '--pod-selector=app=web']);
  await kubectl('scale', 'deployment', 'web', '--replicas=3');
  await kubectl('delete', 'pod', 'alone', '--wait=true');
  await kubectl('rollout', 'restart', 'deployment/web');
  await kubectl('rollout', 'status', 'deployment/web', '--timeout=60s');
  assert.deepEqual(await counted(first), {}, 'nothing is counted before its traces can have come');
  await first.recorder.end('SIGKILL');
  const second = await monitored(t, cluster.kubeconfig, '--store', store);
  const found = await until(
    'all are counted',
    async () => {
      const counts = await counted(second);
      const { byCause } = await listed(store);
      assert.deepEqual(counts, byCause);
      return Object.keys(counts).length > 0 && counts;
    },
    { withinMs: 200_000, everyMs: 2_000 },
  );
  t.diagnostic(JSON.stringify(found));
  const evicted = found['Evicted Deployment'] ?? 0;
  assert.ok(evicted >= 1);
  const total = Object.values(found).reduce((sum, count) => sum + count, 0);
  assert.equal(total, evicted + 1 + 1 + 3, 'evicted, scaled down, deleted, restarted');
  const page = await second.metrics();
  const replaced = Number(/^podtrail_pod_reschedule_seconds_count (\d+)$/m.exec(page)?.[1]);
  assert.equal(replaced, (await listed(store)).replaced, 'each whose successor was ready');
  assert.match(page, /^podtrail_moves_uncounted_total\{what="departures"\} 0$/m);
});

test('without causes there are no such metrics', { skip: cluster.skip, timeout: 60_000 }, async (t) => {
  const { metrics, readyz } = await monitored(t, cluster.kubeconfig, '--no-causes');
  await until('it is ready', async () => (await readyz()).status === 200);
  assert.doesNotMatch(await metrics(), /podtrail_(pod_moves|pod_reschedule|address_reuse|moves_)/);
});

async function counted({ metrics }: { metrics(): Promise<string> }): Promise<Record<string, number>> {
  const lines = (await metrics()).matchAll(/^podtrail_pod_moves_total\{cause="(\w+)",kind="(\w+)"\} ([1-9]\d*)$/gm);
  return Object.fromEntries([...lines].map(([, cause, kind, count]) => [`${cause} ${kind}`, Number(count)]).sort());
}

/** What `podtrail moves` finds: by cause and kind, and how many have a downtime. */
async function listed(store: string) {
  const { out } = await podtrail(`moves --since 1h -A -o json --store ${store}`);
  const { moves } = JSON.parse(out);
  const byCause: Record<string, number> = {};
  for (const { cause, workload } of moves) {
    const key = `${cause} ${workload?.kind ?? 'none'}`;
    byCause[key] = (byCause[key] ?? 0) + 1;
  }
  const replaced = moves.filter(({ downtimeMs }: { downtimeMs: number | null }) => downtimeMs !== null).length;
  return { byCause: Object.fromEntries(Object.entries(byCause).sort()), replaced };
}
