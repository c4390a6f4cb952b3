// Events PodMoved on a real control plane: on the trackers that ask for them, on no other, and never many.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until, useCluster } from './controlplane/index.ts';
import { install, OperatorReplica } from './operator-stage.ts';
import { Hand } from './podtracker-stage.ts';

const cluster = await useCluster({
  needs: ['own control plane', 'simulated nodes'],
  controllerManager: true,
  scheduler: true,
  kwok: { nodes: 3 },
});
const IMAGE = '--image=registry.example/web:1';
const STORM = 120;

interface Moved {
  readonly reason: string;
  readonly note: string;
  readonly regarding: { readonly name: string };
  readonly related: { readonly kind: string; readonly name: string };
  readonly reportingInstance: string;
}

async function moved(tracker: string): Promise<Moved[]> {
  const { items } = await cluster.kubectlJson(['-n', 'default', 'get', 'events.events.k8s.io']);
  return items.filter(({ reason, regarding }: Moved) => reason === 'PodMoved' && regarding.name === tracker);
}

test('a drained pod is an Event where it is asked for, written by the leader; a storm is a few', {
  skip: cluster.skip,
  timeout: 420_000,
}, async (t) => {
  const plane = cluster.controlPlane;
  await install(plane);
  const hand = await Hand.of(t, plane);
  const namespace = await cluster.namespace(t);
  const kubectl = (...words: string[]) => cluster.kubectl(['-n', namespace, ...words]);
  const [leader, other] = [await OperatorReplica.start(t, plane, 'one'), await OperatorReplica.start(t, plane, 'two')];
  await until('one leads', async () => (await leader.leads()) || (await other.leads()));
  for (const replica of [leader, other]) await replica.untilReady();
  await hand.createTracker('asks', { namespaces: [namespace], events: { podMoved: true } });
  await hand.createTracker('does-not-ask', { namespaces: [namespace] });
  await kubectl('create', 'deployment', 'kafka', IMAGE, '--replicas=3');
  await kubectl('rollout', 'status', 'deployment/kafka', '--timeout=60s');
  t.after(() => cluster.kubectl(['uncordon', 'node-0']));
  await cluster.kubectl(['drain', 'node-0', '--ignore-daemonsets', '--pod-selector=app=kafka']);
  const [first] = await until(
    'there is an Event',
    async () => {
      const found = await moved('asks');
      return found.length > 0 && found;
    },
    { withinMs: 200_000, everyMs: 1_000 },
  );
  const line = new RegExp(`^${namespace}/kafka-\\S+ moved node-0 → node-[12] as kafka-\\S+: drained$`);
  assert.match(first?.note ?? '', line);
  assert.equal(first?.related.kind, 'Pod');
  assert.ok(first?.note.includes(`as ${first.related.name}:`));
  assert.equal(first?.reportingInstance, (await leader.leads()) ? 'one' : 'two');
  assert.deepEqual(await moved('does-not-ask'), []);

  await cluster.kubectl(['uncordon', 'node-0']);
  await kubectl('create', 'deployment', 'storm', IMAGE, `--replicas=${STORM}`);
  await kubectl('rollout', 'status', 'deployment/storm', '--timeout=120s');
  await kubectl('delete', 'pods', '-l', 'app=storm', '--wait=false');
  const replicas = [leader, other];
  const counted = (replica: OperatorReplica) =>
    replica.metric('podtrail_pod_moves_total{cause="DeletedOnRequest",kind="Deployment"}');
  await until(
    'all of them are counted',
    async () => {
      const counts = await Promise.all(replicas.map(counted));
      return counts.every((count) => count >= STORM);
    },
    { withinMs: 240_000, everyMs: 2_000 },
  );
  const written = (await moved('asks')).length;
  t.diagnostic(`${STORM} pods were deleted at once: ${written} Events`);
  assert.ok(written <= 26, `${written} Events`);
  assert.deepEqual(await moved('does-not-ask'), []);
});
