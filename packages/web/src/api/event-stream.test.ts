import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readEvents, type ServerEvent } from './event-stream.ts';

async function eventsOf(...chunks: readonly string[]): Promise<{ events: ServerEvent[]; bytes: number }> {
  const encoded = chunks.map((chunk) => new TextEncoder().encode(chunk));
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of encoded) controller.enqueue(chunk);
      controller.close();
    },
  });
  let bytes = 0;
  const events: ServerEvent[] = [];
  for await (const event of readEvents(body, () => bytes++)) events.push(event);
  return { events, bytes };
}

test('events are read whatever pieces they come in', async () => {
  const text = 'id: 7\nevent: move\ndata: {"a":1}\n\ndata: x\ndata: y\n\n';
  const whole = [
    { event: 'move', data: '{"a":1}', id: '7' },
    { event: 'message', data: 'x\ny', id: '7' },
  ];
  for (let cut = 0; cut <= text.length; cut++) {
    const { events } = await eventsOf(text.slice(0, cut), text.slice(cut));
    assert.deepEqual(events, whole, `cut at ${cut}`);
  }
});

test('a comment is no event, and a sign of life', async () => {
  assert.deepEqual(await eventsOf(': here\n\n'), { events: [], bytes: 1 });
});

test('an event that was cut off is none', async () => {
  assert.deepEqual((await eventsOf('data: half')).events, []);
});

test('lines may end as they do on other systems, also between two pieces', async () => {
  assert.deepEqual((await eventsOf('data: a\r', '\ndata: b\r\n\r\n')).events, [
    { event: 'message', data: 'a\nb', id: undefined },
  ]);
});
