import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FollowedPods } from '../testing/followed-pods.ts';
import { aPod } from '../testing/pod-builder.ts';

test('pages of the asked size are joined into one listing, in the order of the server', async (t) => {
  const pods = await FollowedPods.start(t, { streaming: false, pageSize: 4 });
  const all = Array.from({ length: 10 }, (_, i) => aPod(`pod-${i}`).atVersion(i).build());
  for (const [from, token, next] of [
    [0, null, 'c1'],
    [4, 'c1', 'c2'],
    [8, 'c2', undefined],
  ] as const) {
    const call = await pods.server.next();
    assert.equal(call.query.get('limit'), '4');
    assert.equal(call.query.get('continue'), token);
    assert.deepEqual(pods.names, [], 'nothing is visible between two pages');
    call.list('Pod', '10', all.slice(from, from + 4), next);
  }
  await pods.informer.waitForSync();
  assert.deepEqual(
    pods.names,
    all.map((_, i) => `pod-${i}`),
  );
});

test('a relist is paged like the first listing, and a consistent read like it', async (t) => {
  const pods = await FollowedPods.start(t, { streaming: false });
  (await pods.server.next()).list('Pod', '10', [aPod('p1').atVersion(1).build()]);
  const stream = (await pods.server.next()).stream();
  stream.event('ADDED', aPod('p2').atVersion(11).build());
  stream.error(410, 'Expired');
  const relist = await pods.server.next();
  assert.equal(relist.query.get('limit'), '500');
  assert.equal(relist.query.get('resourceVersion'), '', 'neither "0" nor the expired version');
});

for (const [what, message, details] of [
  [
    'with its cause by name',
    'too large resource version',
    { causes: [{ reason: 'ResourceVersionTooLarge', message: '' }], retryAfterSeconds: 1 },
  ],
  ['with its cause by message', 'Too large resource version: 20, current: 10', { retryAfterSeconds: 1 }],
] as const) {
  test(`a listing answered with "too large resource version" ${what} is asked again as it was`, async (t) => {
    const pods = await FollowedPods.start(t, { streaming: false });
    (await pods.server.next()).refuse(504, 'Timeout', message, { details });
    const pause = await pods.waitOut();
    assert.ok(pause >= 1000 && pause <= 1100, `${pause}`);
    const again = await pods.server.next();
    assert.equal(again.query.get('resourceVersion'), '');
    again.list('Pod', '30', []);
    await pods.informer.waitForSync();
  });
}

test('a listing that fails is not visible, the next one is', async (t) => {
  const pods = await FollowedPods.start(t, { streaming: false, pageSize: 1 });
  (await pods.server.next()).list('Pod', '10', [aPod('lost').build()], 'token');
  (await pods.server.next()).refuse(500, 'InternalError', 'a list error');
  assert.match((await pods.untilWaiting()).error.message, /a list error/);
  await pods.waitOut();
  const again = await pods.server.next();
  assert.equal(again.query.has('continue'), false, 'from the first page');
  again.list('Pod', '11', [aPod('p1').build()]);
  await pods.informer.waitForSync();
  assert.deepEqual(pods.names, ['p1']);
});

test('an object that left the cache can be collected although others of its page stay', async (t) => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const pods = await FollowedPods.start(t, { streaming: false });
  const page = Array.from({ length: 100 }, (_, i) => aPod(`pod-${i}`).atVersion(1).build());
  (await pods.server.next()).list('Pod', '10', page);
  const stream = (await pods.server.next()).stream();
  await pods.informer.waitForSync();
  const gone = new WeakRef(pods.informer.lister.get('default/pod-0') as object);
  for (let i = 0; i < 99; i++)
    stream.event(
      'DELETED',
      aPod(`pod-${i}`)
        .atVersion(11 + i)
        .build(),
    );
  await pods.untilDelivered('deleted pod-98');
  pods.deltas.length = 0;
  for (let i = 0; i < 20 && gone.deref() !== undefined; i++) {
    await new Promise<void>((resolve) => setImmediate(resolve));
    collect();
  }
  assert.equal(gone.deref(), undefined);
  assert.deepEqual(pods.names, ['pod-99']);
});
