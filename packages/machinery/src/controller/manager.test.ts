import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { LeaderElector } from '../election/leader-elector.ts';
import type { Lease } from '../election/lease.ts';
import { LeaseLock } from '../election/lease-lock.ts';
import { ConnectionError, MachineryError } from '../errors.ts';
import { seededRandom } from '../random.ts';
import { ManualClock, settle } from '../testing/manual-clock.ts';
import { MemoryResourceClient } from '../testing/memory-resource-client.ts';
import { Controller, type ControllerOptions, type Reconciler } from './controller.ts';
import { formatHealth } from './health.ts';
import type { ManagedSource } from './managed-source.ts';
import { Manager } from './manager.ts';
import type { ManagerOptions } from './manager-parts.ts';
import type { ManagerOutcome } from './manager-run.ts';
import { DONE } from './outcome.ts';

class Source implements ManagedSource {
  readonly name: string;
  readonly log: string[];
  synced = false;
  starts = 0;
  readonly #sync = Promise.withResolvers<void>();

  constructor(name: string, log: string[] = []) {
    this.name = name;
    this.log = log;
  }

  start(signal: AbortSignal): void {
    this.starts++;
    this.log.push(`${this.name} started`);
    signal.addEventListener('abort', () => this.log.push(`${this.name} stopped`));
  }

  waitForSync(signal?: AbortSignal): Promise<void> {
    signal?.addEventListener('abort', () => this.#sync.reject(signal.reason));
    return this.#sync.promise;
  }

  finish(): void {
    this.synced = true;
    this.#sync.resolve();
  }
}

class World {
  readonly clock = new ManualClock();
  readonly log: string[] = [];
  readonly leases = new MemoryResourceClient<Lease>();
  readonly stop = new AbortController();
  manager = new Manager({ clock: this.clock });
  elector: LeaderElector | undefined;
  outcome: ManagerOutcome | undefined;

  elected(options: Partial<ManagerOptions> = {}): this {
    const lock = new LeaseLock({ client: this.leases, namespace: 'ns', name: 'lock', identity: 'me' });
    this.elector = new LeaderElector({ lock, clock: this.clock, random: seededRandom(1) });
    this.manager = new Manager({ clock: this.clock, election: this.elector, ...options });
    return this;
  }

  controller(
    name: string,
    reconcile: Reconciler<string>,
    options: Partial<ControllerOptions<string>> = {},
  ): Controller {
    const { clock } = this;
    const controller = new Controller({ name, reconcile, clock, random: seededRandom(1), ...options });
    this.manager.addController(controller);
    return controller;
  }

  /** A reconciler that logs each pass, and whether it may write. */
  logging(name: string): Reconciler<string> {
    return (key, context) => {
      this.log.push(`${name} ${key} ${context.isLeader()}`);
      return DONE;
    };
  }

  run(): Promise<ManagerOutcome> {
    return this.manager.run(this.stop.signal).then((outcome) => (this.outcome = outcome));
  }

  async heldBy(holder: string): Promise<void> {
    await this.leases.create({
      metadata: { name: 'lock' },
      spec: { holderIdentity: holder, leaseDurationSeconds: 15 },
    });
  }
}

const obeying: Reconciler<string> = (_key, { signal }) =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
const deaf: Reconciler<string> = () => new Promise(() => {});

describe('manager', () => {
  test('tasks start before sources, each reconciler once its own sources are in sync', async () => {
    const world = new World();
    const pods = new Source('pods', world.log);
    const nodes = new Source('nodes', world.log);
    const one = world.controller('one', world.logging('one'), { sources: [pods] });
    const two = world.controller('two', world.logging('two'), { sources: [pods, nodes] });
    world.manager.addTask({
      name: 'server',
      run: async (signal) => {
        world.log.push('server started');
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        world.log.push('server stopped');
      },
    });
    const run = world.run();
    one.enqueue('a');
    two.enqueue('b');
    pods.finish();
    await settle();
    assert.deepEqual(world.log, ['server started', 'pods started', 'nodes started', 'one a true']);
    assert.equal(pods.starts, 1, 'a shared source is started once');
    assert.equal(world.manager.phase, 'syncing');
    nodes.finish();
    await settle();
    assert.deepEqual(world.log.slice(4), ['two b true']);
    assert.equal(world.manager.phase, 'active');
    world.stop.abort();
    const outcome = await run;
    assert.deepEqual(outcome, { kind: 'stopped', cutOff: [], leftQueued: 0 });
    assert.deepEqual(world.log.slice(5).toSorted(), ['nodes stopped', 'pods stopped', 'server stopped']);
    assert.equal(world.clock.pending, 0);
  });

  test('a warm standby keeps its caches and queue filled, and reconciles when it is elected', async () => {
    const world = new World().elected();
    await world.heldBy('other');
    const pods = new Source('pods', world.log);
    const guarded = world.controller('guarded', world.logging('guarded'), { sources: [pods] });
    const open = world.controller('open', world.logging('open'), { needsLeadership: false });
    const run = world.run();
    pods.finish();
    for (let i = 0; i < 3; i++) guarded.enqueue('a');
    open.enqueue('b');
    await world.clock.advance(14_000);
    assert.deepEqual(world.log, ['pods started', 'open b true']);
    assert.equal(world.manager.phase, 'standby');
    assert.equal(world.manager.isLeader(), false);
    assert.equal((await world.manager.ready.report()).ok, true, 'a warm standby is ready');
    await world.clock.advance(10_000);
    assert.deepEqual(world.log.slice(2), ['guarded a true']);
    assert.equal(world.manager.phase, 'active');
    assert.equal(world.manager.isLeader(), true);
    world.stop.abort();
    await run;
    assert.equal(world.leases.peek('lock')?.spec?.holderIdentity, '', 'the lease was released');
  });

  test('a replica whose caches are not in sync does not compete for the lease', async () => {
    const world = new World().elected();
    const pods = new Source('pods');
    world.controller('guarded', () => DONE, { sources: [pods] });
    const run = world.run();
    await world.clock.advance(60_000);
    assert.equal(world.leases.calls.length, 0);
    world.stop.abort();
    assert.equal((await run).kind, 'stopped');
  });

  test('a source that is added by itself holds back every controller, and every task of the leader', async () => {
    const world = new World();
    const [pods, nodes, rights] = [new Source('pods'), new Source('nodes'), new Source('rights')];
    const one = world.controller('one', world.logging('one'), { sources: [pods] });
    world.controller('two', () => DONE, { sources: [nodes], needsLeadership: false });
    world.manager.addSource(rights);
    world.manager.addTask({ name: 'sweeper', needsLeadership: true, run: async () => void world.log.push('sweeper') });
    const run = world.run();
    one.enqueue('a');
    pods.finish();
    await settle();
    assert.deepEqual(world.log, []);
    rights.finish();
    await settle();
    assert.deepEqual(world.log, ['one a true']);
    await world.clock.advance(600_000);
    assert.deepEqual(world.log, ['one a true'], 'a sweeper must not take an empty cache for an empty cluster');
    nodes.finish();
    await settle();
    assert.deepEqual(world.log, ['one a true', 'sweeper']);
    world.stop.abort();
    await run;
  });

  test('a source that is not in sync in time is reported by its name, and the controllers without it lead', async () => {
    const late: string[] = [];
    const world = new World().elected({
      onSyncTimeout: (name) => {
        late.push(name);
        throw new Error('log full');
      },
    });
    const [pods, nodes, secrets] = [new Source('pods'), new Source('nodes'), new Source('secrets')];
    world.controller('one', world.logging('one'), { sources: [pods] }).enqueue('a');
    world.controller('two', world.logging('two'), { sources: [pods, secrets] }).enqueue('b');
    world.controller('three', world.logging('three'), { sources: [nodes] }).enqueue('c');
    const run = world.run();
    pods.finish();
    await world.clock.advance(119_999);
    assert.deepEqual([late, world.leases.calls.length], [[], 0]);
    await world.clock.advance(2000);
    assert.deepEqual([late, world.log], [['secrets', 'nodes'], ['one a true']]);
    assert.match(formatHealth(await world.manager.ready.report()), /\[-\]source secrets failed: not in sync yet/);
    nodes.finish();
    await world.clock.advance(120_000);
    assert.deepEqual([late.length, world.log], [2, ['one a true', 'three c true']]);
    world.stop.abort();
    assert.equal((await run).kind, 'stopped');
    assert.equal(world.leases.peek('lock')?.spec?.holderIdentity, '', 'the lease was released');
    assert.equal(world.clock.pending, 0);
  });

  test('a lost leadership is not held up by a controller that still waits for its source', async () => {
    const world = new World().elected();
    const pods = new Source('pods');
    world.controller('one', () => DONE);
    world.controller('two', world.logging('two'), { sources: [pods] }).enqueue('b');
    const run = world.run();
    await world.clock.advance(121_000);
    assert.equal(world.manager.phase, 'active');
    await world.leases.patch('lock', { kind: 'merge', body: { spec: { holderIdentity: 'thief' } } });
    await world.clock.advance(3000);
    assert.equal((await run).kind, 'leadership-lost');
    assert.deepEqual(world.log, []);
  });

  test('a replica none of whose controllers could work does not compete, however long that takes', async () => {
    const world = new World().elected({ syncTimeoutMs: 5000 });
    const pods = new Source('pods');
    world.controller('guarded', () => DONE, { sources: [pods] });
    world.controller('open', () => DONE, { needsLeadership: false });
    const run = world.run();
    await world.clock.advance(600_000);
    assert.equal(world.leases.calls.length, 0);
    pods.finish();
    await world.clock.advance(2000);
    assert.equal(world.manager.phase, 'active');
    world.stop.abort();
    await run;
  });

  test('a standby that never led stops without a trace', async () => {
    const world = new World().elected();
    await world.heldBy('other');
    const guarded = world.controller('guarded', world.logging('guarded'));
    const run = world.run();
    guarded.enqueue('a');
    guarded.enqueue('later', { afterMs: 60_000 });
    await world.clock.advance(1000);
    world.stop.abort();
    assert.deepEqual(await run, { kind: 'stopped', cutOff: [], leftQueued: 1 });
    assert.equal(world.clock.pending, 0);
    assert.equal(world.leases.peek('lock')?.spec?.holderIdentity, 'other');
  });

  test('passes under way at a stop may end before the lease is released', async () => {
    const world = new World().elected();
    const { promise: work, resolve: finish } = Promise.withResolvers<void>();
    const controller = world.controller('guarded', async (_key, { signal }) => {
      await work;
      world.log.push(`aborted ${signal.aborted}, lease held by ${world.leases.peek('lock')?.spec?.holderIdentity}`);
      return DONE;
    });
    controller.enqueue('a');
    controller.enqueue('b');
    const run = world.run();
    await settle();
    world.stop.abort();
    await world.clock.advance(29_000);
    assert.equal(world.elector?.isLeader(), true, 'the lease is renewed while passes drain');
    finish();
    assert.deepEqual(await run, { kind: 'stopped', cutOff: [], leftQueued: 1 });
    assert.deepEqual(world.log, ['aborted false, lease held by me']);
    assert.equal(world.leases.peek('lock')?.spec?.holderIdentity, '');
  });

  test('passes that outlast the deadline are aborted and reported', async () => {
    const world = new World();
    world.manager = new Manager({ clock: world.clock, shutdownDeadlineMs: 5000 });
    const obedient = world.controller('obedient', obeying, { concurrency: 2 });
    const idle = world.controller('idle', () => DONE);
    for (const key of ['a', 'b', 'c']) obedient.enqueue(key);
    idle.enqueue('x');
    const run = world.run();
    await settle();
    world.stop.abort();
    await world.clock.advance(4999);
    assert.equal(world.outcome, undefined);
    await world.clock.advance(1);
    assert.deepEqual(await run, {
      kind: 'stopped',
      cutOff: [{ name: 'controller obedient', keys: ['a', 'b'] }],
      leftQueued: 1,
    });
    assert.equal(obedient.counts.aborted, 2);
  });

  test('a pass that ignores its signal does not hold up the end, and keeps the lease from being released', async () => {
    const world = new World().elected({ shutdownDeadlineMs: 5000, abortGraceMs: 1000 });
    world.controller('deaf', deaf).enqueue('a');
    const run = world.run();
    await settle();
    world.stop.abort();
    await world.clock.advance(7000);
    assert.deepEqual(await run, { kind: 'stopped', cutOff: [{ name: 'controller deaf', keys: ['a'] }], leftQueued: 0 });
    assert.equal(world.leases.peek('lock')?.spec?.holderIdentity, 'me');
  });

  test('when the leadership is lost its passes are aborted at once and the caller is notified', async () => {
    const world = new World().elected();
    const guarded = world.controller('guarded', obeying);
    guarded.enqueue('a');
    let taskEnded = false;
    world.manager.addTask({
      name: 'sweeper',
      needsLeadership: true,
      run: async (signal) => {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        taskEnded = true;
      },
    });
    const run = world.run();
    await settle();
    assert.deepEqual(guarded.inFlight, ['a']);
    await world.leases.patch('lock', { kind: 'merge', body: { spec: { holderIdentity: 'thief' } } });
    await world.clock.advance(2000);
    assert.deepEqual(await run, {
      kind: 'leadership-lost',
      reason: 'taken',
      holder: 'thief',
      cutOff: [{ name: 'controller guarded', keys: ['a'] }],
      leftQueued: 0,
    });
    assert.equal(guarded.counts.aborted, 1);
    assert.equal(taskEnded, true);
    assert.equal(world.leases.peek('lock')?.spec?.holderIdentity, 'thief');
  });

  test('a leader cut off from the API server learns it by its deadline', async () => {
    const world = new World().elected();
    const may: boolean[] = [];
    world
      .controller('guarded', async (_key, context) => {
        may.push(context.isLeader());
        await new Promise((resolve) => context.signal.addEventListener('abort', resolve));
        may.push(context.isLeader());
        return DONE;
      })
      .enqueue('a');
    const run = world.run();
    await settle();
    for (const verb of ['update', 'get'] as const) {
      world.leases.failNext(verb, new ConnectionError('refused', 'nobody listens'), 100);
    }
    await world.clock.advance(10_000);
    assert.equal((await run).kind, 'leadership-lost');
    assert.deepEqual(may, [true, false]);
  });

  test('a failing source or task ends the manager with its name and error', async () => {
    const error = new Error('no such kind');
    const broken: ManagedSource = {
      name: 'pods',
      synced: false,
      start: () => Promise.reject(error),
      waitForSync: () => new Promise(() => {}),
    };
    const world = new World();
    world.manager.addSource(broken);
    assert.deepEqual(await world.run(), { kind: 'failed', step: 'source pods', error, cutOff: [], leftQueued: 0 });

    const other = new World();
    other.manager.addTask({ name: 'server', run: () => Promise.reject(error) });
    assert.deepEqual(await other.run(), { kind: 'failed', step: 'task server', error, cutOff: [], leftQueued: 0 });

    const unsynced = new World();
    unsynced.manager.addSource({ synced: false, start: () => {}, waitForSync: () => Promise.reject(error) });
    const outcome = await unsynced.run();
    assert.equal(outcome.kind === 'failed' && outcome.step, 'sync of the sources');
  });

  test('a task that ignores its signal is named among the cut off', async () => {
    const world = new World();
    world.manager.addTask({ name: 'stuck', run: () => new Promise(() => {}) });
    const run = world.run();
    await settle();
    world.stop.abort();
    await world.clock.advance(1000);
    assert.deepEqual((await run).cutOff, [{ name: 'task stuck', keys: [] }]);
  });

  test('what fails after the end changes nothing any more', async () => {
    const world = new World();
    let failLate: (error: Error) => void = () => {};
    const start = () => new Promise<void>((_resolve, reject) => (failLate = reject));
    world.manager.addSource({ synced: true, start, waitForSync: async () => {} });
    const run = world.run();
    await settle();
    world.stop.abort();
    assert.equal((await run).kind, 'stopped');
    failLate(new Error('late'));
    await settle();
    assert.equal(world.manager.phase, 'ended');
  });

  test('sources without a name have their own checks, however often they are added', async () => {
    const { manager } = new World();
    const source = (synced: boolean): ManagedSource => ({ synced, start: () => {}, waitForSync: async () => {} });
    const first = source(true);
    manager.addSource(first);
    manager.addSource(source(false));
    manager.addSource(first);
    const { checks } = await manager.ready.report();
    assert.deepEqual(
      checks.slice(1).map((check) => `${check.name} ${check.ok}`),
      ['source 1 true', 'source 2 false'],
    );
  });

  test('two sources of one name have a check each', async () => {
    const { manager } = new World();
    for (const synced of [true, false, true]) {
      manager.addSource({ name: 'pods', synced, start: () => {}, waitForSync: async () => {} });
    }
    const { checks } = await manager.ready.report();
    assert.deepEqual(
      checks.slice(1).map((check) => `${check.name} ${check.ok}`),
      ['source pods true', 'source pods (2) false', 'source pods (3) true'],
    );
  });

  test('a manager whose signal has aborted starts nothing', async () => {
    const world = new World();
    const pods = new Source('pods');
    world.manager.addSource(pods);
    world.stop.abort();
    assert.equal((await world.run()).kind, 'stopped');
    assert.equal(pods.starts, 0);
  });

  test('a manager runs once, and takes nothing in while it runs', async () => {
    const world = new World();
    const run = world.run();
    const refused = (e: unknown) => e instanceof MachineryError && e.code === 'already-started';
    assert.throws(() => world.manager.addTask({ name: 'late', run: async () => {} }), refused);
    await assert.rejects(world.manager.run(new AbortController().signal), refused);
    world.stop.abort();
    await run;
  });

  test('readiness names what is missing, liveness does not depend on it', async () => {
    const world = new World();
    const pods = new Source('pods');
    world.controller('one', () => DONE, { sources: [pods] });
    const ready = async () => formatHealth(await world.manager.ready.report());
    assert.match(await ready(), /\[-\]manager failed: idle\n/);
    const run = world.run();
    assert.match(
      await ready(),
      /\[-\]manager failed: syncing\n\[-\]source pods failed: not in sync yet\ncheck failed\n/,
    );
    assert.equal((await world.manager.live.report()).ok, true);
    pods.finish();
    await settle();
    assert.equal(await ready(), '[+]manager ok\n[+]source pods ok\ncheck passed\n');
    world.stop.abort();
    assert.match(await ready(), /\[-\]manager failed: stopping\n/);
    await run;
  });
});
