import assert from 'node:assert/strict';
import { test } from 'node:test';
import { podCodec } from '../codec/pod-codec.ts';
import type { PodView } from '../codec/pod-view.ts';
import { ApiError } from '../errors.ts';
import { ManualClock, settle } from '../testing/manual-clock.ts';
import { aPod } from '../testing/pod-builder.ts';
import { ScriptedServer } from '../testing/scripted-server.ts';
import { HttpTransport } from '../transport/http-transport.ts';
import { WatchStream } from './watch-stream.ts';

async function openWatch(
  t: { after(done: () => Promise<void>): void },
  onEvent?: (stream: WatchStream<PodView>) => void,
) {
  const server = await ScriptedServer.start();
  t.after(() => server.stop());
  const clock = new ManualClock();
  const seen: string[] = [];
  const stream = new WatchStream<PodView>({
    transport: new HttpTransport(server.config(), { clock }),
    path: '/api/v1/pods?watch=true',
    codec: podCodec,
    protobuf: false,
    deadlineMs: 330_000,
    clock,
    sink: {
      onEvent(type, pod) {
        seen.push(`${type} ${pod.metadata.name}`);
        onEvent?.(stream);
      },
      onBookmark: (version) => void seen.push(`BOOKMARK ${version}`),
    },
  });
  return { server, clock, stream, seen };
}

test('a stream that is closed before the server answers ends in order and hangs up', async (t) => {
  const { server, stream, seen, clock } = await openWatch(t);
  const call = await server.next();
  stream.close();
  assert.deepEqual(await stream.ended, { kind: 'closed', by: 'us' });
  await call.closed;
  assert.deepEqual(seen, []);
  assert.equal(clock.pending, 0);
});

test('a stream that is closed while it is open ends in order and hangs up', async (t) => {
  const { server, stream, clock } = await openWatch(t);
  const answer = (await server.next()).stream();
  answer.bookmark('Pod', '1');
  stream.close();
  assert.deepEqual(await stream.ended, { kind: 'closed', by: 'us' });
  await answer.closed;
  assert.equal(clock.pending, 0);
});

test('a stream that the server ends before any event ends in order', async (t) => {
  const { server, stream, clock } = await openWatch(t);
  (await server.next()).stream().end();
  assert.deepEqual(await stream.ended, { kind: 'closed', by: 'server' });
  assert.equal(clock.pending, 0);
});

test('a stream that the server ends after events has delivered them all', async (t) => {
  const { server, stream, seen } = await openWatch(t);
  const answer = (await server.next()).stream();
  answer.event('ADDED', aPod('a').build());
  answer.event('DELETED', aPod('a').build());
  answer.bookmark('Pod', '7');
  answer.end();
  assert.deepEqual(await stream.ended, { kind: 'closed', by: 'server' });
  assert.deepEqual(seen, ['ADDED a', 'DELETED a', 'BOOKMARK 7']);
});

test('after close nothing is delivered, not even the rest of the chunk in hand', async (t) => {
  const { server, stream, seen } = await openWatch(t, (open) => open.close());
  const lines = ['a', 'b', 'c'].map((name) => JSON.stringify({ type: 'ADDED', object: aPod(name).build() }));
  (await server.next()).stream().write(`${lines.join('\n')}\n`);
  await stream.ended;
  assert.deepEqual(seen, ['ADDED a']);
});

test('an ERROR event ends the stream with its status, hangs up, and nothing after it is delivered', async (t) => {
  const { server, stream, seen } = await openWatch(t);
  const answer = (await server.next()).stream();
  answer.event('ADDED', aPod('a').build());
  answer.error(410, 'Expired', 'too old resource version');
  answer.event('ADDED', aPod('b').build());
  const end = await stream.ended;
  assert.ok(end.kind === 'failed' && end.error instanceof ApiError);
  assert.equal(end.error.status, 410);
  await answer.closed;
  assert.deepEqual(seen, ['ADDED a']);
});

test('a stream that the server keeps longer than it was asked to is ended from here', async (t) => {
  const { server, clock, stream, seen } = await openWatch(t);
  const answer = (await server.next()).stream();
  for (let bookmark = 1; bookmark <= 11; bookmark++) {
    answer.bookmark('Pod', String(bookmark));
    while (seen.length < bookmark) await settle();
    await clock.advance(30_000);
  }
  assert.deepEqual(await stream.ended, { kind: 'closed', by: 'us' });
  await answer.closed;
});
