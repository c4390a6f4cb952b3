import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PodView } from '../codec/pod-view.ts';
import { seededRandom } from '../random.ts';
import { FollowedPods } from '../testing/followed-pods.ts';
import { settle } from '../testing/manual-clock.ts';
import { aPod } from '../testing/pod-builder.ts';
import type { Delta } from './delta.ts';
import type { HandlerRegistration } from './handler-registration.ts';

const nameOf = (delta: Delta<PodView>): string =>
  'object' in delta ? `${delta.kind} ${delta.object.metadata.name}` : delta.kind;

/** A handler that writes down what it gets, and does something on the first delta. */
function recording(first: () => void = () => {}): { seen: string[]; onDelta: (delta: Delta<PodView>) => void } {
  const seen: string[] = [];
  return {
    seen,
    onDelta(delta) {
      seen.push(nameOf(delta));
      if (seen.length === 1) first();
    },
  };
}

test('a handler added between the start and the first listing gets the listing once', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = (await pods.server.next()).stream();
  stream.event('ADDED', aPod('a').atVersion(1).build());
  const between = recording();
  const registration = pods.informer.addHandler(between);
  assert.equal(registration.synced, false);
  stream.bookmark('Pod', '10', true);
  await registration.waitForSync();
  assert.deepEqual(between.seen, ['added a']);
});

test('a handler added from within the delivery of the first listing gets every object once', async (t) => {
  const pods = await FollowedPods.start(t);
  const inner = recording();
  let registration: HandlerRegistration | undefined;
  pods.informer.addHandler({
    onDelta(delta) {
      if (nameOf(delta) === 'added b') registration = pods.informer.addHandler(inner);
    },
  });
  await pods.sync(
    '10',
    ['a', 'b', 'c'].map((name) => aPod(name).build()),
  );
  await registration?.waitForSync();
  assert.deepEqual(inner.seen, ['added a', 'added b', 'added c']);
});

test('a handler added from within the delivery of an update is given the new state, not the update again', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10', [aPod('a').atVersion(1).build(), aPod('b').atVersion(2).build()]);
  const inner = recording();
  const outer = pods.informer.addHandler({
    onDelta(delta) {
      if (delta.kind !== 'added') pods.informer.addHandler(inner);
    },
  });
  await outer.waitForSync();
  stream.event('DELETED', aPod('a').atVersion(11).build());
  await pods.untilDelivered('deleted a');
  outer.remove();
  stream.event('MODIFIED', aPod('b').atVersion(12).build());
  await pods.untilDelivered('updated b');
  assert.deepEqual(inner.seen, ['added b', 'updated b']);
});

test('a handler that removes itself on its first delta gets no second one', async (t) => {
  const pods = await FollowedPods.start(t);
  await pods.sync('10', [aPod('a').atVersion(1).build(), aPod('b').atVersion(2).build()]);
  const once = recording(() => registration.remove());
  const registration = pods.informer.addHandler(once);
  assert.deepEqual(once.seen, [], 'never called before the caller has its registration');
  await settle();
  assert.deepEqual(once.seen, ['added a']);
});

test('a handler that removes another one in the middle of a listing stops it there', async (t) => {
  const pods = await FollowedPods.start(t);
  const other = recording();
  pods.informer.addHandler(recording(() => removed.remove()));
  const removed = pods.informer.addHandler(other);
  await pods.sync('10', [aPod('a').atVersion(1).build(), aPod('b').atVersion(2).build()]);
  assert.deepEqual(other.seen, []);
});

test('one handler registered twice is called twice, and each registration is removed by itself', async (t) => {
  const pods = await FollowedPods.start(t);
  const handler = recording();
  const first = pods.informer.addHandler(handler);
  const second = pods.informer.addHandler(handler);
  const stream = await pods.sync('10', [aPod('a').atVersion(1).build()]);
  assert.deepEqual(handler.seen, ['added a', 'added a']);
  first.remove();
  stream.event('MODIFIED', aPod('a').atVersion(11).build());
  await pods.untilDelivered('updated a');
  assert.deepEqual(handler.seen.slice(2), ['updated a']);
  second.remove();
  stream.event('DELETED', aPod('a').atVersion(12).build());
  await pods.untilDelivered('deleted a');
  assert.equal(handler.seen.length, 3);
});

test('removing a handler twice, or after the stop, does nothing', async (t) => {
  const pods = await FollowedPods.start(t);
  const early = pods.informer.addHandler(recording());
  const late = pods.informer.addHandler(recording());
  await pods.sync('10');
  early.remove();
  early.remove();
  await pods.stop();
  late.remove();
});

test('a handler of one informer is not touched by the removal of a handler of another', async (t) => {
  const pods = await FollowedPods.start(t);
  const others = await FollowedPods.start(t);
  const kept = recording();
  pods.informer.addHandler(kept);
  others.informer.addHandler(kept).remove();
  await pods.sync('10', [aPod('a').build()]);
  assert.deepEqual(kept.seen, ['added a']);
});

test('a handler that joins a stopped informer is given what the cache held last', async (t) => {
  const pods = await FollowedPods.start(t);
  await pods.sync('10', [aPod('a').build()]);
  await pods.stop();
  const late = recording();
  await pods.informer.addHandler(late).waitForSync();
  assert.deepEqual(late.seen, ['added a']);
});

test('a handler that is removed before it was synced ends the wait for its sync with an error', async (t) => {
  const pods = await FollowedPods.start(t);
  const registration = pods.informer.addHandler({ name: 'early leaver', onDelta() {} });
  const waiting = registration.waitForSync();
  registration.remove();
  await assert.rejects(waiting, /"early leaver" was removed/);
  await assert.rejects(registration.waitForSync(), { code: 'handler-removed' });
});

test('a slow handler is synced once it has handled the listing, although more has come meanwhile', async (t) => {
  const pods = await FollowedPods.start(t);
  const gates: (() => void)[] = [];
  const slow = pods.informer.addHandler({ onDelta: () => new Promise<void>((resolve) => gates.push(resolve)) });
  const stream = await pods.sync('10', [aPod('a').atVersion(1).build(), aPod('b').atVersion(2).build()]);
  stream.event('DELETED', aPod('b').atVersion(11).build());
  await pods.untilDelivered('deleted b');
  assert.equal(slow.waiting, 3);
  gates[0]!();
  await settle();
  assert.equal(slow.synced, false);
  gates[1]!();
  await slow.waitForSync();
  assert.equal(slow.waiting, 1, 'the delete is still being handled');
});

test('an empty listing syncs informer and handler', async (t) => {
  const pods = await FollowedPods.start(t);
  const registration = pods.informer.addHandler(recording());
  assert.equal(pods.informer.synced, false);
  await pods.sync('10');
  await registration.waitForSync();
  assert.equal(pods.informer.synced, true);
});

test('each handler is reminded on its own period', async (t) => {
  const pods = await FollowedPods.start(t);
  const reminded: string[] = [];
  const every = (name: string, resyncMs?: number) =>
    pods.informer.addHandler({
      ...(resyncMs === undefined ? {} : { resyncMs }),
      onDelta: (d) => void (d.kind === 'updated' && d.resync && reminded.push(name)),
    });
  every('never');
  every('2 s', 2000);
  every('3 s', 3000);
  await pods.sync('10', [aPod('a').build(), aPod('b').build()]);
  await pods.clock.advance(2000);
  assert.deepEqual(reminded.splice(0), ['2 s', '2 s']);
  await pods.clock.advance(1000);
  assert.deepEqual(reminded.splice(0), ['3 s', '3 s']);
});

test('no reminder overtakes or repeats what still waits, and none is given of a deleted object', async (t) => {
  const pods = await FollowedPods.start(t);
  const seen: string[] = [];
  const gate = Promise.withResolvers<void>();
  const slow = pods.informer.addHandler({
    resyncMs: 1000,
    async onDelta(d) {
      if (d.kind === 'updated' || d.kind === 'deleted') await gate.promise;
      seen.push(d.kind === 'updated' && d.resync ? `reminded ${d.object.metadata.name}` : nameOf(d));
    },
  });
  const stream = await pods.sync('10', [
    aPod('a').atVersion(1).build(),
    aPod('b').atVersion(2).build(),
    aPod('c').atVersion(3).build(),
  ]);
  await slow.waitForSync();
  stream.event('MODIFIED', aPod('c').atVersion(11).build());
  stream.event('MODIFIED', aPod('a').atVersion(12).build());
  stream.event('DELETED', aPod('b').atVersion(13).build());
  await pods.untilDelivered('deleted b');
  for (let i = 0; i < 5; i++) await pods.clock.advance(1000);
  assert.equal(slow.waiting, 4, 'c runs; a and the delete of b wait; c is reminded once, not five times');
  gate.resolve();
  while (slow.waiting > 0) await settle();
  assert.deepEqual(seen.slice(3), ['updated c', 'updated a', 'deleted b', 'reminded c']);
});

test('a relist delivers to each handler what changed, and nothing of what did not', async (t) => {
  const pods = await FollowedPods.start(t);
  const plain = recording();
  pods.informer.addHandler(plain);
  const stream = await pods.sync('2', [aPod('pod1').atVersion(1).build(), aPod('pod2').atVersion(2).build()]);
  stream.bookmark('Pod', '3');
  await pods.untilDelivered('progress 3');
  stream.error(410, 'Expired');
  await pods.sync('6', [
    aPod('pod1').atVersion(1).build(),
    aPod('pod2').atVersion(4).build(),
    aPod('pod3').atVersion(5).build(),
  ]);
  assert.deepEqual(plain.seen.slice(2), ['updated pod2', 'added pod3']);
  const [update, add] = pods.deltas.slice(-3);
  assert.equal(update?.kind === 'updated' && update.previous.metadata.resourceVersion, '2');
  assert.equal(update?.kind === 'updated' && update.source, 'list', 'found out by a listing, not seen as it happened');
  assert.equal(add?.kind === 'added' && add.initial, false);
});

test('the removal of a handler that hangs with a full line lets the watch go on', async (t) => {
  const pods = await FollowedPods.start(t);
  const hung = pods.informer.addHandler({ onDelta: () => new Promise<void>(() => {}) });
  const stream = await pods.sync('10');
  let version = 10;
  for (let i = 0; i < 3000; i++) stream.event('ADDED', aPod(`p${i}`).atVersion(++version).build());
  while (hung.waiting < 1024) await settle();
  await settle();
  assert.ok(Number(pods.informer.lastVersion) < version, 'the watch is held up');
  hung.remove();
  await pods.until(() => pods.informer.lastVersion === String(version));
});

test('an index function that throws leaves that object out of that index, and nothing else', async (t) => {
  const pods = await FollowedPods.start(t, {
    indexes: {
      node(pod) {
        if (pod.metadata.name === 'bad') throw new Error('no');
        return [pod.spec.nodeName];
      },
    },
  });
  const stream = await pods.sync('10', [aPod('a').onNode('n1').build()]);
  stream.event('ADDED', aPod('bad').onNode('n1').atVersion(11).build());
  await pods.untilDelivered('added bad');
  assert.deepEqual(pods.names, ['a', 'bad']);
  assert.deepEqual(
    pods.informer.lister.byIndex('node', 'n1').map((p) => p.metadata.name),
    ['a'],
  );
  assert.equal(pods.informer.counters.indexFailures, 1);
});

test('handlers that come and go at random between random events never see one out of order (seed 36)', async (t) => {
  const random = seededRandom(36);
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10');
  const live = new Map<number, string>();
  const registrations: HandlerRegistration[] = [];
  let version = 10;
  let checked = 0;
  const checking = () => {
    const known = new Map<string, number>();
    return pods.informer.addHandler({
      async onDelta(delta) {
        if (!('object' in delta)) return;
        if (random() < 0.2) await settle();
        const { name = '', resourceVersion } = delta.object.metadata;
        assert.equal(known.has(name), delta.kind !== 'added', `${nameOf(delta)} of a ${known.has(name)} object`);
        assert.ok(Number(resourceVersion) > (known.get(name) ?? 0), nameOf(delta));
        if (delta.kind === 'deleted') known.delete(name);
        else known.set(name, Number(resourceVersion));
        checked++;
      },
    });
  };
  for (let i = 0; i < 2000; i++) {
    const pick = [...live.keys()][Math.floor(random() * live.size)];
    const draw = random();
    if (pick === undefined || draw < 0.4) {
      live.set(i, `p${i}`);
      stream.event('ADDED', aPod(`p${i}`).atVersion(++version).build());
    } else if (draw < 0.7) {
      stream.event('MODIFIED', aPod(`p${pick}`).atVersion(++version).build());
    } else {
      live.delete(pick);
      stream.event('DELETED', aPod(`p${pick}`).atVersion(++version).build());
    }
    if (random() < 0.1) registrations.push(checking());
    if (random() < 0.08) registrations.splice(Math.floor(random() * registrations.length), 1)[0]?.remove();
    if (i % 20 === 0) await settle();
  }
  await pods.until(() => pods.informer.lastVersion === String(version));
  for (const registration of registrations) while (registration.waiting > 0) await settle();
  assert.deepEqual(pods.names.sort(), [...live.values()].sort());
  assert.deepEqual(
    registrations.map((r) => r.failures),
    registrations.map(() => 0),
  );
  assert.ok(checked > 2000, `${checked}`);
});

test('a handler that fails on every object is called for each, counted, and synced all the same', async (t) => {
  const failed: string[] = [];
  const pods = await FollowedPods.start(t, {
    onHandlerFailure: (f) => failed.push(`${f.handler}: ${nameOf(f.delta)}`),
  });
  const handlers = ['first', 'second'].map((name) =>
    pods.informer.addHandler({
      name,
      attempts: 1,
      onDelta() {
        throw new Error('always');
      },
    }),
  );
  await pods.sync('10', [aPod('a').build(), aPod('b').build()]);
  for (const handler of handlers) await handler.waitForSync();
  assert.deepEqual(failed.sort(), ['first: added a', 'first: added b', 'second: added a', 'second: added b']);
  assert.deepEqual(
    handlers.map((h) => h.failures),
    [2, 2],
  );
});
