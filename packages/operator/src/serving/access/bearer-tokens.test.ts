import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, ConnectionError } from '@podtrail/machinery';
import { ManualClock } from '@podtrail/machinery/testing';
import { BearerTokens, type TokenReview } from './bearer-tokens.ts';

const NOW = 1_000_000_000_000;
const USER = { username: 'jane', uid: 'u', groups: ['dev'] };

function tokensBy(status: TokenReview['status'] | Error) {
  const clock = new ManualClock(NOW);
  const asked: string[] = [];
  const reviews = {
    create: async ({ spec }: TokenReview) => {
      asked.push(spec.token);
      if (status instanceof Error) throw status;
      return { metadata: {}, spec, ...(status === undefined ? {} : { status }) };
    },
  };
  return { clock, asked, tokens: new BearerTokens({ reviews, audiences: ['podtrail'], clock }) };
}

const jwt = (claims: object) => `e30.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.s`;
const GOOD = { authenticated: true, audiences: ['podtrail'], user: USER };

test('a token that the API server vouches for is its owner', async () => {
  const { tokens } = tokensBy(GOOD);
  assert.deepEqual(await tokens.callerOf('t'), { name: 'jane', uid: 'u', groups: ['dev'] });
});

test('nobody comes with a token of another audience, one that is not vouched for, or one without a name', async () => {
  for (const status of [
    { ...GOOD, audiences: ['https://kubernetes.default.svc'] },
    { authenticated: true, user: USER },
    { ...GOOD, authenticated: false },
    { ...GOOD, user: {} },
    {},
    undefined,
  ]) {
    assert.equal(await tokensBy(status).tokens.callerOf('t'), undefined, JSON.stringify(status));
  }
  const { tokens, asked } = tokensBy(GOOD);
  assert.equal(await tokens.callerOf(''), undefined);
  assert.equal(await tokens.callerOf('x'.repeat(20_000)), undefined);
  assert.deepEqual(asked, []);
});

test('a decision is kept for a minute, for the life of the token if that is shorter, and briefly if it says none', async () => {
  const cases: readonly [string, number][] = [
    [jwt({ exp: NOW / 1000 + 3_600 }), 60_000],
    [jwt({ exp: NOW / 1000 + 7 }), 7_000],
    [jwt({ exp: NOW / 1000 - 7 }), 0],
    ['opaque', 10_000],
    ['a.b.c', 10_000],
  ];
  for (const [token, keptMs] of cases) {
    const { tokens, asked, clock } = tokensBy(GOOD);
    await tokens.callerOf(token);
    if (keptMs > 0) {
      await clock.advance(keptMs - 1);
      await tokens.callerOf(token);
      assert.equal(asked.length, 1, token);
      await clock.advance(1);
    }
    await tokens.callerOf(token);
    assert.equal(asked.length, 2, token);
  }
});

test('an API server that does not answer makes nobody of it, and is asked again', async () => {
  const { tokens, asked } = tokensBy(new Error('no answer'));
  await assert.rejects(tokens.callerOf('t'), /no answer/);
  await assert.rejects(tokens.callerOf('t'), /no answer/);
  assert.equal(asked.length, 2);
});

test('a decision that is over is not used because the API server fails: 5xx, 429 and silence are refusals', async () => {
  const failures = [
    new ApiError(500, { message: 'broken' }, undefined),
    new ApiError(503, { message: 'not now' }, 1_000),
    new ApiError(429, { message: 'too many requests' }, 1_000),
    new ConnectionError('timeout', 'no answer within 5 s'),
  ];
  for (const failure of failures) {
    const clock = new ManualClock(NOW);
    let fails = false;
    const reviews = {
      create: async ({ spec }: TokenReview) => {
        if (fails) throw failure;
        return { metadata: {}, spec, status: GOOD };
      },
    };
    const tokens = new BearerTokens({ reviews, audiences: ['podtrail'], clock });
    const token = jwt({ exp: NOW / 1000 + 3_600 });
    assert.equal((await tokens.callerOf(token))?.name, 'jane');
    fails = true;
    await clock.advance(59_999);
    assert.equal((await tokens.callerOf(token))?.name, 'jane', 'still within its minute');
    await clock.advance(1);
    await assert.rejects(tokens.callerOf(token), failure);
    fails = false;
    assert.equal((await tokens.callerOf(token))?.name, 'jane', 'a failure is not kept');
  }
});

test('a refusal is kept for seconds only, and so are at most ten thousand decisions', async () => {
  const { tokens, asked, clock } = tokensBy({ authenticated: false });
  await tokens.callerOf('guess');
  await clock.advance(4_999);
  await tokens.callerOf('guess');
  assert.equal(asked.length, 1);
  await clock.advance(1);
  await tokens.callerOf('guess');
  assert.equal(asked.length, 2);
  for (let i = 0; i < 10_000; i++) await tokens.callerOf(`other-${i}`);
  await tokens.callerOf('guess');
  assert.equal(asked.length, 10_003, 'the oldest was forgotten');
});

test('however many tokens are guessed at once, few are under review, and those beyond the queue are sent away', async () => {
  let underReview = 0;
  let most = 0;
  const reviews = {
    create: async ({ spec }: TokenReview) => {
      most = Math.max(most, ++underReview);
      await new Promise((resolve) => setImmediate(resolve));
      underReview--;
      return { metadata: {}, spec, status: { authenticated: false } };
    },
  };
  const tokens = new BearerTokens({ reviews, audiences: ['podtrail'], clock: new ManualClock(NOW) });
  const guessed = await Promise.allSettled(Array.from({ length: 1_000 }, (_, i) => tokens.callerOf(`guess-${i}`)));
  assert.equal(most, 16);
  const sentAway = guessed.filter((one) => one.status === 'rejected');
  assert.equal(sentAway.length, 1_000 - 16 - 256);
  assert.equal(sentAway[0]?.reason.status, 503);
});

test('one address that shows ever new tokens is refused after a while, others and known tokens are not', async () => {
  const { tokens, asked, clock } = tokensBy({ ...GOOD, authenticated: false });
  for (let i = 0; i < 100; i++) await tokens.callerOf(`guess-${i}`, '10.0.0.9');
  await assert.rejects(tokens.callerOf('one-more', '10.0.0.9'), (error: { status: number; code: string }) => {
    assert.deepEqual([error.status, error.code], [429, 'too-many-tokens']);
    return true;
  });
  assert.equal(asked.length, 100);
  await tokens.callerOf('guess-0', '10.0.0.9');
  await tokens.callerOf('other', '10.0.0.8');
  assert.equal(asked.length, 101);
  await clock.advance(1_000);
  await tokens.callerOf('one-more', '10.0.0.9');
});
