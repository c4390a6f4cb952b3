import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ManualClock } from '../testing/index.ts';
import { DatedTransport, type ServerDate } from './dated-transport.ts';
import type { ResponseHeaders, StreamSink, Transport } from './transport.ts';

const DATE = 'Mon, 16 Nov 2026 03:00:07 GMT';

function stage(headers: ResponseHeaders) {
  const clock = new ManualClock();
  const seen: ServerDate[] = [];
  const inner: Transport = {
    request: async () => {
      await clock.advance(30);
      return { status: 200, headers, body: Buffer.from('ok') };
    },
    stream: (_request, sink: StreamSink) => {
      void clock.advance(20).then(() => sink.onOpen(headers));
      return { pause() {}, resume() {}, close() {} };
    },
    close: async () => {},
  };
  return { clock, seen, transport: new DatedTransport(inner, clock, (date) => void seen.push(date)) };
}

test('the date of an answer is reported with the moments between which it was written', async () => {
  const { clock, seen, transport } = stage({ date: DATE });
  const begun = clock.monotonic();
  assert.equal((await transport.request({ method: 'GET', path: '/version' })).body.toString(), 'ok');
  assert.deepEqual(seen, [{ date: Date.UTC(2026, 10, 16, 3, 0, 7), sentAt: begun, receivedAt: begun + 30 }]);
});

test('a watch that opens has a date, too', async () => {
  const { clock, seen, transport } = stage({ date: DATE });
  const begun = clock.monotonic();
  await new Promise<void>((onOpen) => {
    const sink: StreamSink = { onOpen: () => onOpen(), onData() {}, onEnd() {}, onError() {} };
    transport.stream({ method: 'GET', path: '/api/v1/pods?watch=1' }, sink);
  });
  assert.deepEqual(seen, [{ date: Date.UTC(2026, 10, 16, 3, 0, 7), sentAt: begun, receivedAt: begun + 20 }]);
});

test('an answer without a date says so, and one from the memory of a proxy is not counted', async () => {
  for (const [headers, dates] of [
    [{}, [undefined]],
    [{ date: 'yesterday' }, [undefined]],
    [{ date: DATE, age: '120' }, []],
  ] as const) {
    const { seen, transport } = stage(headers);
    await transport.request({ method: 'GET', path: '/version' });
    assert.deepEqual(
      seen.map(({ date }) => date),
      dates,
    );
  }
});
