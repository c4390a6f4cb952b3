import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type Engine,
  epochMillis,
  type Holder,
  openStore,
  type ReportedEvidence,
  type StoredFact,
} from '@podtrail/history';
import { ManualClock } from '@podtrail/machinery/testing';
import { AuditFollower } from './audit-follower.ts';
import { AuditQueue } from './audit-queue.ts';
import { anAuditEvent } from './testing/audit-client.ts';

const CLUSTER = { id: 'c', name: 'prod' };
const NOW = Date.UTC(2026, 10, 16, 10, 0, 5);
const WEB: Holder = {
  ...{
    kind: 'Pod',
    namespace: 'shop',
    name: 'web-1',
    uid: 'uid-web-1',
    node: 'n',
    workload: undefined,
    hostNetwork: false,
  },
};

function placed(pod: Holder): StoredFact {
  const provenance = { source: 'watch', epoch: 1, resourceVersion: '1', collector: 'c' } as const;
  const at = epochMillis(NOW - 60_000);
  const start = { ...provenance, at, notBefore: at, notAfter: at, observedAt: at };
  return { kind: 'placement', placement: { pod, start, end: undefined } };
}

interface Following {
  readonly queue: AuditQueue;
  readonly recorded: ReportedEvidence[];
  readonly problems: (string | undefined)[];
  readonly follower: AuditFollower;
  readonly clock: ManualClock;
  /** Lets time pass until it is so. */
  until(holds: () => boolean): Promise<void>;
  stop(): Promise<void>;
}

async function following(
  options: { readonly engine?: Engine; readonly record?: () => Promise<boolean> } = {},
): Promise<Following> {
  const engine = options.engine ?? (await openStore('memory:', { access: 'write' }));
  await (await engine.takeOver(CLUSTER)).append({ facts: [placed(WEB)] });
  const clock = new ManualClock(NOW);
  const queue = new AuditQueue();
  const recorded: ReportedEvidence[] = [];
  const problems: (string | undefined)[] = [];
  const follower = new AuditFollower({
    ...{ queue, engine, cluster: CLUSTER, clock },
    record: async (evidence) => {
      const taken = (await options.record?.()) ?? true;
      if (taken) recorded.push(...evidence);
      return taken;
    },
    onProblem: (problem) => problems.push(problem),
  });
  const stop = new AbortController();
  const running = follower.run(stop.signal);
  return {
    ...{ queue, recorded, problems, follower, clock },
    async until(holds) {
      for (let i = 0; i < 2000 && !holds(); i++) {
        clock.advance(100);
        await nextTurn();
      }
      assert.ok(holds(), 'it never came to that');
    },
    async stop() {
      stop.abort();
      await running;
    },
  };
}

const push = ({ queue }: Following, fields: Readonly<Record<string, unknown>> = {}) =>
  queue.push(Buffer.from(JSON.stringify(anAuditEvent(fields), undefined, 1)));
const pod = (name: string) => ({ objectRef: { resource: 'pods', namespace: 'shop', name } });

test('who deleted a pod that the ledger knows is recorded; what it does not know, and what is no event, is counted', async () => {
  const it = await following();
  push(it);
  push(it, pod('nobody'));
  push(it, { stage: 'no stage' });
  await it.until(() => it.recorded.length > 0);
  assert.deepEqual(
    it.recorded.map(({ what, reason, by, about }) => `${what} ${reason} ${about.name} by ${by}`),
    ['audited delete web-1 by jane'],
  );
  const { read, taken, unknown, damaged } = it.follower.status;
  assert.deepEqual({ read, taken, unknown, damaged }, { read: 3, taken: 1, unknown: 1, damaged: 1 });
  await it.stop();
});

test('a pod that the watch brings a second later is known', async () => {
  const engine = await openStore('memory:', { access: 'write' });
  const it = await following({ engine });
  push(it, { ...pod('late'), verb: 'create' });
  it.clock.advance(500);
  await (await engine.takeOver(CLUSTER)).append({ facts: [placed({ ...WEB, name: 'late', uid: 'uid-late' })] });
  await it.until(() => it.recorded.length > 0);
  assert.equal(it.recorded[0]?.about.name, 'late');
  await it.stop();
});

test('the same request sent again is recorded once', async () => {
  const it = await following();
  const event = anAuditEvent();
  for (let i = 0; i < 3; i++) it.queue.push(Buffer.from(JSON.stringify(event)));
  await it.until(() => it.follower.status.read === 3 && it.recorded.length > 0);
  assert.equal(it.recorded.length, 1);
  await it.stop();
});

test('what cannot be stored now is stored later, and reading waits for it', async () => {
  const engine = await openStore('memory:', { access: 'write' });
  let fails = true;
  const broken = new Proxy(engine, {
    get: (target, key) => {
      const value = Reflect.get(target, key) as unknown;
      if (key === 'snapshot' && fails) return () => Promise.reject(new Error('the disk is full'));
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
  const it = await following({ engine: broken });
  push(it);
  await it.until(() => it.problems.length > 0);
  assert.match(String(it.problems[0]), /cannot be stored now: the disk is full/);
  fails = false;
  await it.until(() => it.recorded.length > 0);
  await it.until(() => it.problems.length === 2);
  assert.equal(it.problems[1], undefined);
  await it.stop();
});

test('a loss is recorded with the time before it, and when it is over', async () => {
  const it = await following();
  it.follower.lose();
  await it.until(() => it.recorded.length > 0);
  const [lost] = it.recorded;
  assert.deepEqual(
    [lost?.what, lost?.about.kind, lost?.about.name, lost?.at],
    ['stream-lost', 'Stream', 'audit', NOW - 60_000],
  );
  assert.deepEqual(it.problems, ['API servers send more audit events than can be taken']);
  await it.until(() => it.recorded.length > 1);
  assert.equal(it.recorded[1]?.what, 'stream-followed');
  await it.stop();
});

test('what is not recorded because nobody knows the time is a loss', async () => {
  let isKnown = false;
  const it = await following({ record: async () => isKnown });
  push(it);
  await it.until(() => it.follower.status.dropped === 1);
  isKnown = true;
  await it.until(() => it.recorded.length > 0);
  assert.equal(it.recorded[0]?.what, 'stream-lost');
  await it.stop();
});

test('behind a store that does not take it, no more than so much waits', async () => {
  const block = Promise.withResolvers<boolean>();
  const it = await following({ record: () => block.promise });
  for (let i = 0; i < 3000; i++) push(it);
  await it.until(() => it.follower.status.read > 0);
  for (let i = 0; i < 40_000 && push(it); i++) if (i % 500 === 0) await nextTurn();
  assert.equal(it.queue.isFull || it.queue.size >= 19_999, true, `${it.queue.size} ${it.queue.bytes}`);
  block.resolve(true);
  await it.stop();
});
