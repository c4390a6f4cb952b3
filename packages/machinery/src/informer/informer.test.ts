import assert from 'node:assert/strict';
import { test } from 'node:test';
import { POD } from '../codec/kind.ts';
import type { PodView } from '../codec/pod-view.ts';
import { FollowedPods } from '../testing/followed-pods.ts';
import { aPod } from '../testing/pod-builder.ts';
import type { Transport } from '../transport/transport.ts';
import type { Delta } from './delta.ts';
import { Informer } from './informer.ts';

const nameOf = (delta: Delta<PodView>): string =>
  'object' in delta ? `${delta.kind} ${delta.object.metadata.name}` : delta.kind;

test('a handler that joins late is given what the cache holds first, then what happens', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10', [aPod('a').atVersion(8).build(), aPod('b').atVersion(9).build()]);
  const seen: string[] = [];
  const late = pods.informer.addHandler({ onDelta: (d) => void seen.push(nameOf(d)) });
  await late.waitForSync();
  stream.event('DELETED', aPod('a').atVersion(11).build());
  await pods.untilDelivered('deleted a');
  assert.deepEqual(seen, ['added a', 'added b', 'deleted a']);
});

test('a handler is synced only when it has handled the whole first listing', async (t) => {
  const pods = await FollowedPods.start(t);
  const gate = Promise.withResolvers<void>();
  const slow = pods.informer.addHandler({ onDelta: () => gate.promise });
  await pods.sync('10', [aPod('a').build(), aPod('b').build()]);
  assert.equal(pods.informer.synced, true);
  assert.equal(slow.synced, false);
  assert.equal(slow.waiting, 2);
  gate.resolve();
  await slow.waitForSync();
});

test('a removed handler gets nothing more, the others go on', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10', [aPod('a').atVersion(8).build()]);
  const seen: string[] = [];
  const gone = pods.informer.addHandler({ onDelta: (d) => void seen.push(nameOf(d)) });
  await gone.waitForSync();
  gone.remove();
  stream.event('DELETED', aPod('a').atVersion(11).build());
  await pods.untilDelivered('deleted a');
  assert.deepEqual(seen, ['added a']);
});

test('fault 15: a handler that throws delays neither the cache, nor the version, nor another handler', async (t) => {
  const failures: string[] = [];
  const pods = await FollowedPods.start(t, { onHandlerFailure: (f) => failures.push(f.handler) });
  const bad = pods.informer.addHandler({
    name: 'bad',
    attempts: 1,
    onDelta() {
      throw new Error('always');
    },
  });
  const stream = await pods.sync('10', [aPod('a').atVersion(8).build()]);
  stream.event('MODIFIED', aPod('a').atVersion(11).build());
  await pods.untilDelivered('updated a');
  await bad.waitForSync();
  assert.equal(pods.informer.lastVersion, '11');
  assert.ok(bad.failures >= 1);
  assert.equal(failures[0], 'bad');
});

test('a late delete of an earlier UID does not take its replacement away', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10');
  stream.event('ADDED', aPod('db-0').withUid('new').atVersion(12).build());
  for (const version of [11, 12]) stream.event('DELETED', aPod('db-0').withUid('old').atVersion(version).build());
  stream.bookmark('Pod', '14');
  await pods.untilDelivered('progress 14');
  assert.equal(pods.informer.lister.get('default/db-0')?.metadata.uid, 'new');
});

test('a delete of another UID at an opaque version, which may be late, takes nothing away', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('a1');
  stream.event('ADDED', aPod('db-0').withUid('new').atVersion('a3').build());
  stream.event('DELETED', aPod('db-0').withUid('old').atVersion('a4').build());
  stream.bookmark('Pod', 'a5');
  await pods.untilDelivered('progress a5');
  assert.equal(pods.informer.lister.get('default/db-0')?.metadata.uid, 'new');
});

test('a delete of another UID that is newer than what is held frees the name: what is held ended unseen', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10', [aPod('db-0').withUid('first').atVersion(8).build()]);
  // The delete of the first and the add of the second were lost.
  stream.event('DELETED', aPod('db-0').withUid('second').atVersion(13).build());
  stream.bookmark('Pod', '14');
  await pods.untilDelivered('progress 14');
  assert.deepEqual(pods.story.slice(2), ['deleted db-0 (final state unknown)', 'progress 14']);
  const deleted = pods.deltas.find((delta) => delta.kind === 'deleted');
  assert.equal(deleted?.object.metadata.uid, 'first');
  assert.deepEqual(pods.names, []);
});

test('an add under a name whose delete was lost ends the earlier life first', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10', [aPod('db-0').withUid('old').atVersion(8).build()]);
  stream.event('ADDED', aPod('db-0').withUid('new').atVersion(12).build());
  await pods.until(() => pods.story.filter((line) => line === 'added db-0').length === 2);
  assert.deepEqual(pods.story.slice(-2), ['deleted db-0 (final state unknown)', 'added db-0']);
});

test('an informer is named after what it follows, for checks and messages', () => {
  const transport = {} as Transport;
  const names = [undefined, 'shop'].map((namespace) => new Informer({ transport, ...POD, namespace }).name);
  assert.deepEqual(names, ['pods', 'pods in shop']);
});

test('a delete carries the final state', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10', [aPod('a').atVersion(8).inPhase('Running').build()]);
  stream.event('DELETED', aPod('a').atVersion(11).inPhase('Failed').build());
  await pods.untilDelivered('deleted a');
  const deleted = pods.deltas.at(-1);
  assert.equal(deleted?.kind === 'deleted' && deleted.object.status.phase, 'Failed');
});

test('the transform runs on every object; one that throws leaves the object as it came', async (t) => {
  const pods = await FollowedPods.start(t, {
    transform(pod) {
      if (pod.metadata.name === 'bad') throw new Error('no');
      return { ...pod, spec: { ...pod.spec, nodeName: 'rewritten' } };
    },
  });
  await pods.sync('10', [aPod('a').onNode('n1').build(), aPod('bad').onNode('n1').build()]);
  assert.equal(pods.informer.lister.get('default/a')?.spec.nodeName, 'rewritten');
  assert.equal(pods.informer.lister.get('default/bad')?.spec.nodeName, 'n1');
  assert.equal(pods.informer.counters.transformFailures, 1);
});

test('indexes follow the cache, and may be added while it lives', async (t) => {
  const pods = await FollowedPods.start(t, {
    indexes: { node: (pod) => (pod.spec.nodeName === '' ? [] : [pod.spec.nodeName]) },
  });
  const stream = await pods.sync('10', [aPod('a').onNode('n1').atVersion(8).build()]);
  pods.informer.addIndex('ip', (pod) => pod.status.podIPs);
  stream.event('MODIFIED', aPod('a').onNode('n1').withIp('10.0.0.7', 'fd00::7').atVersion(11).build());
  await pods.untilDelivered('updated a');
  const found = (index: string, value: string) =>
    pods.informer.lister.byIndex(index, value).map((p) => p.metadata.name);
  assert.deepEqual(found('node', 'n1'), ['a']);
  assert.deepEqual(found('ip', 'fd00::7'), ['a']);
  stream.event('DELETED', aPod('a').atVersion(12).build());
  await pods.untilDelivered('deleted a');
  assert.deepEqual(pods.informer.lister.indexValues('ip'), []);
});

test('a resync reminds of every object on its own period, marked as such, to the handler that asked only', async (t) => {
  const pods = await FollowedPods.start(t);
  const reminded: boolean[] = [];
  pods.informer.addHandler({ resyncMs: 1000, onDelta: (d) => void (d.kind === 'updated' && reminded.push(d.resync)) });
  await pods.sync('10', [aPod('a').build(), aPod('b').build()]);
  await pods.clock.advance(2000);
  assert.deepEqual(reminded, [true, true, true, true]);
  assert.equal(
    pods.story.some((line) => line.startsWith('updated')),
    false,
  );
});

test('a lister never calls the API', async (t) => {
  const pods = await FollowedPods.start(t);
  await pods.sync('10', [aPod('a').build(), aPod('b').inNamespace('other').build()]);
  const { lister } = pods.informer;
  assert.equal(lister.size, 2);
  assert.equal(lister.getIn('other', 'b')?.metadata.name, 'b');
  assert.deepEqual(
    lister.list({ namespace: 'other' }).map((p) => p.metadata.name),
    ['b'],
  );
  assert.deepEqual(lister.list({ where: (p) => p.metadata.name === 'a' }).length, 1);
  assert.deepEqual(lister.keys(), ['default/a', 'other/b']);
  assert.equal(pods.server.requests, 1);
});

test('waiting for a sync that never comes ends with its signal', async (t) => {
  const pods = await FollowedPods.start(t);
  const impatient = new AbortController();
  const waiting = pods.informer.waitForSync(impatient.signal);
  impatient.abort(new Error('enough'));
  await assert.rejects(waiting, /enough/);
});

test('fault 30: annotation keys constructor, toString and __proto__ are keys like any other', async (t) => {
  const pods = await FollowedPods.start(t);
  const annotations = JSON.parse('{"constructor":"c","toString":"t","__proto__":"p"}') as Record<string, string>;
  await pods.sync('10', [aPod('a').withAnnotations(annotations).build()]);
  const kept = pods.informer.lister.get('default/a')?.metadata.annotations;
  assert.deepEqual([kept?.get('constructor'), kept?.get('toString'), kept?.get('__proto__')], ['c', 't', 'p']);
  assert.equal(kept?.get('hasOwnProperty'), undefined);
});

test('fault 11: while a handler is slow the watch is not read, memory stays bounded and nothing is lost', async (t) => {
  const pods = await FollowedPods.start(t);
  const total = 50_000;
  let handled = 0;
  let longest = 0;
  const gate = Promise.withResolvers<void>();
  const slow = pods.informer.addHandler({
    name: 'slow store',
    async onDelta() {
      await gate.promise;
      handled++;
    },
  });
  const stream = await pods.sync('10');
  // Written as fast as the socket takes it; `false` means that the client has stopped reading.
  const padding = 'x'.repeat(1000);
  let version = 10;
  let refused = 0;
  for (let i = 0; i < total; i++) {
    const pod = aPod(`p${i % 500}`)
      .atVersion(++version)
      .withAnnotations({ padding })
      .build();
    if (!stream.event(i < 500 ? 'ADDED' : 'MODIFIED', pod)) refused++;
    if (i % 500 === 499) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      longest = Math.max(longest, slow.waiting);
    }
  }
  assert.ok(longest >= 1024, `the line never filled: ${longest}`);
  assert.ok(longest < 2048, `the line grew to ${longest}`);
  assert.ok(refused > 0, 'the server felt no back-pressure');
  gate.resolve();
  await pods.until(() => pods.informer.lastVersion === String(version));
  while (slow.waiting > 0) await new Promise<void>((resolve) => setImmediate(resolve));
  assert.equal(handled, total);
});

test('a handler that asks for marks gets where a listing begins and where it ends', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10', [aPod('a').atVersion(8).build(), aPod('b').atVersion(9).build()]);
  assert.deepEqual(pods.deltas.map(nameOf), ['relist-began', 'added a', 'added b', 'relist-ended']);
  stream.bookmark('Pod', '11');
  await pods.untilDelivered('progress 11');
  stream.error(410, 'Expired');
  await pods.sync('20', [aPod('a').atVersion(8).build()]);
  assert.deepEqual(pods.deltas.slice(5).map(nameOf), ['relist-began', 'deleted b', 'relist-ended']);
});
