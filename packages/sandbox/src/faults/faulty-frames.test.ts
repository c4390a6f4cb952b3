import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Frame, FrameFilter, FrameSink, SeamRequest } from '../server/fault-seam.ts';
import type { Fault } from './fault.ts';
import { FaultSwitchboard } from './fault-switchboard.ts';

const WATCH: SeamRequest = {
  id: 1,
  method: 'GET',
  path: '/api/v1/pods',
  query: new URLSearchParams('watch=1&resourceVersion=41'),
  headers: {},
  verb: 'watch',
  resource: 'pods',
  subresource: '',
  namespace: '',
  name: '',
};

/** One watch through a switchboard, with timers that run when they are asked to. */
class Played {
  readonly sent: string[] = [];
  readonly timers: (() => void)[] = [];
  readonly board = new FaultSwitchboard({
    timers: {
      after: (_, run) => {
        this.timers.push(run);
        return () => {};
      },
      every: () => () => {},
    },
  });
  readonly #filter: FrameFilter;

  constructor(...faults: Fault[]) {
    for (const fault of faults) this.board.arm(fault);
    this.#filter = this.board.frames(WATCH);
  }

  play(...texts: string[]): this {
    const sink: FrameSink = {
      send: (bytes) => void this.sent.push(Buffer.from(bytes).toString('latin1')),
      end: () => void this.sent.push('END'),
      cut: () => void this.sent.push('CUT'),
      fail: ({ code }) => void this.sent.push(`ERROR ${code}`),
    };
    for (const text of texts) {
      const type: Frame['type'] = text.startsWith('bookmark') ? 'BOOKMARK' : 'MODIFIED';
      this.#filter.frame({ type, resourceVersion: '42', key: `ns/${text}`, bytes: Buffer.from(text) }, sink);
    }
    return this;
  }
}

describe('frames of a watch under faults', () => {
  const cases: readonly (readonly [string, Fault, readonly string[]])[] = [
    ['a dropped one never comes', { kind: 'drop', after: 1 }, ['one', 'three']],
    ['a repeated one comes twice', { kind: 'repeat' }, ['one', 'one', 'two', 'three']],
    ['a swapped one comes after the next', { kind: 'swap' }, ['two', 'one', 'three']],
    ['an older one comes once more', { kind: 'older', after: 2 }, ['one', 'two', 'one', 'three']],
    ['a half-open stream carries nothing more', { kind: 'half-open', after: 1 }, ['one']],
    ['a truncated one is followed by the end', { kind: 'truncate', times: 1 }, ['o', 'END', 'two', 'three']],
    ['a cut is a cut', { kind: 'cut', after: 2 }, ['one', 'two', 'CUT']],
    ['an expiry inside is an ERROR event', { kind: 'expire-inside', after: 2 }, ['one', 'two', 'ERROR 410']],
    [
      'a fault on another resource strikes nothing',
      { kind: 'drop', on: { resource: 'nodes' } },
      ['one', 'two', 'three'],
    ],
  ];
  for (const [name, fault, expected] of cases) {
    test(name, () => assert.deepEqual(new Played(fault).play('one', 'two', 'three').sent, expected));
  }

  test('a stall holds everything back, bookmarks too, and then delivers it in order', () => {
    const played = new Played({ kind: 'stall', ms: 50, after: 1 }).play('one', 'two', 'bookmark', 'three');
    assert.deepEqual(played.sent, ['one']);
    played.timers[0]?.();
    assert.deepEqual(played.sent, ['one', 'two', 'bookmark', 'three']);
  });

  test('a slow stream gives one frame at a time', () => {
    const played = new Played({ kind: 'slow', ms: 50 }).play('one', 'two');
    assert.deepEqual(played.sent, []);
    played.timers[0]?.();
    assert.deepEqual(played.sent, ['one']);
    played.timers[1]?.();
    assert.deepEqual(played.sent, ['one', 'two']);
    played.play('three');
    assert.deepEqual(played.sent, ['one', 'two']);
    played.timers[2]?.();
    assert.deepEqual(played.sent, ['one', 'two', 'three']);
  });

  test('shreds join to what they were', () => {
    const played = new Played({ kind: 'shred' }).play('a frame that is longer than a shred', 'two');
    assert.deepEqual(played.sent, ['a frame'], 'one piece in a turn, and nothing overtakes');
    for (const timer of played.timers) timer();
    assert.ok(played.sent.length > 3);
    assert.equal(played.sent.join(''), 'a frame that is longer than a shredtwo');
  });

  test('a stall that ends between shreds waits for the last of them', () => {
    const played = new Played({ kind: 'shred' }, { kind: 'stall', ms: 5 }).play('longer than a shred', 'two', 'three');
    const [piece, stall] = played.timers;
    stall?.();
    assert.deepEqual(played.sent, ['longer ']);
    piece?.();
    for (const timer of played.timers.slice(2)) timer();
    assert.equal(played.sent.join(''), 'longer than a shredtwothree');
  });

  test('a fault is counted, and used up', () => {
    const played = new Played({ kind: 'drop', times: 2 }).play('one', 'two', 'three');
    assert.deepEqual(played.sent, ['three']);
    assert.deepEqual(
      played.board.armed.map(({ struck, left }) => [struck, left]),
      [[2, 0]],
    );
  });
});

describe('requests under faults', () => {
  test('a refusal carries Retry-After in its header and in its Status', async () => {
    const board = new FaultSwitchboard();
    board.arm({ kind: 'refuse', code: 429, retryAfterSeconds: 3, on: { verb: 'watch' } });
    const verdict = await board.request(WATCH);
    assert.ok(verdict?.kind === 'answer');
    assert.equal(verdict.status, 429);
    assert.equal(verdict.headers?.['retry-after'], '3');
    const status = JSON.parse(String(verdict.body)) as { reason: string; details: { retryAfterSeconds: number } };
    assert.deepEqual([status.reason, status.details.retryAfterSeconds], ['TooManyRequests', 3]);
    assert.equal(await board.request(WATCH), undefined, 'once was asked for');
  });

  test('what is no watch is never answered with a wrong body, unless that is asked for', async () => {
    const board = new FaultSwitchboard();
    board.arm({ kind: 'wrong-body' });
    assert.equal(await board.request({ ...WATCH, verb: 'list' }), undefined);
    assert.equal((await board.request(WATCH))?.kind, 'answer');
  });

  test('a delay delays, and then the next fault counts', async () => {
    const played = new Played({ kind: 'delay', ms: 10 }, { kind: 'break' });
    const verdict = played.board.request(WATCH);
    played.timers[0]?.();
    assert.deepEqual(await verdict, { kind: 'cut' });
  });

  test('one that is taken back does not strike', async () => {
    const board = new FaultSwitchboard();
    const id = board.arm({ kind: 'break', times: 5 });
    assert.equal(board.disarm(id), true);
    assert.equal(await board.request(WATCH), undefined);
  });
});
