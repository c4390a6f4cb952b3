// Elections on a real Lease: what happens to processes that are killed, stopped and asked to end, and to a leader whose
// API server goes away.
// Runs alone: its leases are of seconds, and a process that gets no processor loses them.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import {
  Client,
  CONFIG_MAPS,
  type ElectionOutcome,
  Informer,
  isObjectDelta,
  jsonCodec,
  type KubeObject,
  LEASES,
  LeaderElector,
  type Lease,
  LeaseLock,
  loadClusterConfig,
} from '@podtrail/machinery';
import { until, useCluster } from './controlplane/index.ts';
import { CandidateProcess, firstLeader } from './election/candidate-process.ts';

const cluster = await useCluster({ needs: ['own control plane'] });
const { skip } = cluster;

// Long enough for a leader that has to wait for the processor now and then: one that loses its lease by that is right
// to, and the test would be about something else.
const TIMING = { leaseDurationMs: 6_000, renewDeadlineMs: 4_500, retryPeriodMs: 400 };
/** A candidate looks at the lease at least this often: the period, stretched by its jitter, and a slow answer. */
const LONGEST_TRY_MS = TIMING.retryPeriodMs * 2.2 + 1_000;

/** A namespace with a Lease and a ConfigMap to write into, and everything that is ever written into them. */
class Arena {
  readonly leases: Lease[] = [];
  readonly writers: string[] = [];
  readonly namespace: string;
  readonly #t: TestContext;

  static async open(t: TestContext): Promise<Arena> {
    const arena = new Arena(t, await cluster.namespace(t));
    await arena.kubectl('create', 'configmap', 'journal');
    const { transport } = await connect(t);
    const { namespace } = arena;
    const leases = new Informer({
      transport,
      resource: LEASES,
      codec: jsonCodec<Lease>('coordination.k8s.io/v1', 'Lease'),
      namespace,
    });
    leases.addHandler({ onDelta: (delta) => void (isObjectDelta(delta) && arena.leases.push(delta.object)) });
    const maps = new Informer({ transport, resource: CONFIG_MAPS, codec: jsonCodec('v1', 'ConfigMap'), namespace });
    maps.addHandler({ onDelta: (delta) => void (isObjectDelta(delta) && arena.writers.push(writerOf(delta.object))) });
    const stop = new AbortController();
    t.after(() => stop.abort());
    for (const informer of [leases, maps]) void informer.start(stop.signal);
    await Promise.all([leases.waitForSync(), maps.waitForSync()]);
    return arena;
  }

  private constructor(t: TestContext, namespace: string) {
    this.#t = t;
    this.namespace = namespace;
  }

  kubectl(...args: string[]): Promise<string> {
    return cluster.kubectl(['-n', this.namespace, ...args]);
  }

  /** Each candidate is a user of its own, so that the audit log distinguishes them. */
  async candidate(identity: string): Promise<CandidateProcess> {
    const kubeconfig = await cluster.controlPlane.kubeconfig({ user: identity, groups: ['system:masters'] });
    const { namespace } = this;
    const settings = { kubeconfig, namespace, lease: 'lead', journal: 'journal', identity, timing: TIMING };
    return new CandidateProcess(this.#t, settings);
  }

  /** Who held the lease, one after the other; '' is nobody. */
  async assertHolders(...holders: string[]): Promise<void> {
    const seen = () => withoutRepetitions(this.leases.map((lease) => lease.spec?.holderIdentity ?? ''));
    await until(`${holders.at(-1)} is seen to hold the lease`, () => seen().at(-1) === holders.at(-1));
    assert.deepEqual(seen(), holders);
  }

  /** Milliseconds between the last renewal by `before` and the first record of `next`, by the times they wrote. */
  handover(before: CandidateProcess, next: CandidateProcess): number {
    const renewed = this.leases.filter((lease) => lease.spec?.holderIdentity === before.identity).at(-1);
    const acquired = this.leases.find((lease) => lease.spec?.holderIdentity === next.identity);
    return Date.parse(acquired?.spec?.acquireTime ?? '') - Date.parse(renewed?.spec?.renewTime ?? '');
  }

  async untilWrites(by: string): Promise<void> {
    await until(`${by} writes`, () => this.writers.at(-1) === by);
  }

  /** Invariant: one writer at a time. A former writer that comes back would show as a third turn. */
  assertTurns(...writers: string[]): void {
    assert.deepEqual(withoutRepetitions(this.writers), ['', ...writers]);
  }
}

async function connect(t: TestContext, kubeconfig = cluster.kubeconfig): Promise<Client> {
  const client = Client.connect(await loadClusterConfig({ kubeconfig }));
  t.after(() => client.close());
  return client;
}

function writerOf(map: KubeObject): string {
  return (map['data'] as { writer?: string } | undefined)?.writer ?? '';
}

function withoutRepetitions(values: readonly string[]): string[] {
  return values.filter((value, i) => value !== values[i - 1]);
}

test('of three candidates one leads; when it is killed another one does, after the lease and not before', {
  skip,
}, async (t) => {
  const arena = await Arena.open(t);
  const candidates = await Promise.all(['a', 'b', 'c'].map((name) => arena.candidate(name)));
  const first = await firstLeader(candidates);
  const standbys = candidates.filter((candidate) => candidate !== first);
  await Promise.all(candidates.map((candidate) => candidate.sawLeader(first.identity)));
  await arena.untilWrites(first.identity);
  assert.equal(candidates.filter((candidate) => candidate.has('leads')).length, 1);
  first.signal('SIGKILL');
  const second = await firstLeader(standbys);
  await arena.untilWrites(second.identity);
  await Promise.all(standbys.map((candidate) => candidate.sawLeader(second.identity)));
  assert.equal(standbys.filter((candidate) => candidate.has('leads')).length, 1);
  arena.assertTurns(first.identity, second.identity);
  await arena.assertHolders(first.identity, second.identity);
  assert.equal(arena.leases.at(-1)?.spec?.leaseTransitions, 1);
  assert.equal((await second.said('leads')).transitions, 1);
  const handover = arena.handover(first, second);
  assert.ok(handover >= TIMING.leaseDurationMs, `${handover} ms`);
  assert.ok(handover <= TIMING.leaseDurationMs + 2 * LONGEST_TRY_MS, `${handover} ms`);
});

test('fault 22: a leader stopped past its lease and continued sends no write, and says so with its code', {
  skip,
}, async (t) => {
  const arena = await Arena.open(t);
  const stopped = await arena.candidate('stopped');
  await arena.untilWrites('stopped');
  const next = await arena.candidate('next');
  await next.sawLeader('stopped');
  stopped.signal('SIGSTOP');
  await next.said('leads');
  await arena.untilWrites('next');
  stopped.signal('SIGCONT');
  const failure = await stopped.said('write-failed');
  assert.equal(failure.code, 'not-leader');
  assert.equal(failure.saidLeader, false);
  assert.ok(failure.pauseMs > TIMING.renewDeadlineMs, `the first write after a pause of ${failure.pauseMs} ms`);
  const { outcome } = await stopped.said('ended');
  assert.equal(outcome.kind, 'lost');
  arena.assertTurns('stopped', 'next');
  const writes = (await cluster.controlPlane.auditLog()).filter(
    ({ verb, objectRef }) =>
      verb === 'update' && objectRef?.resource === 'configmaps' && objectRef.namespace === arena.namespace,
  );
  const lastOfStopped = writes.findLastIndex((event) => event.user.username === 'stopped');
  const firstOfNext = writes.findIndex((event) => event.user.username === 'next');
  assert.ok(0 <= lastOfStopped && lastOfStopped < firstOfNext, `${lastOfStopped} ${firstOfNext}`);
});

test('a leader asked to end releases the lease, and the standby need not wait for it to run out', {
  skip,
}, async (t) => {
  const arena = await Arena.open(t);
  const polite = await arena.candidate('polite');
  await arena.untilWrites('polite');
  const standby = await arena.candidate('standby');
  await standby.sawLeader('polite');
  polite.signal('SIGTERM');
  const { outcome } = await polite.said('ended');
  const released = performance.now();
  assert.deepEqual(outcome, { kind: 'cancelled', led: true, released: true });
  await standby.said('leads');
  assert.ok(performance.now() - released < TIMING.leaseDurationMs, `${performance.now() - released} ms`);
  await arena.untilWrites('standby');
  arena.assertTurns('polite', 'standby');
  await arena.assertHolders('polite', '', 'standby');
  assert.equal(arena.leases.at(-1)?.spec?.leaseTransitions, 1);
});

test("others' labels, annotations and fields on the lease survive its renewals", { skip }, async (t) => {
  const arena = await Arena.open(t);
  await arena.candidate('holder');
  await arena.untilWrites('holder');
  await arena.kubectl('label', 'lease', 'lead', 'team=platform');
  await arena.kubectl('annotate', 'lease', 'lead', 'example.com/note=kept');
  await arena.kubectl(
    'patch',
    'lease',
    'lead',
    '--type=merge',
    '-p',
    '{"metadata":{"finalizers":["example.com/hold"]}}',
  );
  const seen = arena.leases.length;
  await until('three renewals more', () => arena.leases.length >= seen + 3);
  const { metadata, spec } = arena.leases.at(-1)!;
  assert.deepEqual(metadata.labels, { team: 'platform' });
  assert.deepEqual(metadata.annotations, { 'example.com/note': 'kept' });
  assert.deepEqual(metadata.finalizers, ['example.com/hold']);
  assert.equal(spec?.holderIdentity, 'holder');
  assert.equal(spec?.leaseTransitions, 0);
  arena.assertTurns('holder');
  await arena.kubectl('patch', 'lease', 'lead', '--type=merge', '-p', '{"metadata":{"finalizers":null}}');
});

test('an outage shorter than the renew deadline leaves the leader in office, a longer one ends its term by itself', {
  skip,
}, async (t) => {
  const { apiserver } = cluster.controlPlane;
  const namespace = await cluster.namespace(t);
  const client = (await connect(t)).resource<Lease>(LEASES, namespace);
  const timing = { leaseDurationMs: 5_000, renewDeadlineMs: 4_000, retryPeriodMs: 300 };
  const changes: boolean[] = [];
  let slowPaths = 0;
  const elector = new LeaderElector({
    ...timing,
    lock: new LeaseLock({ client, namespace, name: 'lead', identity: 'me' }),
    metrics: { leading: (leads) => changes.push(leads), slowPath: () => slowPaths++ },
  });
  const stop = new AbortController();
  t.after(() => stop.abort());
  let outcome: ElectionOutcome | undefined;
  const ended = elector.run(stop.signal).then((ended) => (outcome = ended));
  await until('it leads', () => elector.isLeader());
  const renewTime = async () => (await client.get('lead')).spec?.renewTime;

  await apiserver.pause();
  await until('a renewal has failed', () => slowPaths > 0, { everyMs: 10 });
  await apiserver.resume();
  assert.ok(elector.isLeader());
  const before = await renewTime();
  await until('it renews again', async () => (await renewTime()) !== before);
  assert.deepEqual(changes, [false, true], 'never lost in between');

  await apiserver.kill();
  const lastSeen = performance.now();
  await until('it no longer claims to lead', () => !elector.isLeader(), { everyMs: 10 });
  assert.ok(performance.now() - lastSeen <= timing.renewDeadlineMs + 500, 'before the lease runs out for others');
  await ended;
  assert.deepEqual(outcome, { kind: 'lost', reason: 'deadline', holder: 'me' });
  assert.deepEqual(changes, [false, true, false]);
  await apiserver.start();
});
