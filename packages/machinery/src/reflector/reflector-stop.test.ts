import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podCodec } from '../codec/pod-codec.ts';
import type { PodView } from '../codec/pod-view.ts';
import { Informer } from '../informer/informer.ts';
import { PODS } from '../objects/group-version-resource.ts';
import { answerListing, FollowedPods } from '../testing/followed-pods.ts';
import { ManualClock, settle } from '../testing/manual-clock.ts';
import { aPod } from '../testing/pod-builder.ts';
import { ScriptedServer } from '../testing/scripted-server.ts';
import { HttpTransport } from '../transport/http-transport.ts';

async function notStarted(t: { after(done: () => Promise<void>): void }) {
  const server = await ScriptedServer.start();
  t.after(() => server.stop());
  const clock = new ManualClock();
  const transport = new HttpTransport(server.config(), { clock });
  const informer = new Informer<PodView>({ transport, resource: PODS, codec: podCodec, clock });
  return { server, clock, informer };
}

test('an informer that is never started holds no timer and asks nothing, handlers or not', async (t) => {
  const { server, clock, informer } = await notStarted(t);
  informer.addHandler({ resyncMs: 1000, onDelta() {} });
  await settle();
  assert.equal(informer.state.kind, 'idle');
  assert.equal(clock.pending, 0);
  assert.equal(server.requests, 0);
});

test('the state goes from idle over listing and watching to stopped', async (t) => {
  const { server, informer } = await notStarted(t);
  const stop = new AbortController();
  const kinds: string[] = [informer.state.kind];
  const running = informer.start(stop.signal);
  kinds.push(informer.state.kind);
  answerListing(await server.next(), '10', []);
  await informer.waitForSync();
  await settle();
  kinds.push(informer.state.kind);
  stop.abort();
  await running;
  kinds.push(informer.state.kind);
  assert.deepEqual(kinds, ['idle', 'listing', 'watching', 'stopped']);
});

test('a signal that was aborted before the start asks the server nothing', async (t) => {
  const { server, clock, informer } = await notStarted(t);
  await informer.start(AbortSignal.abort());
  await settle();
  assert.equal(informer.state.kind, 'stopped');
  assert.equal(server.requests, 0);
  assert.equal(clock.pending, 0);
});

test('stopping in the middle of a streaming listing closes it and shows nothing of it', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = (await pods.server.next()).stream();
  stream.event('ADDED', aPod('p1').atVersion(1).build());
  await pods.stop();
  await stream.closed;
  assert.deepEqual(pods.story, []);
  assert.equal(pods.informer.state.kind, 'stopped');
});

test('stopping between two pages asks for no further page and shows nothing', async (t) => {
  const pods = await FollowedPods.start(t, { streaming: false, pageSize: 1 });
  (await pods.server.next()).list('Pod', '10', [aPod('p1').build()], 'token');
  const second = await pods.server.next();
  await pods.stop();
  await second.closed;
  assert.equal(pods.server.requests, 2);
  assert.deepEqual(pods.story, []);
});

test('stopping during a pause ends at once, however long the pause', async (t) => {
  const pods = await FollowedPods.start(t);
  (await pods.server.next()).refuse(503, 'ServiceUnavailable', 'gone', { headers: { 'retry-after': '3600' } });
  await pods.untilWaiting();
  await pods.stop();
  assert.equal(pods.informer.state.kind, 'stopped');
  assert.equal(pods.clock.pending, 0, 'no timer is left behind');
});

test('a stopped watch leaves no timer and no connection behind', async (t) => {
  const pods = await FollowedPods.start(t);
  pods.informer.addHandler({ resyncMs: 1000, onDelta() {} });
  const stream = await pods.sync('10', [aPod('p1').atVersion(1).build()]);
  await pods.stop();
  await stream.closed;
  assert.equal(pods.clock.pending, 0);
});

test('a stopped informer may be started again: it lists, delivers what changed meanwhile, and reminds again', async (t) => {
  const pods = await FollowedPods.start(t);
  let reminders = 0;
  pods.informer.addHandler({ resyncMs: 1000, onDelta: (d) => void (d.kind === 'updated' && d.resync && reminders++) });
  const stop = new AbortController();
  await pods.sync('10', [aPod('p1').atVersion(1).build(), aPod('p2').atVersion(2).build()]);
  await pods.pause();
  await pods.clock.advance(5000);
  assert.equal(reminders, 0, 'nobody is reminded while it stands still');
  const running = pods.informer.start(stop.signal);
  answerListing(await pods.server.next(), '20', [aPod('p2').atVersion(2).build(), aPod('p3').atVersion(15).build()]);
  await pods.untilDelivered('added p3');
  assert.deepEqual(pods.story.slice(3), ['relisted start@20', 'deleted p1 (final state unknown)', 'added p3']);
  await pods.clock.advance(1000);
  assert.equal(reminders, 2);
  stop.abort();
  await running;
});
