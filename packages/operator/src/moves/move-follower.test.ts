// Every departure is counted once, later than its traces, and never with more work than a tick may do.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import {
  type Departure,
  type Engine,
  type Evidence,
  epochMillis,
  openStore,
  type PodLife,
  parseIp,
  type StoredFact,
  type Tenure,
} from '@podtrail/history';
import { ManualClock } from '@podtrail/machinery/testing';
import { MoveFollower, SETTLED_AFTER_MS } from './move-follower.ts';

const CLUSTER = { id: 'c', name: 'c' };
const BEGIN = Date.UTC(2026, 10, 16, 12);
const PROVENANCE = { source: 'watch', epoch: 1, resourceVersion: '1', collector: 'test' } as const;
const OWNER = { kind: 'StatefulSet', namespace: 'shop', name: 'kafka', uid: 'uid-kafka' };

const time = (seconds: number) => epochMillis(BEGIN + seconds * 1000);

function holder(name: string, uid: string, node: string, more: Partial<Tenure['holder']> = {}): Tenure['holder'] {
  const workload = { kind: 'StatefulSet', name: 'kafka', inferred: false };
  return { ...{ kind: 'Pod', namespace: 'shop', name, uid, node, workload, hostNetwork: false }, ...more };
}

function life(pod: Tenure['holder'], seconds: number, more: Partial<PodLife>): StoredFact {
  const record: PodLife = {
    ...{ ...PROVENANCE, observedAt: time(seconds), pod, owner: OWNER, isMirror: false, qosClass: 'BestEffort' },
    ...{ priority: 0, created: time(seconds), restarts: 0, endings: [], ...more },
  };
  return { kind: 'life', life: record };
}

function departure(pod: Tenure['holder'], seconds: number, more: Partial<Departure> = {}): StoredFact {
  const record = { ...PROVENANCE, observedAt: time(seconds), pod, owner: OWNER, at: time(seconds), ...more };
  return { kind: 'departure', departure: record };
}

function boundary(seconds: number, openMs = 0): Tenure['start'] {
  const at = time(seconds);
  return {
    ...{ ...PROVENANCE, resourceVersion: String(seconds), observedAt: at, at, notBefore: epochMillis(at - openMs) },
    notAfter: at,
  };
}

function tenure(uid: string, start: Tenure['start'], end?: Tenure['start'], more: Partial<Tenure['holder']> = {}) {
  const record: Tenure = { ip: parseIp('10.0.0.7')!, holder: holder(uid, uid, 'node-1', more), start, end };
  return { kind: 'tenure', tenure: record } as const;
}

/** A store, a follower of it, and what it reports. */
class Stage {
  readonly clock = new ManualClock(BEGIN);
  readonly reported: string[] = [];
  readonly engine: Engine;
  readonly #append: (facts: readonly StoredFact[]) => Promise<void>;
  follower: MoveFollower;
  reads = 0;
  broken = false;

  static async start(): Promise<Stage> {
    const engine = await openStore('memory:', { access: 'write' });
    const writer = await engine.takeOver(CLUSTER);
    return new Stage(engine, async (facts) => await writer.append({ facts }));
  }

  constructor(engine: Engine, append: (facts: readonly StoredFact[]) => Promise<void>) {
    this.engine = engine;
    this.#append = append;
    this.follower = this.follow();
  }

  follow(): MoveFollower {
    const note = (line: string) => void this.reported.push(line);
    const snapshot = (cluster: string) => {
      this.reads++;
      return this.broken ? Promise.reject(new Error('the store is damaged')) : this.engine.snapshot(cluster);
    };
    return new MoveFollower({
      ...{ reader: { snapshot }, cluster: CLUSTER.id, clock: this.clock },
      listeners: [
        {
          departed() {
            throw new Error('a listener that fails');
          },
        },
        {
          departed: ({ verdict, departure: { pod } }) => note(`${pod.name} ${verdict.cause}`),
          placed: ({ from, to }) => note(`${from.pod.node} to ${to?.life.pod.node}`),
          replaced: ({ downtimeMs }) => note(`ready after ${downtimeMs} ms`),
          reused: ({ from, to, betweenMs }) => note(`${from.name} to ${to.name} after ${betweenMs} ms`),
          uncounted: (what, count) => note(`${count} ${what} not counted`),
          failed: (error) => note(String(error)),
        },
      ],
    });
  }

  /** Stored, and the follower is notified; watched until so many seconds. */
  async store(seconds: number, facts: readonly StoredFact[]): Promise<void> {
    const record = { from: time(-60), to: time(seconds), confirmed: time(seconds), ended: false, opened: 'start' };
    const scope = { kind: 'cluster' } as const;
    const coverage = { ...record, scope, epoch: 1, collector: 'test' } as const;
    const all = [...facts, { kind: 'coverage', coverage } as StoredFact];
    await this.#append(all);
    this.follower.stored({ batch: { facts: all } });
    await this.follower.tick();
  }
}

const WAIT_S = SETTLED_AFTER_MS / 1000;
const OLD = holder('kafka-0', 'uid-1', 'node-35');
const NEW = holder('kafka-0', 'uid-2', 'node-06');
const drained = { disruption: { reason: 'EvictionByEvictionAPI', message: '', at: time(10) } };
const ended = { ...drained, ready: time(1), deletion: { requested: time(10), graceSeconds: 30 }, gone: time(14) };

test('a departure is counted once, when its traces have had time to arrive, and its successor when that is ready', async () => {
  const stage = await Stage.start();
  await stage.store(10, [life(OLD, 0, { ready: time(1) }), departure(OLD, 10)]);
  await stage.store(10 + WAIT_S - 1, [life(OLD, 0, ended)]);
  assert.deepEqual(stage.reported, [], 'not yet');
  await stage.store(10 + WAIT_S, [life(NEW, 20, {})]);
  assert.deepEqual(stage.reported, ['kafka-0 Evicted', 'node-35 to node-06']);
  await stage.store(150, [life(NEW, 20, { ready: time(140) }), departure(OLD, 10)]);
  assert.equal(stage.reported.length, 2, 'written again, not counted again');
  await stage.store(10 + 3 * WAIT_S, []);
  await stage.store(4_000, []);
  assert.deepEqual(stage.reported.slice(2), ['ready after 130000 ms']);
  assert.equal(stage.follower.waiting, 0);
});

test('a pod that was scaled down and is back within seconds: its successor is counted when that is ready', async () => {
  const stage = await Stage.start();
  const change = (seconds: number, resourceVersion: string, more: Partial<Evidence>): StoredFact => {
    const said = { about: OWNER, what: 'revision', reason: '', message: '', by: '', count: 1, ...more } as const;
    const seen = { ...PROVENANCE, resourceVersion, observedAt: time(seconds), at: time(seconds) };
    return { kind: 'evidence', evidence: { ...seen, ...said, id: resourceVersion } };
  };
  const { disruption: _, ...scaled } = ended;
  await stage.store(20, [
    ...[change(9, '100', { reason: '2' }), change(16, '120', { reason: '3' })],
    change(10, '106', {
      what: 'event',
      reason: 'SuccessfulDelete',
      message: 'delete Pod kafka-0 in StatefulSet kafka successful',
    }),
    ...[life(OLD, 0, { ...scaled, revision: 'r1' }), departure(OLD, 10, { resourceVersion: '105' })],
    life(NEW, 17, { revision: 'r1' }),
  ]);
  await stage.store(20 + WAIT_S, []);
  assert.deepEqual(stage.reported, ['kafka-0 ScaledDown', 'node-35 to node-06']);
  await stage.store(20 + WAIT_S + 1, [life(NEW, 17, { revision: 'r1', ready: time(140) })]);
  await stage.store(20 + 3 * WAIT_S, []);
  assert.deepEqual(stage.reported.slice(2), ['ready after 130000 ms']);
});

test('one whose successor never comes is forgotten after three quarters of an hour; one without an owner at once', async () => {
  const stage = await Stage.start();
  const alone = holder('alone', 'uid-3', 'node-1', { workload: undefined });
  const ofAlone = [life(alone, 0, { ...ended, owner: undefined }), departure(alone, 10, { owner: undefined })];
  await stage.store(10, [life(OLD, 0, ended), departure(OLD, 10), ...ofAlone]);
  await stage.store(10 + WAIT_S, []);
  assert.deepEqual(stage.reported, ['kafka-0 Evicted', 'alone Evicted']);
  assert.equal(stage.follower.waiting, 1);
  for (let seconds = 200; seconds < 3_200; seconds += 60) await stage.store(seconds, []);
  assert.equal(stage.follower.waiting, 0);
  assert.equal(stage.reported.length, 2);
});

test('after a restart what was observed and not counted yet is counted; what was counted, or ended long before, is not', async () => {
  const stage = await Stage.start();
  const other = holder('other', 'uid-4', 'node-1');
  await stage.store(10, [life(OLD, 0, ended), departure(OLD, 10)]);
  await stage.store(80, [life(other, 0, ended), departure(other, 80)]);
  await stage.store(120, []);
  assert.deepEqual(stage.reported, ['kafka-0 Evicted']);
  stage.follower = stage.follow();
  await stage.follower.resume();
  assert.equal(stage.follower.waiting, 1);
  const ancient = holder('ancient', 'uid-5', 'node-1');
  await stage.store(130, [departure(ancient, 125, { at: time(-86_400), source: 'list' })]);
  await stage.store(300, []);
  assert.deepEqual(stage.reported.slice(1), ['other Evicted']);
});

test('after a restart what was due and waited behind others is not counted, as docs/metrics.md says: it may have been', async () => {
  const stage = await Stage.start();
  const pods = Array.from({ length: 300 }, (_, i) => holder(`pod-${i}`, `uid-${i}`, 'node-1'));
  const facts = pods.map((pod) => departure(pod, 10, { owner: undefined }));
  await stage.store(10, facts);
  await stage.store(10 + WAIT_S, []);
  const counted = stage.reported.length;
  assert.ok(counted < 300, `${counted} in the first tick`);
  stage.follower = stage.follow();
  await stage.follower.resume();
  await stage.store(300, []);
  assert.equal(stage.reported.length, counted);
  const page = readFileSync(join(import.meta.dirname, '../../../../docs/metrics.md'), 'utf8');
  assert.match(page, /A restart loses .*departures that were due and still waited/);
});

test('at a first start the pods that ended before are history, not news', async () => {
  const stage = await Stage.start();
  await stage.follower.resume();
  await stage.store(1, [departure(OLD, 1, { at: time(-3_600), source: 'list' })]);
  await stage.store(300, []);
  assert.deepEqual(stage.reported, []);
});

test('ten thousand departures at once are counted in portions; more than twenty thousand are not all kept', async () => {
  const stage = await Stage.start();
  const storm = (count: number, from: number) =>
    Array.from({ length: count }, (_, i) =>
      departure(holder(`pod-${from + i}`, `uid-${from + i}`, 'node-1'), 10, { owner: undefined }),
    );
  await stage.store(10, storm(10_000, 0));
  await stage.store(10 + WAIT_S, []);
  const first = stage.reported.length;
  assert.ok(first >= 20 && first <= 240, `${first} in the first tick`);
  let ticks = 0;
  for (; stage.follower.waiting > 0; ticks++) await stage.follower.tick();
  assert.equal(stage.reported.length, 10_000);
  assert.ok(ticks >= 49, `${ticks} ticks`);
  await stage.store(200, []);
  stage.reported.length = 0;
  const late = storm(21_000, 10_000).map((fact) =>
    fact.kind === 'departure' ? { ...fact, departure: { ...fact.departure, observedAt: time(200) } } : fact,
  );
  stage.follower.stored({ batch: { facts: late } });
  assert.equal(stage.follower.waiting, 20_000);
  assert.equal(stage.reported.length, 1_000);
  assert.equal(stage.reported[0], '1 departures not counted');
});

test('a tick stops soon after its time, however long one look takes', async () => {
  const stage = await Stage.start();
  const pods = Array.from({ length: 100 }, (_, i) => holder(`pod-${i}`, `uid-${i}`, 'node-1'));
  const facts = pods.map((pod) => departure(pod, 10, { owner: undefined }));
  await stage.store(10, facts);
  const snapshots: number[] = [];
  let spentMs = 0;
  stage.clock.monotonic = () => spentMs;
  const slow = stage.engine.snapshot.bind(stage.engine);
  stage.engine.snapshot = async (cluster) => {
    const snapshot = await slow(cluster);
    const occurrences = snapshot.occurrences.bind(snapshot);
    // Each pod is one read of its life: 50 ms.
    snapshot.occurrences = (question) => {
      if (question.kind === 'life' && question.key !== undefined) {
        snapshots.push(stage.reads);
        spentMs += 50;
      }
      return occurrences(question);
    };
    return snapshot;
  };
  await stage.store(10 + WAIT_S, []);
  assert.ok(stage.reported.length >= 8 && stage.reported.length <= 16, `${stage.reported.length} in 400 ms`);
  assert.equal(new Set(snapshots).size, 1, 'one snapshot');
});

test('a store that cannot be read is tried again, and in the end said to be so', async () => {
  const stage = await Stage.start();
  await stage.store(10, [life(OLD, 0, ended), departure(OLD, 10)]);
  stage.broken = true;
  await stage.store(10 + WAIT_S, []);
  assert.deepEqual(stage.reported, ['Error: the store is damaged']);
  stage.broken = false;
  await stage.store(10 + 3 * WAIT_S, []);
  assert.deepEqual(stage.reported.slice(1), ['kafka-0 Evicted']);
  await stage.store(400, [departure(NEW, 400)]);
  stage.broken = true;
  stage.reported.length = 0;
  for (let seconds = 400; seconds < 3_400; seconds += 60) await stage.store(seconds, []);
  assert.deepEqual(
    stage.reported.filter((line) => !line.startsWith('Error')),
    ['1 departures not counted'],
  );
});

const REUSES: Readonly<Record<string, readonly [readonly StoredFact[], readonly string[]]>> = {
  'from the end of the one to the beginning of the other': [
    [tenure('a', boundary(1), boundary(10)), tenure('b', boundary(12))],
    ['a to b after 2000 ms'],
  ],
  'a beginning before the end, within their bounds, is at once': [
    [tenure('a', boundary(1), boundary(13, 5_000)), tenure('b', boundary(12))],
    ['a to b after 0 ms'],
  ],
  'where the bounds leave more than a minute open, it is counted without a time': [
    [tenure('a', boundary(1), boundary(100, 90_000)), tenure('b', boundary(101))],
    ['a to b after undefined ms'],
  ],
  'the same pod again is no reuse': [[tenure('a', boundary(1), boundary(10)), tenure('a', boundary(12))], []],
  'two at once are a conflict, and no reuse': [[tenure('a', boundary(1)), tenure('b', boundary(12))], []],
  'a pod on the network of its node hands nothing on, and takes nothing': [
    [
      tenure('a', boundary(1), boundary(3), { hostNetwork: true }),
      tenure('b', boundary(4), boundary(5)),
      tenure('c', boundary(6), boundary(7), { hostNetwork: true }),
    ],
    [],
  ],
  'the last one before it counts': [
    [tenure('a', boundary(1), boundary(3)), tenure('b', boundary(4), boundary(5)), tenure('c', boundary(9))],
    ['a to b after 1000 ms', 'b to c after 4000 ms'],
  ],
  'a tenure of a listing is not news': [
    [tenure('a', boundary(1), boundary(3)), tenure('b', { ...boundary(9), source: 'list' })],
    [],
  ],
};
for (const [sentence, [facts, expected]] of Object.entries(REUSES)) {
  test(`addresses: ${sentence}`, async () => {
    const stage = await Stage.start();
    await stage.store(102, facts);
    await stage.store(200, []);
    assert.deepEqual(stage.reported, expected);
    await stage.store(300, facts);
    await stage.store(500, []);
    assert.deepEqual(stage.reported, expected, 'once');
  });
}
