import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { electionHealthCheck } from '../controller/election-health.ts';
import { ConfigError, ConnectionError } from '../errors.ts';
import { seededRandom } from '../random.ts';
import { ManualClock, settle } from '../testing/manual-clock.ts';
import { MemoryResourceClient, refusal } from '../testing/memory-resource-client.ts';
import {
  type ElectionCallbacks,
  type ElectionOutcome,
  LeaderElector,
  type LeaderElectorOptions,
} from './leader-elector.ts';
import type { Lease, LeaseSpec } from './lease.ts';
import { LeaseLock } from './lease-lock.ts';

/** Its monotonic time can jump without any timer firing, as for a process that got SIGSTOP and then SIGCONT. */
class StoppableClock extends ManualClock {
  stoppedFor = 0;
  override monotonic(): number {
    return super.monotonic() + this.stoppedFor;
  }
}

interface Candidate {
  readonly elector: LeaderElector;
  readonly lock: LeaseLock;
  readonly stop: AbortController;
  readonly log: string[];
  readonly errors: unknown[];
  outcome: ElectionOutcome | undefined;
  workSignal: AbortSignal | undefined;
  done: Promise<ElectionOutcome>;
}

class Cluster {
  readonly clock = new StoppableClock();
  readonly leases = new MemoryResourceClient<Lease>({ namespace: 'ns' });

  candidate(
    identity: string,
    options: Partial<LeaderElectorOptions> = {},
  ): Omit<Candidate, 'done'> & { done?: Candidate['done'] } {
    const lock = new LeaseLock({ client: this.leases, namespace: 'ns', name: 'lock', identity });
    const errors: unknown[] = [];
    const log: string[] = [];
    const elector = new LeaderElector({
      lock,
      clock: this.clock,
      random: seededRandom(1),
      onError: (e) => errors.push(e),
      onLeaseEvent: (lease, message) => log.push(`event ${lease?.metadata.name} ${message}`),
      metrics: { leading: (on) => log.push(on ? 'metric on' : 'metric off'), slowPath: () => log.push('slow path') },
      ...options,
    });
    return { elector, lock, errors, log, stop: new AbortController(), outcome: undefined, workSignal: undefined };
  }

  start(identity: string, options: Partial<LeaderElectorOptions> = {}, callbacks: ElectionCallbacks = {}): Candidate {
    const candidate = this.candidate(identity, options) as Candidate;
    candidate.done = candidate.elector
      .run(candidate.stop.signal, {
        onStartedLeading: (signal) => {
          candidate.workSignal = signal;
          candidate.log.push('started');
        },
        onStoppedLeading: (outcome) => candidate.log.push(`stopped ${outcome.kind}`),
        onNewLeader: (leader) => candidate.log.push(`leader ${leader}`),
        ...callbacks,
      })
      .then((outcome) => (candidate.outcome = outcome));
    return candidate;
  }

  spec(): LeaseSpec | undefined {
    return this.leases.peek('lock')?.spec;
  }

  verbs(): string[] {
    return this.leases.calls.map((c) => c.verb);
  }
}

const held = (holder: string, seconds?: number): LeaseSpec => ({
  holderIdentity: holder,
  ...(seconds === undefined ? {} : { leaseDurationSeconds: seconds }),
});

describe('leader elector', () => {
  test('a lease is acquired when nobody holds it or its holder stayed silent, and else is not', async (t) => {
    const table: Record<string, { spec?: LeaseSpec | null; waitMs?: number; leads: boolean; transitions: number }> = {
      'there is no object': { leads: true, transitions: 0 },
      'the object has no spec': { spec: null, leads: true, transitions: 1 },
      'the holder did not renew for its lease duration': {
        spec: held('bing', 3),
        waitMs: 6500,
        leads: true,
        transitions: 1,
      },
      'the spec is empty': { spec: {}, leads: true, transitions: 1 },
      'the holder never said for how long': { spec: held('bing'), leads: true, transitions: 1 },
      'the holder released it': { spec: held('', 1), leads: true, transitions: 1 },
      'the holder is within its lease duration': { spec: held('bing', 3), waitMs: 2900, leads: false, transitions: 0 },
      'we hold it already': { spec: held('baz', 15), leads: true, transitions: 0 },
    };
    for (const [name, row] of Object.entries(table)) {
      await t.test(name, async () => {
        const cluster = new Cluster();
        if (row.spec !== undefined) {
          await cluster.leases.create({ metadata: { name: 'lock' }, ...(row.spec === null ? {} : { spec: row.spec }) });
        }
        const baz = cluster.start('baz');
        await cluster.clock.advance(row.waitMs ?? 0);
        assert.equal(baz.elector.isLeader(), row.leads);
        assert.equal(baz.elector.leader, row.leads ? 'baz' : 'bing');
        assert.equal(cluster.spec()?.holderIdentity, row.leads ? 'baz' : 'bing');
        assert.equal(baz.elector.transitions, row.transitions);
        assert.ok(baz.log.includes(row.leads ? 'leader baz' : 'leader bing'));
        baz.stop.abort();
        await baz.done;
      });
    }
  });

  test('a holder that keeps renewing is never overtaken, whatever times its record shows', async () => {
    const cluster = new Cluster();
    await cluster.leases.create({
      metadata: { name: 'lock' },
      spec: { ...held('bing', 3), renewTime: '1999-01-01T00:00:00.000000Z' },
    });
    const baz = cluster.start('baz');
    for (let i = 0; i < 20; i++) {
      await cluster.clock.advance(1000);
      await cluster.leases.patch('lock', {
        kind: 'merge',
        body: { spec: { renewTime: `1999-01-01T00:00:${String(i + 1).padStart(2, '0')}.000000Z` } },
      });
    }
    assert.equal(baz.elector.isLeader(), false);
    cluster.clock.jumpWall(3_600_000);
    await cluster.clock.advance(0);
    assert.equal(baz.elector.isLeader(), false);
    await cluster.clock.advance(8000);
    assert.equal(baz.elector.isLeader(), true);
    baz.stop.abort();
    await baz.done;
  });

  test('once acquired, the lease is renewed with one update each time', async () => {
    const cluster = new Cluster();
    const baz = cluster.start('baz');
    await settle();
    await cluster.clock.advance(4000);
    assert.deepEqual(cluster.verbs(), ['get', 'create', 'update', 'update']);
    assert.equal(baz.log.includes('slow path'), false);
    baz.stop.abort();
    await baz.done;
  });

  test('a conflict on the fast path reads the lease again and goes on', async () => {
    const cluster = new Cluster();
    const baz = cluster.start('baz');
    await settle();
    await cluster.clock.advance(2000);
    await cluster.leases.patch('lock', { kind: 'merge', body: { metadata: { labels: { a: 'b' } } } });
    await cluster.clock.advance(4000);
    assert.deepEqual(cluster.verbs(), ['get', 'create', 'update', 'patch', 'update', 'get', 'update', 'update']);
    assert.ok(baz.log.includes('slow path'));
    assert.equal(baz.elector.isLeader(), true);
    assert.deepEqual(cluster.leases.peek('lock')?.metadata.labels, { a: 'b' });
    baz.stop.abort();
    await baz.done;
  });

  test('the record says when the holder acquired the lease and when it renewed it', async () => {
    const cluster = new Cluster();
    await cluster.leases.create({
      metadata: { name: 'lock' },
      spec: { ...held('', 1), acquireTime: '1999-01-01T00:00:00.000000Z' },
    });
    const baz = cluster.start('baz');
    await cluster.clock.advance(2000);
    const { acquireTime, renewTime } = cluster.spec() ?? {};
    assert.deepEqual([acquireTime, renewTime], ['2026-01-01T00:00:00.000000Z', '2026-01-01T00:00:02.000000Z']);
    baz.stop.abort();
    await baz.done;
  });

  test('strategy, preferred holder and unknown fields survive acquisition, renewal and release', async () => {
    const cluster = new Cluster();
    const foreign = { strategy: 'OldestEmulationVersion', preferredHolder: 'bing', future: { x: 1 } };
    await cluster.leases.create({ metadata: { name: 'lock' }, spec: { ...held('', 1), ...foreign } });
    const baz = cluster.start('baz');
    const kept = () => {
      const { strategy, preferredHolder, future } = cluster.spec() ?? {};
      return { strategy, preferredHolder, future };
    };
    await cluster.clock.advance(5000);
    assert.equal(cluster.spec()?.holderIdentity, 'baz');
    assert.deepEqual(kept(), foreign);
    baz.stop.abort();
    await baz.done;
    assert.equal(cluster.spec()?.holderIdentity, '');
    assert.deepEqual(kept(), foreign);
  });

  test('a lease deleted under the leader is created again', async () => {
    const cluster = new Cluster();
    const baz = cluster.start('baz');
    await settle();
    await cluster.leases.delete('lock');
    await cluster.clock.advance(2000);
    assert.equal(cluster.spec()?.holderIdentity, 'baz');
    assert.equal(baz.elector.isLeader(), true);
    baz.stop.abort();
    await baz.done;
  });

  test('of two candidates that create the lease at once one leads and the other waits', async () => {
    const cluster = new Cluster();
    const one = cluster.start('one');
    const two = cluster.start('two', { random: seededRandom(2) });
    await cluster.clock.advance(6000);
    assert.deepEqual([one.elector.isLeader(), two.elector.isLeader()], [true, false]);
    assert.equal(two.elector.leader, 'one');
    one.stop.abort();
    await one.done;
    await cluster.clock.advance(4400);
    assert.equal(two.elector.isLeader(), true);
    assert.equal(two.elector.transitions, 1);
    two.stop.abort();
    await two.done;
  });

  test('tries to acquire are spread between one and 2.2 retry periods', async () => {
    const cluster = new Cluster();
    await cluster.leases.create({ metadata: { name: 'lock' }, spec: held('bing', 1000) });
    const baz = cluster.start('baz', { random: () => 0.5 });
    await settle();
    assert.deepEqual(cluster.clock.delays, [3200]);
    baz.stop.abort();
    assert.deepEqual(await baz.done, { kind: 'cancelled', led: false, released: false });
    assert.equal(cluster.spec()?.holderIdentity, 'bing');
    assert.equal(baz.log.includes('stopped cancelled'), false);
  });

  describe('release', () => {
    test('a cancelled leader leaves the lease without a holder, for one second', async () => {
      const cluster = new Cluster();
      await cluster.leases.create({ metadata: { name: 'lock' }, spec: { ...held('', 1), leaseTransitions: 4 } });
      const baz = cluster.start('baz');
      await settle();
      baz.stop.abort();
      assert.deepEqual(await baz.done, { kind: 'cancelled', led: true, released: true });
      const { holderIdentity, leaseDurationSeconds, leaseTransitions } = cluster.spec() ?? {};
      assert.deepEqual([holderIdentity, leaseDurationSeconds, leaseTransitions], ['', 1, 5]);
      assert.equal(baz.elector.leader, '');
      assert.deepEqual(baz.log, [
        'metric off',
        'leader baz',
        'metric on',
        'event lock became leader',
        'started',
        'metric off',
        'leader ',
        'event lock stopped leading',
        'stopped cancelled',
      ]);
    });

    test('a release reads the lease first and does not touch one that is not ours any more', async () => {
      const cluster = new Cluster();
      const baz = cluster.start('baz');
      await settle();
      await cluster.leases.patch('lock', { kind: 'merge', body: { spec: held('thief', 15) } });
      const before = cluster.verbs().length;
      baz.stop.abort();
      assert.deepEqual(await baz.done, { kind: 'cancelled', led: true, released: false });
      assert.deepEqual(cluster.verbs().slice(before), ['get']);
      assert.equal(cluster.spec()?.holderIdentity, 'thief');
    });

    test('a cancellation during a renewal still releases the lease', async () => {
      const cluster = new Cluster();
      const baz = cluster.start('baz');
      await settle();
      let renewing = false;
      cluster.leases.interceptNext('update', (_call, options) => {
        renewing = true;
        return new Promise((_resolve, reject) =>
          options.signal?.addEventListener('abort', () => reject(options.signal?.reason)),
        );
      });
      await cluster.clock.advance(2000);
      assert.ok(renewing);
      baz.stop.abort();
      assert.deepEqual(await baz.done, { kind: 'cancelled', led: true, released: true });
      assert.equal(cluster.spec()?.holderIdentity, '');
      assert.deepEqual(baz.errors, []);
      assert.equal(baz.log.includes('slow path'), false);
    });

    test('a renewal that lands during the release only delays it', async () => {
      const cluster = new Cluster();
      const baz = cluster.start('baz');
      await settle();
      cluster.leases.interceptNext('update', async () => {
        await cluster.leases.patch('lock', { kind: 'merge', body: { spec: { renewTime: 'late' } } });
      });
      baz.stop.abort();
      assert.deepEqual(await baz.done, { kind: 'cancelled', led: true, released: true });
      assert.equal(cluster.spec()?.holderIdentity, '');
    });

    test('the lease is released only after the guarded work has ended', async () => {
      const cluster = new Cluster();
      const { promise: work, resolve: endWork } = Promise.withResolvers<void>();
      const baz = cluster.start('baz', {}, { onStartedLeading: () => work });
      await settle();
      baz.stop.abort();
      await settle();
      assert.equal(cluster.spec()?.holderIdentity, 'baz');
      assert.equal(baz.elector.isLeader(), false);
      endWork();
      await baz.done;
      assert.equal(cluster.spec()?.holderIdentity, '');
    });

    test('work that does not end before the deadline keeps the lease from being released', async () => {
      const cluster = new Cluster();
      const baz = cluster.start('baz', {}, { onStartedLeading: () => new Promise(() => {}) });
      await settle();
      baz.stop.abort();
      await cluster.clock.advance(10_000);
      assert.deepEqual(await baz.done, { kind: 'cancelled', led: true, released: false });
      assert.equal(cluster.spec()?.holderIdentity, 'baz');
    });

    test('without release on cancel the lease is left to run out', async () => {
      const cluster = new Cluster();
      const baz = cluster.start('baz', { releaseOnCancel: false });
      await settle();
      baz.stop.abort();
      assert.deepEqual(await baz.done, { kind: 'cancelled', led: true, released: false });
      assert.equal(cluster.spec()?.holderIdentity, 'baz');
    });
  });

  describe('loss', () => {
    test('a leader that cannot renew stops at its deadline, before anybody else may start', async () => {
      const cluster = new Cluster();
      const baz = cluster.start('baz');
      const next = cluster.start('next', { random: () => 0 });
      await settle();
      const broken = new ConnectionError('refused', 'nobody listens');
      cluster.leases.failNext('update', broken, 100);
      cluster.leases.failNext('get', broken, 10);
      await cluster.clock.advance(9999);
      assert.equal(baz.elector.isLeader(), true);
      await cluster.clock.advance(1);
      assert.equal(baz.elector.isLeader(), false);
      assert.equal(baz.workSignal?.aborted, true);
      assert.deepEqual(baz.outcome, { kind: 'lost', reason: 'deadline', holder: 'baz' });
      assert.ok(baz.errors.includes(broken));
      assert.equal(next.elector.isLeader(), false);
      assert.equal(cluster.spec()?.holderIdentity, 'baz', 'a lost lease is not written to');
      next.stop.abort();
      await next.done;
    });

    test('a renewal that hangs does not move the deadline', async () => {
      const cluster = new Cluster();
      const baz = cluster.start('baz');
      await settle();
      for (const verb of ['update', 'get', 'update', 'get'] as const) {
        cluster.leases.interceptNext(verb, () => new Promise(() => {}));
      }
      await cluster.clock.advance(10_000);
      assert.deepEqual(baz.outcome, { kind: 'lost', reason: 'deadline', holder: 'baz' });
    });

    test('the deadline counts from the start of a renewal, not from its answer', async () => {
      const cluster = new Cluster();
      const baz = cluster.start('baz');
      await settle();
      const { promise: slow, resolve: answer } = Promise.withResolvers<void>();
      cluster.leases.interceptNext('update', () => slow);
      await cluster.clock.advance(2000);
      await cluster.clock.advance(3000);
      answer();
      await settle();
      cluster.leases.failNext('update', new ConnectionError('refused', 'nobody listens'), 100);
      cluster.leases.failNext('get', new ConnectionError('refused', 'nobody listens'), 100);
      await cluster.clock.advance(6999);
      assert.equal(baz.elector.isLeader(), true);
      await cluster.clock.advance(1);
      assert.equal(baz.elector.isLeader(), false);
      await baz.done;
    });

    test('a leader that finds another holder stops at once', async () => {
      const cluster = new Cluster();
      const baz = cluster.start('baz');
      await settle();
      await cluster.leases.patch('lock', { kind: 'merge', body: { spec: held('thief', 15) } });
      await cluster.clock.advance(2000);
      assert.deepEqual(baz.outcome, { kind: 'lost', reason: 'taken', holder: 'thief' });
      assert.equal(baz.workSignal?.aborted, true);
      assert.ok(baz.log.includes('leader thief'));
      assert.ok(baz.log.includes('stopped lost'));
      assert.equal(cluster.spec()?.holderIdentity, 'thief');
    });

    test('a leader whose holder field was emptied by hand steps down instead of taking it back', async () => {
      const cluster = new Cluster();
      const baz = cluster.start('baz');
      await settle();
      await cluster.leases.patch('lock', { kind: 'merge', body: { spec: held('', 15) } });
      await cluster.clock.advance(2000);
      assert.deepEqual(baz.outcome, { kind: 'lost', reason: 'taken', holder: '' });
    });

    test('fault 22: a leader stopped past its deadline knows it at once when it goes on, and writes nothing', async () => {
      const cluster = new Cluster();
      const baz = cluster.start('baz');
      await settle();
      await cluster.clock.advance(2000);
      const before = cluster.verbs().length;
      cluster.clock.stoppedFor = 10_000;
      assert.equal(baz.elector.isLeader(), false, 'no timer has fired yet');
      assert.equal(baz.workSignal?.aborted, false);
      await cluster.clock.advance(2000);
      assert.equal(baz.workSignal?.aborted, true);
      assert.deepEqual(baz.outcome, { kind: 'lost', reason: 'deadline', holder: 'baz' });
      assert.deepEqual(cluster.verbs().slice(before), []);
      assert.deepEqual(baz.errors, []);
    });

    test('fault 22: a leader stopped between its read and its write does not write', async () => {
      const cluster = new Cluster();
      const baz = cluster.start('baz');
      await settle();
      cluster.leases.failNext('update', refusal(409, 'Conflict', 'modified'));
      cluster.leases.interceptNext('get', () => {
        cluster.clock.stoppedFor = 10_000;
      });
      await cluster.clock.advance(2000);
      assert.deepEqual(baz.outcome, { kind: 'lost', reason: 'deadline', holder: 'baz' });
      assert.deepEqual(cluster.verbs(), ['get', 'create', 'update', 'get']);
    });

    test('an acquisition whose answer came after the deadline is not used', async () => {
      const cluster = new Cluster();
      cluster.leases.interceptNext('create', () => {
        cluster.clock.stoppedFor = 10_000;
      });
      const baz = cluster.start('baz');
      await settle();
      assert.equal(baz.elector.isLeader(), false);
      assert.equal(baz.workSignal, undefined);
      await cluster.clock.advance(4400);
      assert.equal(baz.elector.isLeader(), true);
      baz.stop.abort();
      await baz.done;
    });

    test('a write whose answer was lost is found on the next try', async () => {
      const cluster = new Cluster();
      cluster.leases.loseReplyOfNext('create');
      const baz = cluster.start('baz');
      await cluster.clock.advance(4400);
      assert.equal(baz.elector.isLeader(), true);
      assert.equal(baz.elector.transitions, 0);
      baz.stop.abort();
      await baz.done;
    });
  });

  test('callbacks that throw are reported and do not end the election', async () => {
    const cluster = new Cluster();
    const fail = (name: string) => () => {
      throw new Error(name);
    };
    const baz = cluster.start(
      'baz',
      {},
      { onStartedLeading: fail('started'), onNewLeader: fail('leader'), onStoppedLeading: fail('stopped') },
    );
    await cluster.clock.advance(4000);
    assert.equal(baz.elector.isLeader(), true);
    baz.stop.abort();
    await baz.done;
    const messages = baz.errors.map((e) => (e as Error).message);
    assert.deepEqual(messages, ['leader', 'started', 'leader', 'stopped']);
  });

  test('an elector without hooks leads just the same', async () => {
    const cluster = new Cluster();
    const lock = new LeaseLock({ client: cluster.leases, namespace: 'ns', name: 'lock', identity: 'bare' });
    const elector = new LeaderElector({ lock, clock: cluster.clock, random: seededRandom(1) });
    const stop = new AbortController();
    const done = elector.run(stop.signal);
    await settle();
    assert.equal(elector.isLeader(), true);
    stop.abort();
    assert.equal((await done).kind, 'cancelled');
  });

  test('timings that would allow two leaders, and an empty identity, are refused with a hint', () => {
    const cluster = new Cluster();
    const refused: Partial<LeaderElectorOptions>[] = [
      { leaseDurationMs: 10_000, renewDeadlineMs: 10_000 },
      { renewDeadlineMs: 2400, retryPeriodMs: 2000 },
      { leaseDurationMs: 0 },
      { renewDeadlineMs: 0 },
      { retryPeriodMs: 0 },
      { retryPeriodMs: Number.NaN },
    ];
    for (const options of refused) {
      assert.throws(
        () => cluster.candidate('baz', options),
        (e) => e instanceof ConfigError && e.hint !== undefined,
        JSON.stringify(options),
      );
    }
    assert.throws(() => cluster.candidate(''), ConfigError);
    cluster.candidate('baz', { leaseDurationMs: 15_000, renewDeadlineMs: 2000, retryPeriodMs: 1000 });
  });

  test('a lease duration of a fraction of a second is written rounded up', async () => {
    const cluster = new Cluster();
    const baz = cluster.start('baz', { leaseDurationMs: 1500, renewDeadlineMs: 1200, retryPeriodMs: 200 });
    await settle();
    assert.equal(cluster.spec()?.leaseDurationSeconds, 2);
    baz.stop.abort();
    await baz.done;
  });

  test('only a holder whose lease ran out more than the tolerance ago is unhealthy', async () => {
    const cluster = new Cluster();
    let baz: Candidate | undefined;
    const check = electionHealthCheck(() => baz?.elector, 20_000);
    assert.deepEqual(check(), { ok: true }, 'there is no elector yet');
    baz = cluster.start('baz');
    await settle();
    assert.deepEqual(check(), { ok: true }, 'the lease is fresh');
    cluster.leases.failNext('update', new ConnectionError('refused', 'nobody listens'), 100);
    cluster.leases.failNext('get', new ConnectionError('refused', 'nobody listens'), 100);
    await cluster.clock.advance(35_000);
    assert.deepEqual(check(), { ok: true }, 'run out, within the tolerance');
    await cluster.clock.advance(1);
    assert.deepEqual(await check(), { ok: false, reason: 'the leader lease ran out 20 s ago and was not renewed' });

    const other = new Cluster();
    await other.leases.create({ metadata: { name: 'lock' }, spec: held('bing', 1000) });
    const standby = other.start('standby');
    await other.clock.advance(900_000);
    assert.deepEqual(electionHealthCheck(() => standby.elector, 0)(), { ok: true }, 'held by another');
    standby.stop.abort();
    await standby.done;
  });
});
