import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerListing, FollowedPods } from '../testing/followed-pods.ts';
import { aPod } from '../testing/pod-builder.ts';

test('fault 01: 410 at the opening of a watch relists once and goes on', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10', [aPod('a').atVersion(8).build()]);
  stream.bookmark('Pod', '11');
  await pods.untilDelivered('progress 11');
  stream.end();
  await pods.waitOut();
  (await pods.server.next()).refuse(410, 'Expired', 'too old resource version: 11 (20)');
  await pods.sync('30', [aPod('a').atVersion(8).build()]);
  assert.deepEqual(
    pods.story.filter((line) => line.startsWith('relisted')),
    ['relisted start@10', 'relisted expired@30'],
  );
});

test('fault 01: a server that answers 410 to every version is asked with growing pauses, not in a loop', async (t) => {
  const pods = await FollowedPods.start(t, { streaming: false });
  const pauses: number[] = [];
  for (let i = 0; i < 6; i++) {
    (await pods.server.next()).list('Pod', String(10 + i), []);
    (await pods.server.next()).refuse(410, 'Expired');
    pauses.push(await pods.waitOut());
  }
  for (const [i, pause] of pauses.entries()) {
    const base = Math.min(30_000, 800 * 2 ** i);
    assert.ok(pause >= base / 2 && pause <= base, `pause ${i} of ${pause} ms`);
  }
});

test('fault 01: a server that sends one event and 410 each time is listed with growing pauses, until a watch lives', async (t) => {
  const pods = await FollowedPods.start(t);
  let version = 10;
  const answerOnce = async () => {
    const stream = await pods.sync(String(version));
    stream.event(
      'ADDED',
      aPod(`p${version}`)
        .atVersion(version + 1)
        .build(),
    );
    await pods.untilDelivered(`added p${version}`);
    version += 10;
    return stream;
  };
  (await answerOnce()).error(410, 'Expired');
  for (let i = 0; i < 6; i++) {
    (await answerOnce()).error(410, 'Expired');
    const pause = await pods.waitOut();
    const base = Math.min(30_000, 800 * 2 ** i);
    assert.ok(pause >= base / 2 && pause <= base, `pause ${i} of ${pause} ms`);
  }
  const healthy = await answerOnce();
  const waits = pods.states.filter(({ kind }) => kind === 'waiting').length;
  await pods.clock.advance(30_000);
  healthy.error(410, 'Expired');
  await pods.sync(String(version));
  assert.equal(pods.states.filter(({ kind }) => kind === 'waiting').length, waits, 'the first one is listed at once');
});

test('fault 03: a stream that goes silent after a bookmark is given up after 75 s and goes on from the last version without a relist', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10');
  stream.bookmark('Pod', '12');
  await pods.untilDelivered('progress 12');
  await pods.clock.advance(74_000);
  assert.equal(pods.informer.state.kind, 'watching');
  await pods.clock.advance(1_000);
  const waiting = await pods.untilWaiting();
  assert.match(waiting.error.message, /silent for 75 s/);
  assert.equal(waiting.next, 'watch');
  await stream.closed;
  await pods.waitOut();
  const probe = await pods.server.next();
  assert.equal(
    probe.query.get('limit'),
    '1',
    'another server may be behind the address: its version is asked for first',
  );
  probe.list('Pod', '40', []);
  const watch = await pods.server.next();
  assert.equal(watch.query.get('resourceVersion'), '12');
});

test('fault 03: a stream on which no bookmark was seen may be silent for three minutes', async (t) => {
  const pods = await FollowedPods.start(t, { streaming: false });
  (await pods.server.next()).list('Pod', '10', []);
  const stream = (await pods.server.next()).stream();
  stream.event('ADDED', aPod('a').atVersion(11).build());
  await pods.untilDelivered('added a');
  await pods.clock.advance(179_000);
  assert.equal(pods.informer.state.kind, 'watching');
  await pods.clock.advance(1_000);
  assert.match((await pods.untilWaiting()).error.message, /silent for 180 s/);
});

test('a request that is never answered is given up', async (t) => {
  const pods = await FollowedPods.start(t);
  await pods.server.next();
  await pods.clock.advance(30_000);
  assert.match((await pods.untilWaiting()).error.message, /silent for 30 s/);
});

test('fault 06: after a broken connection a server whose versions went backwards is listed again as a rewind', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('100', [aPod('a').atVersion(90).build(), aPod('late').atVersion(95).build()]);
  stream.break();
  await pods.waitOut();
  (await pods.server.next()).list('Pod', '92', []);
  await pods.sync('92', [aPod('a').atVersion(90).build()]);
  assert.deepEqual(pods.story.slice(-3), ['relisted rewound@92', 'deleted late (final state unknown)', 'updated a']);
  assert.equal(pods.informer.lastVersion, '92');
});

test('fault 06: a load balancer without servers behind it is an outage, too: versions are looked at before the watch', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('100', [aPod('a').atVersion(90).build()]);
  await pods.clock.advance(6000);
  stream.end();
  (await pods.server.next()).refuse(503, 'ServiceUnavailable');
  await pods.waitOut();
  const probe = await pods.server.next();
  assert.equal(probe.isWatch, false);
  probe.list('Pod', '50', []);
  await pods.sync('51', []);
  assert.deepEqual(pods.story.slice(-2), ['relisted rewound@51', 'deleted a (final state unknown)']);
});

test('fault 06: a watch that was opened from a version yet to come is ended when it is known that versions went back', async (t) => {
  const pods = await FollowedPods.start(t);
  await pods.sync('100', [aPod('a').atVersion(90).build()]);
  await pods.clock.advance(6000);
  pods.informer.doubt();
  const probe = await pods.server.next();
  assert.equal(probe.isWatch, false);
  probe.list('Pod', '50', []);
  await pods.sync('51', []);
  assert.deepEqual(pods.story.slice(-2), ['relisted rewound@51', 'deleted a (final state unknown)']);
});

test('a doubt that turns out to be none costs one look, and the watch goes on where it was', async (t) => {
  const pods = await FollowedPods.start(t);
  await pods.sync('100', [aPod('a').atVersion(90).build()]);
  await pods.clock.advance(6000);
  pods.informer.doubt();
  (await pods.server.next()).list('Pod', '120', []);
  const watch = await pods.server.next();
  assert.equal(watch.isWatch, true);
  assert.equal(watch.query.get('resourceVersion'), '100');
});

test('fault 06: after a rewind an object of the same version is taken as it is listed: versions are given out again', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('100', [aPod('a').atVersion(95).inPhase('Running').build()]);
  stream.break();
  await pods.waitOut();
  (await pods.server.next()).list('Pod', '96', []);
  await pods.sync('97', [aPod('a').atVersion(95).inPhase('Failed').build()]);
  assert.equal(pods.informer.lister.get('default/a')?.status.phase, 'Failed');
  assert.deepEqual(pods.story.slice(-2), ['relisted rewound@97', 'updated a']);
});

test('fault 09: a refused connection is tried again for ever, with pauses from 0.1 to 2 s', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10');
  await pods.server.stop();
  await stream.closed;
  for (let i = 0; i < 12; i++) {
    const waiting = await pods.untilWaiting();
    assert.match(waiting.error.message, i === 0 ? /./ : /ECONNREFUSED/);
    const pause = await pods.waitOut();
    const base = Math.min(2000, 100 * 2 ** i);
    assert.ok(pause >= base / 2 && pause <= base, `pause ${i} of ${pause} ms`);
    await pods.until(() => pods.informer.state.kind === 'waiting' && pods.informer.state !== waiting);
  }
});

test('fault 10: a watch that is closed at once is opened again with growing pauses', async (t) => {
  const pods = await FollowedPods.start(t);
  (await pods.sync('10')).end();
  const pauses: number[] = [];
  for (let i = 0; i < 5; i++) {
    pauses.push(await pods.waitOut());
    const call = await pods.server.next();
    assert.equal(call.query.get('resourceVersion'), '10');
    call.stream().end();
  }
  assert.ok(pauses[4]! > pauses[0]! * 4, `${pauses}`);
});

test('a watch that the server ends in order after minutes is opened again at once', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10');
  for (let minute = 0; minute < 6; minute++) {
    await pods.clock.advance(60_000);
    stream.bookmark('Pod', String(20 + minute));
    await pods.untilDelivered(`progress ${20 + minute}`);
  }
  stream.end();
  assert.equal((await pods.server.next()).query.get('resourceVersion'), '25');
  assert.equal(
    pods.states.some((state) => state.kind === 'waiting'),
    false,
  );
});

for (const [what, body] of [
  [
    'a list instead of a watch',
    '{"kind":"PodList","apiVersion":"v1","metadata":{"resourceVersion":"99"},"items":[]}\n',
  ],
  ['a list written over several lines', '{\n  "kind": "PodList",\n  "items": []\n}\n'],
  ['a login page', '<html><body>Sign in</body></html>\n'],
  [
    'another kind',
    '{"type":"ADDED","object":{"kind":"Node","apiVersion":"v1","metadata":{"name":"n","resourceVersion":"50"}}}\n',
  ],
] as const) {
  test(`fault 10: ${what} is an error with a pause, moves no version and touches no object`, async (t) => {
    const pods = await FollowedPods.start(t);
    (await pods.sync('10', [aPod('a').atVersion(8).build()])).end();
    await pods.waitOut();
    const stream = (await pods.server.next()).stream();
    stream.write(body);
    stream.end();
    const waiting = await pods.untilWaiting();
    assert.equal((waiting.error as { code?: string }).code, 'decode');
    assert.equal(pods.informer.lastVersion, '10');
    assert.deepEqual(pods.names, ['a']);
    assert.ok((await pods.waitOut()) >= 400);
  });
}

test('fault 12: a truncated frame is an error, and the version stays before it', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10');
  stream.event('ADDED', aPod('a').atVersion(11).build());
  stream.write('{"type":"ADDED","object":{"kind":"Pod","apiVersion":"v1","metadata":{"name":"b","resourceVer');
  stream.end();
  const waiting = await pods.untilWaiting();
  assert.match(waiting.error.message, /inside of a line/);
  assert.equal(pods.informer.lastVersion, '11');
  await pods.waitOut();
  assert.equal((await pods.server.next()).query.get('resourceVersion'), '11');
});

test('fault 12: a garbage frame between two events stops at the garbage', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10');
  stream.event('ADDED', aPod('a').atVersion(11).build());
  stream.write('{"type":"ADDED","object":\x00\xff garbage}\n');
  stream.event('ADDED', aPod('c').atVersion(13).build());
  await pods.untilWaiting();
  assert.deepEqual(pods.names, ['a']);
  assert.equal(pods.informer.lastVersion, '11');
});

test('fault 12: half a UTF-8 character at the edge of a chunk is whole again', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10');
  const pod = aPod('a').atVersion(11).withAnnotations({ note: 'grüß Gott 🙂' }).build();
  const line = Buffer.from(`${JSON.stringify({ type: 'ADDED', object: pod })}\n`);
  const cut = line.indexOf(Buffer.from('🙂')) + 2;
  const half = Promise.withResolvers<void>();
  stream.write(line.subarray(0, cut));
  setImmediate(() => setImmediate(half.resolve));
  await half.promise;
  stream.write(line.subarray(cut));
  await pods.untilDelivered('added a');
  assert.equal(pods.informer.lister.get('default/a')?.metadata.annotations.get('note'), 'grüß Gott 🙂');
});

test('what protobuf cannot read again and again is asked for as JSON, then listed again', async (t) => {
  const pods = await FollowedPods.start(t);
  (await pods.sync('10')).end();
  await pods.waitOut();
  for (let i = 0; i < 4; i++) {
    const call = await pods.server.next();
    assert.equal(String(call.headers.accept).includes('protobuf'), i < 2, `try ${i}`);
    call.stream().write('garbage\n');
    await pods.waitOut();
  }
  await pods.sync('20');
  assert.ok(pods.story.includes('relisted undecodable@20'));
});

test('fault 13: 429 with Retry-After on a watch waits as asked and never relists', async (t) => {
  const pods = await FollowedPods.start(t);
  (await pods.sync('10')).end();
  await pods.waitOut();
  for (let i = 0; i < 3; i++) {
    (await pods.server.next()).refuse(429, 'TooManyRequests', 'slow down', { headers: { 'retry-after': '7' } });
    const waiting = await pods.untilWaiting();
    assert.equal(waiting.next, 'watch');
    const pause = await pods.waitOut();
    assert.ok(pause >= 7000 && pause <= 7700, `${pause}`);
  }
  const call = await pods.server.next();
  assert.equal(call.query.get('resourceVersion'), '10');
  assert.equal(call.query.has('sendInitialEvents'), false);
});

test('fault 13: 503 with Retry-After on the listing waits as asked', async (t) => {
  const pods = await FollowedPods.start(t);
  (await pods.server.next()).refuse(503, 'ServiceUnavailable', 'starting', { headers: { 'retry-after': '3' } });
  const pause = await pods.waitOut();
  assert.ok(pause >= 3000 && pause <= 3300, `${pause}`);
  await pods.sync('10');
});

test('fault 13: a Retry-After of 0, or of a date that is over, is answered by growing pauses, not by a loop', async (t) => {
  const pods = await FollowedPods.start(t);
  const over = new Date(pods.clock.now() - 3_600_000).toUTCString();
  for (let i = 0; i < 6; i++) {
    const headers = { 'retry-after': i % 2 === 0 ? '0' : over };
    (await pods.server.next()).refuse(429, 'TooManyRequests', 'slow down', { headers });
    const pause = await pods.waitOut();
    const base = Math.min(30_000, 800 * 2 ** i);
    assert.ok(pause >= base / 2 && pause <= base, `pause ${i} of ${pause} ms`);
  }
  await pods.sync('10');
});

test('fault 13: a Retry-After of an hour is obeyed for a minute, wherever it stands', async (t) => {
  const pods = await FollowedPods.start(t);
  const refusals = [
    { headers: { 'retry-after': '3600' } },
    { headers: { 'retry-after': new Date(pods.clock.now() + 86_400_000).toUTCString() } },
    { details: { retryAfterSeconds: 3600 } },
  ];
  for (const refusal of refusals) {
    (await pods.server.next()).refuse(503, 'ServiceUnavailable', 'later', refusal);
    const pause = await pods.waitOut();
    assert.ok(pause >= 60_000 && pause <= 66_000, `${pause}`);
  }
  await pods.sync('10');
});

test('500 is answered by pauses from 0.8 to 30 s, for ever', async (t) => {
  const pods = await FollowedPods.start(t);
  for (let i = 0; i < 9; i++) {
    (await pods.server.next()).refuse(500, 'InternalError', 'etcd is away');
    const pause = await pods.waitOut();
    const base = Math.min(30_000, 800 * 2 ** i);
    assert.ok(pause >= base / 2 && pause <= base, `pause ${i} of ${pause} ms`);
  }
  await pods.sync('10');
});

test('an in-stream error that is not 410 goes on from the last version without a relist', async (t) => {
  const pods = await FollowedPods.start(t);
  const stream = await pods.sync('10');
  stream.event('ADDED', aPod('a').atVersion(11).build());
  stream.error(500, 'InternalError', 'etcd event received with PrevKv=nil');
  await pods.waitOut();
  const call = await pods.server.next();
  assert.equal(call.query.get('resourceVersion'), '11');
  assert.equal(call.query.has('sendInitialEvents'), false);
});

test('a watch answered with "too large resource version" is waited out while the server catches up', async (t) => {
  const pods = await FollowedPods.start(t);
  (await pods.sync('10')).end();
  await pods.waitOut();
  const details = {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  };
  (await pods.server.next()).refuse(504, 'Timeout', 'Too large resource version: 10, current: 9', { details });
  await pods.waitOut();
  (await pods.server.next()).list('Pod', '10', []);
  answerListing(await pods.server.next(), '11', []);
  await pods.untilDelivered('progress 11');
  assert.equal(pods.informer.counters.relists, 0);
});

test('403 on the listing is reported in the state and tried again', async (t) => {
  const pods = await FollowedPods.start(t);
  (await pods.server.next()).refuse(403, 'Forbidden', 'pods is forbidden: User "x" cannot list');
  const waiting = await pods.untilWaiting();
  assert.match(waiting.error.message, /cannot list/);
  await pods.waitOut();
  await pods.sync('10');
});

for (const [code, reason] of [
  [400, 'BadRequest'],
  [422, 'Invalid'],
] as const) {
  test(`a watch that is refused with ${code} again and again is listed again instead of asked for ever`, async (t) => {
    const pods = await FollowedPods.start(t, { streaming: false });
    (await pods.server.next()).list('Pod', '10', [aPod('a').atVersion(8).build()]);
    for (let i = 0; i < 3; i++) {
      const watch = await pods.server.next();
      assert.equal(watch.query.get('resourceVersion'), '10', `try ${i}`);
      watch.refuse(code, reason, 'invalid resource version');
      assert.ok((await pods.waitOut()) > 0, 'never at once');
    }
    const listing = await pods.server.next();
    assert.equal(listing.isWatch, false);
    listing.list('Pod', '30', [aPod('a').atVersion(8).build()]);
    await pods.untilDelivered('relisted expired@30');
    assert.equal((await pods.server.next()).query.get('resourceVersion'), '30');
  });
}

test('a replay that is refused again and again is given up, and the watch goes on from the listing', async (t) => {
  const pods = await FollowedPods.start(t, { streaming: false, startFrom: '5' });
  (await pods.server.next()).list('Pod', '10', []);
  for (let i = 0; i < 3; i++) {
    const watch = await pods.server.next();
    assert.equal(watch.query.get('resourceVersion'), '5', `try ${i}`);
    watch.refuse(400, 'BadRequest', 'invalid resource version');
    await pods.waitOut();
  }
  await pods.until(() => pods.deltas.some((delta) => delta.kind === 'caught-up' && delta.outcome === 'expired'));
  assert.equal((await pods.server.next()).query.get('resourceVersion'), '10');
});
