// The transitions of the reflector's states that the tests of single faults do not take.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { POD } from '../codec/kind.ts';
import { Informer } from '../informer/informer.ts';
import { answerListing, FollowedPods } from '../testing/followed-pods.ts';
import { aPod } from '../testing/pod-builder.ts';
import { ScriptedServer } from '../testing/scripted-server.ts';
import { HttpTransport } from '../transport/http-transport.ts';

const A_YEAR_MS = 31_536_000_000;

function kinds(pods: FollowedPods): string[] {
  return pods.states.map(({ kind }) => kind);
}

function relists(pods: FollowedPods): string[] {
  return pods.story.filter((line) => line.startsWith('relisted'));
}

test('backing off → checking → watching: after a break the check is a state of its own', async (t) => {
  const pods = await FollowedPods.start(t);
  (await pods.sync('10')).break();
  await pods.waitOut();
  const probe = await pods.server.next();
  assert.equal(pods.informer.state.kind, 'checking');
  probe.list('Pod', '20', []);
  (await pods.server.next()).stream();
  assert.deepEqual(kinds(pods), ['listing', 'watching', 'waiting', 'checking', 'watching']);
});

test('checking → backing off → checking: a check that fails is made again before the watch', async (t) => {
  const pods = await FollowedPods.start(t);
  (await pods.sync('10')).break();
  await pods.waitOut();
  (await pods.server.next()).refuse(503, 'ServiceUnavailable');
  assert.equal((await pods.untilWaiting()).next, 'watch');
  await pods.waitOut();
  const again = await pods.server.next();
  assert.equal(again.query.get('limit'), '1');
  again.list('Pod', '20', []);
  assert.equal((await pods.server.next()).query.get('resourceVersion'), '10');
});

test('checking → listing: a rewind that is reported during the check is listed at once, whatever the check says', async (t) => {
  const pods = await FollowedPods.start(t);
  (await pods.sync('10')).break();
  await pods.waitOut();
  const probe = await pods.server.next();
  pods.informer.rewound();
  probe.list('Pod', '20', []);
  const next = await pods.server.next();
  assert.equal(next.query.get('sendInitialEvents'), 'true');
  answerListing(next, '21', []);
  await pods.untilDelivered('relisted rewound@21');
});

test('listing by stream → listing: a rewind that is reported meanwhile ends the stream and nothing of it is taken', async (t) => {
  const pods = await FollowedPods.start(t);
  (await pods.sync('10', [aPod('a').atVersion(8).build()])).error(410, 'Expired');
  await pods.waitOut();
  const stream = (await pods.server.next()).stream();
  stream.event('ADDED', aPod('of-the-old-life').atVersion(12).build());
  pods.informer.rewound();
  await stream.closed;
  await pods.sync('30', [aPod('a').atVersion(8).build()]);
  assert.deepEqual(relists(pods), ['relisted start@10', 'relisted rewound@30']);
  assert.deepEqual(pods.names, ['a']);
});

test('listing by pages → listing: a rewind that is reported meanwhile makes the listing again', async (t) => {
  const pods = await FollowedPods.start(t, { streaming: false });
  (await pods.server.next()).list('Pod', '10', []);
  (await pods.server.next()).refuse(410, 'Expired');
  await pods.waitOut();
  const listing = await pods.server.next();
  pods.informer.rewound();
  listing.list('Pod', '20', [aPod('of-the-old-life').atVersion(12).build()]);
  (await pods.server.next()).list('Pod', '30', []);
  await pods.untilDelivered('relisted rewound@30');
  assert.deepEqual(relists(pods), ['relisted start@10', 'relisted rewound@30']);
});

test('backing off → listing: a rewind that is reported during the pause is listed instead of watched', async (t) => {
  const pods = await FollowedPods.start(t);
  (await pods.sync('10')).end();
  await pods.untilWaiting();
  pods.informer.rewound();
  await pods.waitOut();
  await pods.sync('12');
  assert.deepEqual(relists(pods), ['relisted start@10', 'relisted rewound@12']);
});

test('listing by stream → backing off: a listing that is cut off does not make the gap before it shorter', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10');
  stream.bookmark('Pod', '11');
  await pods.untilDelivered('progress 11');
  const seenAt = pods.clock.now();
  stream.error(410, 'Expired');
  const cut = (await pods.server.next()).stream();
  cut.event('ADDED', aPod('a').atVersion(12).build());
  await pods.clock.advance(10_000);
  cut.error(500, 'InternalError', 'etcdserver: leader changed');
  await pods.waitOut();
  await pods.sync('20', [aPod('a').atVersion(12).build()]);
  const relisted = pods.deltas.findLast((delta) => delta.kind === 'relist-began');
  assert.equal(relisted?.kind === 'relist-began' && relisted.relist.from, seenAt, 'since the watch was last complete');
});

test('replaying → checking → replaying: a doubt ends the stream, and the replay goes on where it was', async (t) => {
  const pods = await FollowedPods.start(t, { startFrom: '100' });
  answerListing(await pods.server.next(), '120', []);
  const stream = (await pods.server.next()).stream();
  stream.event('ADDED', aPod('a').atVersion(105).build());
  await pods.untilDelivered('replayed added a');
  pods.informer.doubt();
  await stream.closed;
  await pods.waitOut();
  (await pods.server.next()).list('Pod', '130', []);
  const watch = await pods.server.next();
  assert.deepEqual([watch.query.get('resourceVersion'), watch.query.get('timeoutSeconds')], ['105', '10']);
});

test('replaying → listing: what the server cannot read ends the replay before the new listing', async (t) => {
  const pods = await FollowedPods.start(t, { startFrom: '100' });
  answerListing(await pods.server.next(), '120', []);
  (await pods.server.next()).stream().error(500, 'StorageReadError', 'corrupt object has been deleted');
  assert.equal((await pods.untilWaiting()).next, 'list');
  await pods.waitOut();
  await pods.sync('130');
  assert.deepEqual(pods.story, ['relisted start@120', 'caught up expired 100..120', 'relisted undecodable@130']);
});

test('replaying → watching: the same stream goes on, and its state is not reported twice', async (t) => {
  const pods = await FollowedPods.start(t, { startFrom: '100' });
  answerListing(await pods.server.next(), '120', []);
  const stream = (await pods.server.next()).stream();
  stream.bookmark('Pod', '121');
  await pods.untilDelivered('progress 121');
  assert.deepEqual(kinds(pods), ['listing', 'watching']);
});

test('listing → stopped: a signal that is aborted by the observer of the state leaves no stream open', async (t) => {
  const server = await ScriptedServer.start();
  t.after(() => server.stop());
  const stop = new AbortController();
  const transport = new HttpTransport(server.config());
  const informer = new Informer({ transport, ...POD, onState: ({ kind }) => kind === 'listing' && stop.abort() });
  await informer.start(stop.signal);
  assert.equal(informer.state.kind, 'stopped');
  await transport.close();
});

test('checking → stopped: no request and no timer stay behind', async (t) => {
  const pods = await FollowedPods.start(t, { consistencyMs: A_YEAR_MS });
  const stream = await pods.sync('10');
  stream.bookmark('Pod', '11');
  await pods.untilDelivered('progress 11');
  stream.break();
  await pods.waitOut();
  const comparison = await pods.server.next();
  await pods.pause();
  await comparison.closed;
  assert.equal(pods.informer.state.kind, 'stopped');
  assert.equal(pods.clock.pending, 0);
});
