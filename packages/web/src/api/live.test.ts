import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { ServerEvent } from './event-stream.ts';
import { followLive, type LiveState, POLL_MS, POLL_TURNS, RESUME_MS, RETRY_MS, SILENT_MS } from './live.ts';
import { ApiProblem, unreachable } from './problem.ts';

interface Stream {
  readonly lastId: string | undefined;
  readonly isEnded: () => boolean;
  send(text: string): Promise<void>;
  end(): Promise<void>;
  fail(): Promise<void>;
}

/** A server and a clock that do what the test says. */
function world(t: TestContext, refusal?: Error) {
  let now = 0;
  const timers = new Set<{ readonly at: number; readonly run: () => void }>();
  const streams: Stream[] = [];
  const events: ServerEvent[] = [];
  let polls = 0;
  const end = new AbortController();
  t.after(() => end.abort());

  const open = async (lastId: string | undefined, abort: AbortSignal) => {
    if (refusal !== undefined) throw refusal;
    let controller!: ReadableStreamDefaultController<Uint8Array>;
    const body = new ReadableStream<Uint8Array>({ start: (given) => void (controller = given) });
    let isEnded = false;
    // As fetch does it.
    abort.addEventListener('abort', () => {
      isEnded = true;
      try {
        controller.error(abort.reason);
      } catch {
        // It had ended.
      }
    });
    streams.push({
      lastId,
      isEnded: () => isEnded,
      send: async (text) => {
        controller.enqueue(new TextEncoder().encode(text));
        await settled();
      },
      end: async () => {
        controller.close();
        await settled();
      },
      fail: async () => {
        controller.error(unreachable());
        await settled();
      },
    });
    return body;
  };
  const after = (ms: number, run: () => void) => {
    const timer = { at: now + ms, run };
    timers.add(timer);
    return () => void timers.delete(timer);
  };
  const state = followLive(
    { cluster: undefined, onEvent: (event) => events.push(event), onPoll: () => polls++ },
    end.signal,
    { open, after },
  );
  return {
    ...{ streams, events, end },
    state: (): LiveState => state.value,
    polls: () => polls,
    timers: () => timers.size,
    last: (): Stream => streams.at(-1) ?? assert.fail('no stream was opened'),
    refuse: (error: Error | undefined) => {
      refusal = error;
    },
    pass: async (ms: number) => {
      const until = now + ms;
      for (;;) {
        await settled();
        const [next] = [...timers].filter(({ at }) => at <= until).sort((a, b) => a.at - b.at);
        if (next === undefined) break;
        now = next.at;
        timers.delete(next);
        next.run();
      }
      now = until;
      await settled();
    },
  };
}

/** Streams pass pieces on in several turns of the event loop. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

test('bytes make it live, be they a comment only', async (t) => {
  const { state, last, pass, events } = world(t);
  await pass(0);
  assert.equal(state(), 'connecting');
  await last().send(': here\n\n');
  assert.equal(state(), 'live');
  await last().send('id: 1\nevent: move\ndata: {}\n\n');
  assert.deepEqual(events, [{ event: 'move', data: '{}', id: '1' }]);
});

test('a stream that a proxy holds back is given up: the page polls, and tries a stream again every minute', async (t) => {
  const { state, streams, polls, pass } = world(t);
  await pass(SILENT_MS - 1);
  assert.deepEqual([state(), polls()], ['connecting', 0]);
  await pass(1);
  assert.deepEqual([state(), polls(), streams[0]?.isEnded()], ['polling', 1, true]);
  await pass(2 * POLL_MS);
  assert.equal(polls(), 3);
  await pass((POLL_TURNS - 2) * POLL_MS);
  assert.equal(streams.length, 2);
});

test('while a stream is tried again, the page goes on polling, and nobody polls twice as often', async (t) => {
  const { state, streams, polls, pass } = world(t);
  await pass(SILENT_MS + POLL_TURNS * POLL_MS);
  const before = polls();
  assert.equal(streams.length, 2);
  await pass(SILENT_MS);
  assert.deepEqual([state(), polls() - before], ['polling', SILENT_MS / POLL_MS]);
  await pass(POLL_TURNS * POLL_MS);
  assert.equal(polls() - before, SILENT_MS / POLL_MS + POLL_TURNS);
});

test('polling ends when bytes come through', async (t) => {
  const { state, last, polls, pass } = world(t);
  await pass(SILENT_MS + POLL_TURNS * POLL_MS);
  await last().send(': here\n\n');
  assert.equal(state(), 'live');
  await pass(0);
  const before = polls();
  await last().send(': here\n\n');
  await pass(3 * POLL_MS);
  assert.deepEqual([state(), polls()], ['live', before]);
});

test('a stream that was live and falls silent is given up, too', async (t) => {
  const { state, last, pass } = world(t);
  await pass(0);
  await last().send(': here\n\n');
  await pass(SILENT_MS - 1);
  await last().send(': here\n\n');
  await pass(SILENT_MS - 1);
  assert.equal(state(), 'live');
  await pass(1);
  assert.equal(state(), 'polling');
});

test('a stream that ended is resumed behind its last event', async (t) => {
  const { state, streams, last, polls, pass } = world(t);
  await pass(0);
  await last().send('id: seven\nevent: move\ndata: {}\n\n');
  await last().end();
  assert.deepEqual([state(), streams.length], ['connecting', 1]);
  await pass(RESUME_MS);
  assert.deepEqual([streams.length, last().lastId, polls()], [2, 'seven', 0]);
  // Also where the connection broke, and the new stream has sent no id yet.
  await last().send('event: coverage\ndata: {}\n\n');
  await last().fail();
  await pass(RESUME_MS);
  assert.deepEqual([streams.length, last().lastId], [3, 'seven']);
});

test('a reset asks for what is there now, and is no event', async (t) => {
  const { last, polls, events, pass } = world(t);
  await pass(0);
  await last().send('id: 9\nevent: reset\ndata: {}\n\n');
  assert.deepEqual([polls(), events.length], [1, 0]);
});

test('a server that is away is tried again, and what was missed is asked for', async (t) => {
  const { state, streams, polls, refuse, pass, last } = world(t, unreachable());
  await pass(0);
  assert.deepEqual([state(), streams.length], ['down', 0]);
  await pass(RETRY_MS);
  assert.deepEqual([state(), polls()], ['down', 1]);
  refuse(undefined);
  await pass(RETRY_MS);
  await last().send(': here\n\n');
  assert.deepEqual([state(), polls()], ['live', 2]);
});

test('who is refused is not connected', async (t) => {
  const { state, refuse, pass, last } = world(t);
  await pass(0);
  await last().send(': here\n\n');
  refuse(new ApiProblem({ status: 429, code: 'too-many-requests', detail: 'x' }));
  await last().end();
  await pass(RESUME_MS);
  assert.equal(state(), 'down');
});

test('a stream that ends before a byte is a failure, and is not opened in a tight loop', async (t) => {
  const { state, streams, last, pass } = world(t);
  await pass(0);
  await last().end();
  await pass(RETRY_MS - 1);
  assert.deepEqual([state(), streams.length], ['down', 1]);
});

test('nothing goes on after the end', async (t) => {
  const { end, streams, last, pass, timers } = world(t);
  await pass(0);
  await last().send(': here\n\n');
  end.abort();
  await pass(0);
  assert.deepEqual([last().isEnded(), timers()], [true, 0]);
  await pass(10 * SILENT_MS);
  assert.equal(streams.length, 1);
});
