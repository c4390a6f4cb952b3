import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochMillis } from '@podtrail/history/wire';
import { ApiError, ConnectionError } from '@podtrail/machinery';
import { ManualClock } from '@podtrail/machinery/testing';
import { type AccessReview, PodRights, type StandingNamespace } from './pod-rights.ts';

const JANE = { name: 'jane', groups: ['dev'] };
const SHOP = { name: 'shop', uid: 'shop-1', created: epochMillis(1_000) };
const VAULT = { name: 'vault', uid: 'vault-1', created: epochMillis(2_000) };

function rightsOf(
  allowed: (namespace: string | undefined) => boolean | Error,
  standing: StandingNamespace[] | undefined,
) {
  const clock = new ManualClock(0);
  const asked: AccessReview['spec'][] = [];
  const errors: unknown[] = [];
  const reviews = {
    create: async ({ spec }: AccessReview) => {
      asked.push(spec);
      const decision = allowed(spec.resourceAttributes['namespace']);
      if (decision instanceof Error) throw decision;
      return { metadata: {}, spec, status: { allowed: decision } };
    },
  };
  const rights = new PodRights({ reviews, namespaces: () => standing, clock, onError: (error) => errors.push(error) });
  return { rights, asked, errors, clock, standing };
}

const namespaces = (asked: readonly AccessReview['spec'][]) =>
  asked.map(({ resourceAttributes }) => resourceAttributes['namespace'] ?? '*');

test('who may list pods in the whole cluster sees everything, with one review', async () => {
  const { rights, asked } = rightsOf(() => true, [SHOP, VAULT]);
  assert.deepEqual(await rights.visibility(JANE), { kind: 'all' });
  assert.deepEqual(asked, [
    { user: 'jane', groups: ['dev'], resourceAttributes: { verb: 'list', version: 'v1', resource: 'pods' } },
  ]);
});

test('who may not is asked about namespace by namespace, each visible from when it was created', async () => {
  const { rights, asked } = rightsOf((namespace) => namespace === 'shop', [SHOP, VAULT]);
  assert.deepEqual(await rights.visibility(JANE), { kind: 'namespaces', since: new Map([['shop', SHOP.created]]) });
  assert.deepEqual(namespaces(asked).sort(), ['*', 'shop', 'vault']);
});

test('with a namespace only that one is asked about', async () => {
  const { rights, asked } = rightsOf(() => false, [SHOP, VAULT]);
  assert.deepEqual(await rights.visibility(JANE, 'vault'), { kind: 'namespaces', since: new Map() });
  assert.deepEqual(namespaces(asked), ['*', 'vault']);
});

test('a namespace that is not there is asked about as one that is', async () => {
  const { rights, asked } = rightsOf((namespace) => namespace === 'nowhere', [SHOP]);
  assert.deepEqual(await rights.visibility(JANE, 'nowhere'), { kind: 'namespaces', since: new Map() });
  assert.deepEqual(namespaces(asked), ['*', 'nowhere']);
});

test('a namespace that is created again is asked about again, and shows nothing of the one before', async () => {
  const standing = [SHOP];
  const { rights, asked } = rightsOf((namespace) => namespace === 'shop', standing);
  await rights.visibility(JANE, 'shop');
  standing[0] = { ...SHOP, uid: 'shop-2', created: epochMillis(5_000) };
  const again = await rights.visibility(JANE, 'shop');
  assert.deepEqual(again, { kind: 'namespaces', since: new Map([['shop', epochMillis(5_000)]]) });
  assert.deepEqual(namespaces(asked), ['*', 'shop', 'shop']);
});

test('a decision is kept for ten seconds, and of one caller only', async () => {
  const { rights, asked, clock } = rightsOf(() => false, [SHOP]);
  await rights.visibility(JANE, 'shop');
  await clock.advance(9_999);
  await rights.visibility(JANE, 'shop');
  assert.equal(asked.length, 2);
  await rights.visibility({ ...JANE, groups: ['dev', 'ops'] }, 'shop');
  assert.equal(asked.length, 4);
  await clock.advance(1);
  await rights.visibility(JANE, 'shop');
  assert.equal(asked.length, 6);
});

test('of who asks about all namespaces a denial is kept for thirty seconds, a right for ten', async () => {
  const { rights, asked, clock } = rightsOf((namespace) => namespace === 'shop', [SHOP, VAULT]);
  const again = async (ms: number) => {
    await clock.advance(ms);
    asked.length = 0;
    const visibility = await rights.visibility(JANE);
    assert.deepEqual(visibility, { kind: 'namespaces', since: new Map([['shop', SHOP.created]]) });
    return namespaces(asked);
  };
  assert.deepEqual(await again(0), ['*', 'shop', 'vault']);
  assert.deepEqual(await again(9_999), []);
  assert.deepEqual(await again(1), ['*', 'shop']);
  assert.deepEqual(await again(19_999), ['*', 'shop']);
  assert.deepEqual(await again(1), ['vault']);
});

test('who was given a right sees it after ten seconds by naming the namespace', async () => {
  let isGiven = false;
  const { rights, clock } = rightsOf((namespace) => isGiven && namespace === 'shop', [SHOP]);
  const none = { kind: 'namespaces', since: new Map() };
  const shop = { kind: 'namespaces', since: new Map([['shop', SHOP.created]]) };
  assert.deepEqual([await rights.visibility(JANE), await rights.visibility(JANE, 'shop')], [none, none]);
  isGiven = true;
  await clock.advance(10_000);
  assert.deepEqual([await rights.visibility(JANE), await rights.visibility(JANE, 'shop')], [none, shop]);
  await clock.advance(20_000);
  assert.deepEqual(await rights.visibility(JANE), shop);
});

test('who has asked about all namespaces cannot tell one that is hidden from one that is not there by its reviews', async () => {
  for (const name of ['vault', 'nowhere']) {
    const standing = [SHOP, VAULT];
    const { rights, asked } = rightsOf((namespace) => namespace === 'shop', standing);
    await rights.visibility(JANE);
    asked.length = 0;
    await rights.visibility(JANE, name);
    await rights.visibility(JANE, name);
    assert.deepEqual(namespaces(asked), [name], 'one, whatever is known of the others');
    // It is deleted, and another one comes: neither costs a review before its time.
    standing.pop();
    await rights.visibility(JANE, name);
    standing.push({ ...VAULT, name, uid: 'again' });
    await rights.visibility(JANE, name);
    assert.deepEqual(namespaces(asked), [name]);
  }
});

test('sixteen reviews at once of all who ask about all namespaces; who names one does not wait', async () => {
  const standing = Array.from({ length: 100 }, (_, i) => ({ name: `n${i}`, uid: `u${i}`, created: epochMillis(0) }));
  let [underWay, most] = [0, 0];
  const waiting: (() => void)[] = [];
  const reviews = {
    create: async ({ spec }: AccessReview) => {
      const namespace = spec.resourceAttributes['namespace'];
      if (namespace !== undefined && namespace !== 'n7') {
        most = Math.max(most, ++underWay);
        await new Promise<void>((resolve) => waiting.push(resolve));
        underWay--;
      }
      return { metadata: {}, spec, status: { allowed: namespace === 'n7' } };
    },
  };
  const rights = new PodRights({ reviews, namespaces: () => standing, clock: new ManualClock(0) });
  let isOver = false;
  const sweeps = Promise.all([JANE, { ...JANE, name: 'sam' }].map((caller) => rights.visibility(caller))).finally(
    () => {
      isOver = true;
    },
  );
  const shown = { kind: 'namespaces', since: new Map([['n7', epochMillis(0)]]) };
  assert.deepEqual(await rights.visibility(JANE, 'n7'), shown);
  while (!isOver) {
    waiting.shift()?.();
    await new Promise((resolve) => setImmediate(resolve));
  }
  assert.deepEqual(await sweeps, [shown, shown]);
  assert.equal(most, 16);
});

test('what cannot be found out is denied, reported, and asked for again', async () => {
  let isDown = true;
  const { rights, errors } = rightsOf(() => (isDown ? new Error('no answer') : true), [SHOP]);
  assert.deepEqual(await rights.visibility(JANE), { kind: 'namespaces', since: new Map() });
  assert.equal(errors.length, 2);
  isDown = false;
  assert.deepEqual(await rights.visibility(JANE), { kind: 'all' });
});

test('while the namespaces are not known nothing of them is visible', async () => {
  const { rights } = rightsOf((namespace) => namespace !== undefined, undefined);
  assert.deepEqual(await rights.visibility(JANE), { kind: 'namespaces', since: new Map() });
});

test('in a cluster of very many namespaces who has rights in some names one', async () => {
  const many = Array.from({ length: 5_001 }, (_, i) => ({ name: `n${i}`, uid: `u${i}`, created: epochMillis(0) }));
  const { rights, asked } = rightsOf((namespace) => namespace === 'n7', many);
  await assert.rejects(rights.visibility(JANE), { code: 'too-many-namespaces', status: 403 });
  assert.equal(asked.length, 1);
  assert.deepEqual(await rights.visibility(JANE, 'n7'), {
    kind: 'namespaces',
    since: new Map([['n7', epochMillis(0)]]),
  });
});

test('a right that is over is not used because the API server fails: 5xx, 429 and silence are denials', async () => {
  const failures = [
    new ApiError(500, { message: 'broken' }, undefined),
    new ApiError(503, { message: 'not now' }, 1_000),
    new ApiError(429, { message: 'too many requests' }, 1_000),
    new ConnectionError('timeout', 'no answer within 5 s'),
  ];
  for (const failure of failures) {
    let answer: boolean | Error = true;
    const { rights, errors, clock } = rightsOf(() => answer, [SHOP]);
    assert.deepEqual(await rights.visibility(JANE), { kind: 'all' });
    answer = failure;
    await clock.advance(9_999);
    assert.deepEqual(await rights.visibility(JANE), { kind: 'all' }, 'still within its ten seconds');
    await clock.advance(1);
    assert.deepEqual(await rights.visibility(JANE), { kind: 'namespaces', since: new Map() });
    assert.ok(errors.length > 0 && errors.every((error) => error === failure));
    answer = true;
    assert.deepEqual(await rights.visibility(JANE), { kind: 'all' }, 'a failure is not kept');
  }
});

test('a failure in one namespace hides that one alone', async () => {
  const of = (namespace: string | undefined) =>
    namespace === 'shop' ? true : namespace === 'vault' ? new ApiError(500, { message: 'broken' }, undefined) : false;
  const { rights } = rightsOf(of, [SHOP, VAULT]);
  assert.deepEqual(await rights.visibility(JANE), { kind: 'namespaces', since: new Map([['shop', SHOP.created]]) });
});

/** Reviews that are answered one by one, when the test says so. */
function heldReviews(count: number) {
  const standing = Array.from({ length: count }, (_, i) => ({ name: `n${i}`, uid: `u${i}`, created: epochMillis(0) }));
  const asked: string[] = [];
  const held: (() => void)[] = [];
  const reviews = {
    create: async ({ spec }: AccessReview) => {
      const namespace = spec.resourceAttributes['namespace'];
      asked.push(`${spec.user} ${namespace ?? '*'}`);
      if (namespace !== undefined) await new Promise<void>((resolve) => held.push(resolve));
      return { metadata: {}, spec, status: { allowed: namespace === 'n0' } };
    },
  };
  const rights = new PodRights({ reviews, namespaces: () => [...standing], clock: new ManualClock(0) });
  const settle = () => new Promise((resolve) => setImmediate(resolve));
  const answerAll = async () => {
    for (;;) {
      await settle();
      if (held.length === 0) return;
      for (const answer of held.splice(0)) answer();
    }
  };
  return { rights, asked, held, settle, answerAll };
}

const CREDENTIAL = 'authentication.kubernetes.io/credential-id';

test('ever new tokens of one service account cost no new reviews', async () => {
  const { rights, asked, settle, answerAll } = heldReviews(50);
  const robot = (i: number) => ({ name: 'robot', groups: [], extra: { [CREDENTIAL]: [`JTI=${i}`] } });
  const found = Promise.all(Array.from({ length: 100 }, (_, i) => rights.visibility(robot(i))));
  await settle();
  assert.equal(rights.waiting, 50 - 16);
  await answerAll();
  assert.ok((await found).every((one) => one.kind === 'namespaces' && one.since.size === 1));
  assert.equal(asked.length, 51);
});

test('what else is extra to a caller still decides: it is another one', async () => {
  const { rights, asked } = rightsOf(() => true, [SHOP]);
  const extra = { [CREDENTIAL]: ['x'], 'authentication.kubernetes.io/node-name': ['a'] };
  await rights.visibility({ ...JANE, extra });
  await rights.visibility({ ...JANE, extra: { 'authentication.kubernetes.io/node-name': ['b'] } });
  assert.deepEqual(
    asked.map((spec) => spec.extra),
    [{ 'authentication.kubernetes.io/node-name': ['a'] }, { 'authentication.kubernetes.io/node-name': ['b'] }],
  );
});

test('callers take turns, and of one of them so many reviews wait, whatever groups it comes with', async () => {
  const { rights, asked, settle, answerAll } = heldReviews(4_000);
  const evil = (i: number) => rights.visibility({ name: 'evil', groups: [`g${i}`] });
  const first = [evil(0), evil(1)];
  await settle();
  await assert.rejects(evil(2), { status: 503, code: 'busy', headers: { 'retry-after': '5' } });
  assert.ok(rights.waiting <= 10_000);
  const jane = rights.visibility(JANE);
  await settle();
  asked.length = 0;
  await answerAll();
  assert.equal(asked.slice(0, 16).filter((one) => one.startsWith('jane')).length, 8, 'every other one');
  await jane;
  await Promise.allSettled(first);
});

test('reviews of callers that have gone are not made, unless somebody else waits for them', async () => {
  const { rights, asked, settle, answerAll } = heldReviews(100);
  const [one, other] = [new AbortController(), new AbortController()];
  const found = [one, other].map(({ signal }) => rights.visibility(JANE, undefined, { gone: signal }));
  for (const waiting of found) waiting.catch(() => {});
  await settle();
  one.abort(new Error('gone'));
  await settle();
  assert.equal(rights.waiting, 84);
  other.abort(new Error('gone'));
  assert.equal(rights.waiting, 0);
  await answerAll();
  assert.equal(asked.length, 17);
  for (const waiting of found) await assert.rejects(waiting, /gone/);
});
