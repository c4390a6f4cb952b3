import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ChurnDriver, VIOLENT_CHURN } from './churn-driver.ts';
import { contains, parseCidr } from './cidr.ts';
import type { NodeObject } from './node-object.ts';
import { isLeaving, isReady, isTerminal, type PodObject } from './pod-object.ts';
import { type SmallCluster, smallCluster } from './testing/small-cluster.ts';

const SEEDS = [1, 20_261_115];
const MINUTES = 40;

interface Lived extends SmallCluster {
  readonly driver: ChurnDriver;
  readonly journal: string[];
}

/** A small and violent life; `watching` is called after every half second of it. Without it a journal is kept. */
function live(seed: number, minutes: number, watching?: (lived: Lived) => void): Lived {
  const small = smallCluster({
    seed,
    nodes: 6,
    podRanges: [
      { cidr: '10.8.0.0/20', nodePrefix: 26 },
      { cidr: 'fd00:8::/48', nodePrefix: 64 },
    ],
  });
  const journal: string[] = [];
  const journaled = watching === undefined ? ['pods', 'nodes', 'deployments.apps', 'jobs.batch', 'events'] : [];
  for (const resource of journaled) {
    small.api.watch(resource, (type, object) => {
      journal.push(`${small.clock.now()} ${type} ${resource} ${JSON.stringify(object)}`);
    });
  }
  small.cluster.populate({ pods: 70 });
  const driver = new ChurnDriver({
    cluster: small.cluster,
    seed,
    rates: VIOLENT_CHURN,
    mostNodesOut: 0.5,
    outageMs: [30_000, 480_000],
    jobKeptSeconds: [5, 60],
  });
  driver.start();
  const lived = { ...small, driver, journal };
  for (let half = 0; half < minutes * 120; half++) {
    small.clock.advanceBy(500);
    watching?.(lived);
  }
  return lived;
}

for (const seed of SEEDS) {
  test(`through a violent life no address is held twice, and what runs has addresses of its node (seed ${seed})`, () => {
    const running = (pod: PodObject) => pod.status.phase === 'Running' && isReady(pod) && pod.spec.hostNetwork !== true;
    let checked = 0;
    let looks = 0;
    const lived = live(seed, MINUTES, ({ cluster, api }) => {
      if (looks++ % 4 !== 0) return;
      const shown = new Map<string, string>();
      for (const pod of cluster.pods()) {
        if (!running(pod) || !cluster.isNodeUp(pod.spec.nodeName!)) continue;
        const node = api.get('nodes', undefined, pod.spec.nodeName!) as NodeObject;
        const addresses = pod.status.podIPs!.map(({ ip }) => ip);
        assert.equal(addresses.length, 2, 'dual stack');
        for (const [n, ip] of addresses.entries()) {
          assert.ok(contains(parseCidr(node.spec.podCIDRs![n]!), ip), `${ip} on ${node.metadata.name}`);
          assert.equal(shown.get(ip), undefined, `${ip} is shown by two running pods`);
          shown.set(ip, pod.metadata.uid);
          checked++;
        }
      }
    });
    assert.ok(checked > 20_000, `${checked} addresses checked`);
    const { truth } = lived.cluster;
    const byIp = Map.groupBy(
      truth.tenures.filter(({ hostNetwork }) => !hostNetwork),
      ({ ip }) => ip,
    );
    for (const [ip, tenures] of byIp) {
      for (const [n, tenure] of tenures.entries()) {
        const next = tenures[n + 1];
        assert.ok(tenure.to === undefined || tenure.to >= tenure.from);
        if (next !== undefined) assert.ok(tenure.to! <= next.from, `${ip} is held twice at ${next.from}`);
      }
    }
    assert.ok(Math.max(...[...byIp.values()].map((one) => one.length)) >= 5, 'addresses are really reused');
    const missing = (Object.keys(VIOLENT_CHURN) as (keyof typeof VIOLENT_CHURN)[]).filter(
      (kind) => !lived.driver.counts.has(kind),
    );
    assert.deepEqual(missing, [], 'everything happened');

    lived.driver.stop();
    lived.clock.advanceBy(30 * 60_000);
    lived.until('everything has healed', () => lived.cluster.isSettled, 600);
    // What is held in the end is what the API shows of those that have not ended.
    const open = truth.tenures.filter(({ to, hostNetwork }) => to === undefined && !hostNetwork);
    const reported = [...lived.cluster.pods()]
      .filter((pod) => pod.spec.hostNetwork !== true && !isTerminal(pod) && !isLeaving(pod))
      .flatMap(({ metadata, status }) => status.podIPs!.map(({ ip }) => `${ip} ${metadata.uid}`));
    assert.deepEqual(open.map(({ ip, uid }) => `${ip} ${uid}`).sort(), reported.sort());
  });
}

test('the same seed lives the same life, to the last byte; another seed another one', () => {
  const [one, other, different] = [live(5, 5), live(5, 5), live(6, 5)];
  assert.ok(one.journal.length > 1000);
  assert.deepEqual(one.journal, other.journal);
  assert.deepEqual(one.cluster.truth.tenures, other.cluster.truth.tenures);
  assert.notDeepEqual(one.journal, different.journal);
});

test('a second driver can take over from the first, also with the same seed', () => {
  const { clock, cluster, api } = smallCluster();
  cluster.populate({ pods: 20, daemons: 0 });
  const rates = { job: 1000 };
  for (const seed of [3, 3]) {
    const driver = new ChurnDriver({ cluster, seed, rates, jobKeptSeconds: [600, 600] });
    driver.start();
    clock.advanceBy(60_000);
    driver.stop();
    assert.ok(driver.counts.get('job')! > 30);
  }
  assert.ok(api.list('jobs.batch').length > 60);
});

test('a namespace that is deleted under it does not end a life', () => {
  const { clock, cluster, api } = smallCluster();
  cluster.populate({ pods: 40, daemons: 0 });
  api.create('configmaps', { metadata: { name: 'held', namespace: 'payments', finalizers: ['example.test/held'] } });
  const driver = new ChurnDriver({ cluster, seed: 3, rates: { ...VIOLENT_CHURN, job: 500 } });
  driver.start();
  clock.advanceBy(60_000);
  api.delete('namespaces', undefined, 'payments');
  clock.advanceBy(60_000);
  assert.equal(api.get('namespaces', undefined, 'payments')?.metadata.deletionTimestamp === undefined, false);
  assert.ok(driver.counts.get('job')! > 100);
});

test('the truth agrees with what the pods show, as soon as they had time to report it', () => {
  const late = new Map<string, number>();
  live(11, 10, ({ cluster, clock }) => {
    for (const pod of cluster.pods()) {
      const { uid } = pod.metadata;
      const shows =
        isReady(pod) && !isLeaving(pod) && pod.spec.hostNetwork !== true && cluster.isNodeUp(pod.spec.nodeName!);
      const holds = shows && cluster.truth.heldAt(pod.status.podIP!, clock.now()).some((one) => one.uid === uid);
      if (!shows || holds) late.delete(uid);
      else late.set(uid, (late.get(uid) ?? 0) + 1);
      // A kubelet needs a quarter of a second to report, after a reboot up to six to notice.
      assert.ok((late.get(uid) ?? 0) <= 14, `${pod.metadata.name} shows ${pod.status.podIP} and does not hold it`);
    }
  });
});

for (const seed of SEEDS) {
  test(`after etcd was restored from a backup, pods soon show again what they hold (seed ${seed})`, () => {
    // A pull hides an address for as long as it takes, and a stop that is under way is not shortened.
    const timings = { slowPullChance: 0, stubborn: 0 };
    const { api, clock, cluster } = smallCluster({ seed, nodes: 4, addressOrder: 'lowest', timings });
    cluster.populate({ pods: 40, daemons: 1 });
    clock.advanceBy(60_000);
    const rates = Object.entries(VIOLENT_CHURN).filter(([kind]) => !kind.startsWith('node'));
    const hurried = Object.fromEntries(rates.map(([kind, ms]) => [kind, ms / 4]));
    const driver = new ChurnDriver({ cluster, seed, rates: hurried, jobKeptSeconds: [1, 8] });
    driver.start();
    for (let restore = 0; restore < 10; restore++) {
      clock.advanceBy(20_000);
      api.rewind(Number(api.resourceVersion) - 40 * (restore + 1));
      clock.advanceBy(4_000);
      const hidden = new Map<string, number>();
      for (let half = 0; half < 12; half++) {
        clock.advanceBy(500);
        for (const { ip, uid, hostNetwork, to, from } of cluster.truth.tenures) {
          if (hostNetwork || to !== undefined || clock.now() - from < 4_000) continue;
          const shown = [...cluster.pods()].find((pod) => pod.metadata.uid === uid);
          const isShown = shown?.status.podIPs?.some((one) => one.ip === ip) === true;
          hidden.set(`${ip} ${uid}`, isShown ? 0 : (hidden.get(`${ip} ${uid}`) ?? 0) + 1);
          assert.ok(hidden.get(`${ip} ${uid}`)! < 8, `${shown?.metadata.name ?? uid} holds ${ip} and does not show it`);
        }
      }
    }
  });
}

test('a pod that a restored etcd shows as not bound yet is ended by its old node, wherever it goes then', () => {
  const { api, clock, cluster } = smallCluster({ seed: 14, nodes: 4, addressOrder: 'lowest' });
  const before = Number(api.resourceVersion);
  cluster.populate({ pods: 40, daemons: 1 });
  clock.advanceBy(60_000);
  const uids = new Set([...cluster.pods()].map(({ metadata }) => metadata.uid));
  // All pods have been made, and not all of them have been bound.
  api.rewind(before + Math.floor((Number(api.resourceVersion) - before) / 3));
  const isUnbound = ({ spec, metadata }: PodObject) => uids.has(metadata.uid) && !spec.nodeName;
  assert.ok([...cluster.pods()].some(isUnbound));
  clock.advanceBy(30_000);
  const bound = new Map([...cluster.pods()].map(({ metadata, spec }) => [metadata.uid, spec.nodeName]));
  for (const { uid, node, name, ip, to } of cluster.truth.tenures) {
    if (to === undefined) assert.equal(bound.get(uid), node, `${name} holds ${ip} on ${node}`);
  }
});
