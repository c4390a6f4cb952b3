import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { ConnectionError, type Lease, seededRandom } from '@podtrail/machinery';
import { ManualClock, MemoryResourceClient, refusal } from '@podtrail/machinery/testing';
import { LeaseReader, type LeaseRefusal, type LeaseResult } from './lease-reader.ts';

const START = Date.UTC(2026, 10, 16);

/** A reader, the Leases of a cluster in memory, and what both report. `nodes` may be set at any time. */
function stage(t: TestContext) {
  const clock = new ManualClock(START);
  const leases = new MemoryResourceClient<Lease>();
  const sent: { readonly node: string; readonly at: number }[] = [];
  const renewed: [node: string, second: number][] = [];
  const results: LeaseResult[] = [];
  const refusals: (LeaseRefusal | undefined)[] = [];
  let mostAtOnce = 0;
  let atOnce = 0;
  const on = {
    nodes: [] as string[],
    takes: true,
    /** Waits, or throws what the reader shall see. */
    intercept: async (_node: string): Promise<void> => {},
  };
  const reader = new LeaseReader({
    ...{ clock, random: seededRandom(1) },
    nodes: () => on.nodes,
    get: async (node, signal) => {
      sent.push({ node, at: clock.monotonic() });
      mostAtOnce = Math.max(mostAtOnce, ++atOnce);
      try {
        await on.intercept(node);
        return await leases.get(node, { signal });
      } finally {
        atOnce--;
      }
    },
    onRenewed: (node, renewTime) => {
      renewed.push([node, (renewTime - START) / 1000]);
      return on.takes;
    },
    onRead: (result) => void results.push(result),
    onForbidden: (refusal) => void refusals.push(refusal),
  });
  t.after(() => reader.stop());
  const ask = async (...nodes: string[]) => {
    on.nodes = nodes;
    reader.wake();
    await clock.advance(0);
  };
  const renew = async (name: string, renewTime = `${new Date(clock.now()).toISOString().slice(0, -1)}999Z`) => {
    const lease: Lease = { metadata: { name }, spec: { holderIdentity: name, renewTime } };
    if (leases.peek(name) === undefined) await leases.create(lease);
    else await leases.update(lease);
  };
  const seconds = (node: string) => sent.filter((one) => one.node === node).map(({ at }) => at / 1000);
  const most = () => mostAtOnce;
  return { clock, sent, renewed, results, refusals, on, reader, ask, renew, seconds, most };
}

test('the Lease of a node in question is read at once and then every 3 s, and each renewal is reported once', async (t) => {
  const { clock, renewed, results, ask, renew, seconds } = stage(t);
  await renew('a');
  await ask('a');
  assert.deepEqual(seconds('a'), [0]);
  await clock.advance(5_000);
  await renew('a');
  await clock.advance(4_000);
  assert.deepEqual(seconds('a'), [0, 3, 6, 9]);
  // Microseconds are cut.
  assert.deepEqual(renewed, [
    ['a', 0],
    ['a', 5],
  ]);
  assert.deepEqual(results, ['renewed', 'unchanged', 'renewed', 'unchanged']);
});

test('nothing is read and no timer runs while no node is in question', async (t) => {
  const { clock, sent, reader, ask, renew } = stage(t);
  await renew('a');
  reader.wake();
  await clock.advance(60_000);
  assert.deepEqual(sent, []);
  await ask('a');
  await clock.advance(3_000);
  assert.equal(sent.length, 2);
  await ask();
  await clock.advance(600_000);
  assert.equal(sent.length, 2, 'it stops with the question');
  assert.equal(clock.pending, 0);
});

test('a node that comes into question again is not read sooner than 3 s after the last time, and its renewal is reported again', async (t) => {
  const { clock, renewed, ask, renew, seconds } = stage(t);
  await renew('a');
  await ask('a');
  await ask();
  await clock.advance(1_000);
  await ask('a');
  await clock.advance(3_000);
  assert.deepEqual(seconds('a'), [0, 3]);
  assert.equal(renewed.length, 2, 'the ledger may have forgotten it');
});

test('ten a second at most, four at a time, and those that wait longest first', async (t) => {
  const { clock, sent, on, reader, ask, renew, most } = stage(t);
  const names = Array.from({ length: 100 }, (_, i) => `n${i}`);
  for (const name of names) await renew(name);
  await ask(...names);
  for (let i = 0; i < 300; i++) {
    // Observations come all the time.
    reader.wake();
    await clock.advance(100);
  }
  for (const { at } of sent) {
    const within = sent.filter((other) => other.at >= at && other.at < at + 1000);
    assert.ok(within.length <= 10, `${within.length} in the second from ${at} on`);
  }
  assert.ok(sent.length >= 300, `${sent.length} in 30 s`);
  const turns = names.map((name) => sent.filter(({ node }) => node === name).length);
  assert.ok(Math.max(...turns) - Math.min(...turns) <= 1, 'each has its turn');
  const slow = Promise.withResolvers<void>();
  on.intercept = () => slow.promise;
  await clock.advance(10_000);
  assert.equal(most(), 4);
  slow.resolve();
  on.intercept = async () => {};
  const before = sent.length;
  await clock.advance(1_000);
  assert.ok(sent.length > before, 'it goes on');
});

test('a node without a Lease is not asked for again for a minute; the others are', async (t) => {
  const { clock, results, ask, renew, seconds } = stage(t);
  await renew('a');
  await renew('mute', '');
  await ask('none', 'a', 'mute');
  await clock.advance(30_000);
  await ask('a');
  await ask('none', 'a', 'mute');
  await clock.advance(29_900);
  assert.deepEqual([seconds('none').length, seconds('mute').length], [1, 1], 'also where it was out of question');
  assert.ok(seconds('a').length >= 19);
  await clock.advance(500);
  assert.deepEqual([seconds('none').length, seconds('mute').length], [2, 2]);
  assert.equal(results.filter((result) => result === 'absent').length, 4);
  assert.ok(!results.includes('failed'));
});

test('without the right it is reported once, asked for again after ten minutes, and reported when it is there', async (t) => {
  const { clock, sent, results, refusals, on, ask, renew } = stage(t);
  const names = ['a', 'b', 'c', 'd', 'e', 'f'];
  for (const name of names) await renew(name);
  const answers = Promise.withResolvers<void>();
  on.intercept = async () => {
    await answers.promise;
    throw refusal(403, 'Forbidden', 'leases.coordination.k8s.io "a" is forbidden');
  };
  await ask(...names);
  await clock.advance(500);
  answers.resolve();
  await clock.advance(599_000);
  assert.equal(sent.length, 4, 'those that were under way');
  await clock.advance(600_000);
  assert.equal(sent.length, 5);
  assert.deepEqual(
    refusals.map((refusal) => refusal?.missing),
    ['get leases.coordination.k8s.io in namespace kube-node-lease'],
  );
  assert.match(refusals[0]?.effect ?? '', /about a minute longer/);
  on.intercept = async () => {};
  await clock.advance(600_000);
  assert.equal(refusals.length, 2);
  assert.equal(refusals[1], undefined);
  assert.deepEqual(
    results.slice(0, 6).map((result) => result),
    [...Array<LeaseResult>(5).fill('forbidden'), 'renewed'],
  );
});

test('a server that does not answer is asked more and more seldom, for whichever node, and as usual once it answers', async (t) => {
  const { clock, sent, renewed, results, refusals, on, ask, renew } = stage(t);
  await renew('a');
  await renew('b');
  on.intercept = async () => {
    throw new ConnectionError('refused', 'connection refused');
  };
  await ask('a', 'b');
  await clock.advance(600_000);
  assert.ok(sent.length >= 10 && sent.length <= 30, `${sent.length} in ten minutes`);
  assert.ok(results.every((result) => result === 'failed'));
  assert.deepEqual(refusals, []);
  on.intercept = async () => {};
  await clock.advance(60_000);
  assert.deepEqual(renewed.map(([node]) => node).sort(), ['a', 'b']);
  const before = sent.length;
  await clock.advance(30_000);
  assert.equal(sent.length - before, 20);
  on.intercept = async () => {
    on.intercept = async () => {};
    throw new ConnectionError('reset', 'connection reset');
  };
  const again = sent.length;
  await clock.advance(9_000);
  assert.ok(sent.length - again >= 4, 'one failure is no outage');
});

test('a server that names a time is not asked before; a refusal of one name holds back that node alone', async (t) => {
  const { clock, results, on, ask, renew, seconds } = stage(t);
  for (const name of ['a', 'b']) await renew(name);
  on.intercept = async () => {
    throw refusal(429, 'TooManyRequests', 'later', { retryAfterSeconds: 40 });
  };
  await ask('a');
  await clock.advance(39_000);
  assert.equal(seconds('a').length, 1);
  on.intercept = async (node) => {
    if (node === 'a') throw refusal(400, 'BadRequest', 'no name for a Lease');
  };
  await ask('a', 'b');
  await clock.advance(31_000);
  assert.equal(seconds('a').length, 2);
  assert.equal(seconds('b').length, 10);
  assert.equal(results.filter((result) => result === 'failed').length, 2);
});

test('a renewal that could not be used is reported with the next reading again', async (t) => {
  const { clock, renewed, on, ask, renew } = stage(t);
  await renew('a');
  on.takes = false;
  await ask('a');
  on.takes = true;
  await clock.advance(9_000);
  assert.equal(renewed.length, 2);
});

test('stopped, it cuts what is under way, asks no more and reports nothing', async (t) => {
  const { clock, sent, results, on, reader, ask, renew } = stage(t);
  await renew('a');
  const answer = Promise.withResolvers<void>();
  on.intercept = () => answer.promise;
  await ask('a', 'b');
  const stopped = reader.stop();
  answer.resolve();
  await stopped;
  reader.wake();
  await clock.advance(60_000);
  assert.equal(sent.length, 1);
  assert.deepEqual(results, []);
  assert.equal(clock.pending, 0);
});
