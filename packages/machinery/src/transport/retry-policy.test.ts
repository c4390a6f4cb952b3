// Which calls are sent again, after how long, and how often.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';
import { describe, test } from 'node:test';
import { ApiError, ConnectionError, type ConnectionFault, MachineryError } from '../errors.ts';
import { seededRandom } from '../random.ts';
import type { ManualClock } from '../testing/manual-clock.ts';
import { HttpTransport } from './http-transport.ts';
import { DEFAULT_RETRY_POLICY, RetryBudget } from './retry-policy.ts';
import { aStage } from './testing/transport-stage.ts';
import type { HttpRequest } from './transport.ts';

const PATH = '/api/v1/namespaces/a/pods';
const METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE'] as const;
const WRITES = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

/** The call's own deadline and one more timer, which is the wait for the next try. */
async function nextWait(clock: ManualClock): Promise<number> {
  await clock.untilPending(2);
  return clock.delays[0]!;
}

const budget = (method: HttpRequest['method'], random = () => 0) =>
  new RetryBudget(DEFAULT_RETRY_POLICY, method, random);
const fault = (kind: ConnectionFault, neverSent: boolean) => new ConnectionError(kind, 'x', { neverSent });
const refusal = (status: number, retryAfterMs: number | undefined) => new ApiError(status, {}, retryAfterMs);

describe('retries through a real socket', () => {
  for (const method of METHODS) {
    test(`a refused connection is tried again for ${method}`, async (t) => {
      const { server, clock } = await aStage(t);
      const gone = createServer().listen(0, '127.0.0.1');
      await once(gone, 'listening');
      const { port } = gone.address() as AddressInfo;
      await new Promise((resolve) => gone.close(resolve));
      const config = { ...server.config(), server: `http://127.0.0.1:${port}` };
      const transport = new HttpTransport(config, { clock, random: () => 0 });
      t.after(() => transport.close());
      const call = transport.request({ method, path: PATH });
      assert.equal(await nextWait(clock), 100);
      const back = createServer((socket) => {
        socket.once('data', () => socket.end('HTTP/1.1 204 No Content\r\n\r\n'));
      }).listen(port, '127.0.0.1');
      await once(back, 'listening');
      t.after(() => back.close());
      await clock.advance(100);
      assert.equal((await call).status, 204);
    });
  }

  test('a connection that breaks without an answer is tried again for GET', async (t) => {
    const { server, transport, clock } = await aStage(t);
    const call = transport.request({ method: 'GET', path: PATH });
    (await server.next()).drop();
    assert.equal(await nextWait(clock), 100);
    await clock.advance(100);
    (await server.next()).json({});
    assert.equal((await call).status, 200);
  });

  for (const method of WRITES) {
    test(`a connection that breaks after ${method} was sent is not tried again`, async (t) => {
      const { server, transport } = await aStage(t);
      const call = transport.request({ method, path: PATH, body: '{}' });
      (await server.next()).drop();
      await assert.rejects(call, { name: 'ConnectionError', fault: 'reset', neverSent: false });
      assert.equal(server.requests, 1);
    });
  }

  test('an answer that is cut within its body is tried again for GET', async (t) => {
    const { server, transport, clock } = await aStage(t);
    const call = transport.request({ method: 'GET', path: PATH });
    for (const headers of [{ 'content-length': '100' }, { connection: 'close' }, {}]) {
      const half = (await server.next()).stream('application/json', headers);
      half.write('{"items":[');
      half.break();
      await clock.advance(await nextWait(clock));
    }
    (await server.next()).json({ whole: true });
    assert.equal((await call).body.toString(), '{"whole":true}');
  });

  test('an answer that ends in order, but too early, is tried again for GET', async (t) => {
    const { server, transport, clock } = await aStage(t);
    const call = transport.request({ method: 'GET', path: PATH });
    for (const head of ['content-length: 100', 'connection: close\r\ntransfer-encoding: chunked']) {
      (await server.next()).socket.end(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n5\r\n{"a":`);
      await clock.advance(await nextWait(clock));
    }
    (await server.next()).json({ whole: true });
    assert.equal((await call).body.toString(), '{"whole":true}');
  });

  test('a write on a kept connection that the server has closed goes out once, on a new connection', async (t) => {
    const { server, transport } = await aStage(t);
    const warm = transport.request({ method: 'GET', path: PATH });
    (await server.next()).json({});
    await warm;
    server.closeIdleConnections();
    const call = transport.request({ method: 'POST', path: PATH, body: '{}' });
    (await server.next()).json({}, 201);
    assert.equal((await call).status, 201);
    assert.deepEqual([server.requests, server.connections], [2, 2]);
  });

  test('a write on a kept connection that was reset meanwhile had not left, so it goes out again', async (t) => {
    const { server, transport, clock } = await aStage(t);
    const warm = transport.request({ method: 'GET', path: PATH });
    const first = await server.next();
    first.json({});
    await warm;
    first.socket.resetAndDestroy();
    const call = transport.request({ method: 'POST', path: PATH, body: '{}' });
    assert.equal(await nextWait(clock), 100);
    await clock.advance(100);
    (await server.next()).json({}, 201);
    assert.equal((await call).status, 201);
    assert.equal(server.requests, 2);
  });

  for (const method of METHODS) {
    for (const status of [429, 503]) {
      test(`fault 13: ${status} with Retry-After in seconds is waited for and ${method} sent again`, async (t) => {
        const { server, transport, clock } = await aStage(t);
        const call = transport.request({ method, path: PATH });
        (await server.next()).refuse(status, 'TooManyRequests', 'later', { headers: { 'retry-after': '7' } });
        assert.equal(await nextWait(clock), 7000);
        await clock.advance(6999);
        assert.equal(server.requests, 1);
        await clock.advance(1);
        (await server.next()).json({});
        assert.equal((await call).status, 200);
      });
    }
  }

  test('fault 13: Retry-After as an HTTP date counts from the injected clock', async (t) => {
    const { server, transport, clock } = await aStage(t);
    const call = transport.request({ method: 'POST', path: PATH });
    const at = new Date(clock.now() + 12_000).toUTCString();
    (await server.next()).refuse(503, 'ServiceUnavailable', 'later', { headers: { 'retry-after': at } });
    assert.equal(await nextWait(clock), 12_000);
    await clock.advance(12_000);
    (await server.next()).json({});
    await call;
  });

  test('retryAfterSeconds in the Status counts when there is no header', async (t) => {
    const { server, transport, clock } = await aStage(t);
    const call = transport.request({ method: 'POST', path: PATH });
    (await server.next()).refuse(429, 'TooManyRequests', 'later', { details: { retryAfterSeconds: 3 } });
    assert.equal(await nextWait(clock), 3000);
    await clock.advance(3000);
    (await server.next()).json({});
    await call;
  });

  test('without Retry-After a refusal is final', async (t) => {
    const { server, transport } = await aStage(t);
    for (const status of [429, 500, 502, 503, 504]) {
      const call = assert.rejects(transport.request({ method: 'GET', path: PATH }), { status });
      (await server.next()).refuse(status, 'Whatever');
      await call;
    }
    assert.equal(server.requests, 5);
  });

  test('a wait that would outlast the time-out is not begun: the refusal is thrown at once', async (t) => {
    const { server, transport, clock } = await aStage(t);
    const call = assert.rejects(transport.request({ method: 'GET', path: PATH }, { timeoutMs: 5000 }), {
      status: 429,
      retryAfterMs: 6000,
    });
    (await server.next()).refuse(429, 'TooManyRequests', 'later', { headers: { 'retry-after': '6' } });
    await call;
    assert.equal(clock.pending, 0);
  });

  test('a server that is never there costs four tries and then says so', async (t) => {
    const { server, clock } = await aStage(t);
    const tries: number[] = [];
    const transport = new HttpTransport(
      { ...server.config(), server: 'http://127.0.0.1:1' },
      { clock, random: () => 0, observer: ({ attempt }) => void tries.push(attempt) },
    );
    t.after(() => transport.close());
    const call = assert.rejects(transport.request({ method: 'GET', path: PATH }), (error) => {
      assert.ok(error instanceof ConnectionError);
      assert.equal(error.fault, 'refused');
      assert.match(error.message, /GET \/api\/v1\/namespaces\/a\/pods: .*ECONNREFUSED/);
      assert.match(error.hint ?? '', /is the API server running/);
      return true;
    });
    for (const wait of [100, 200, 400]) {
      assert.equal(await nextWait(clock), wait);
      await clock.advance(wait);
    }
    await call;
    assert.deepEqual(tries, [1, 2, 3, 4]);
  });
});

describe('the retry budget', () => {
  test('refusals and faults are counted apart', () => {
    const calls = budget('GET');
    for (let i = 0; i < 10; i++) assert.equal(calls.spend(refusal(429, 1000)), 1000);
    assert.equal(calls.spend(refusal(429, 1000)), undefined);
    assert.deepEqual(
      [1, 2, 3, 4].map(() => calls.spend(fault('reset', false))),
      [100, 200, 400, undefined],
    );
  });

  test('what was never sent is repeated for any method if the fault may pass, and never if it may not', () => {
    for (const method of METHODS) {
      for (const kind of ['refused', 'reset', 'dns', 'timeout'] as const) {
        assert.equal(budget(method).spend(fault(kind, true)), 100, `${method} ${kind}`);
      }
      for (const kind of ['tls', 'proxy', 'aborted', 'protocol', 'other'] as const) {
        assert.equal(budget(method).spend(fault(kind, true)), undefined, `${method} ${kind}`);
      }
    }
  });

  test('what may have been sent is repeated only for reads after a reset', () => {
    for (const method of METHODS) {
      const read = method === 'GET' || method === 'HEAD';
      assert.equal(budget(method).spend(fault('reset', false)), read ? 100 : undefined, method);
      assert.equal(budget(method).spend(fault('timeout', false)), undefined, method);
    }
  });

  test('a Retry-After that is shorter than our own growing delay, as 0 is, does not cut that delay short', () => {
    for (const retryAfterMs of [0, 50]) {
      const calls = budget('GET');
      assert.deepEqual(
        Array.from({ length: 6 }, () => calls.spend(refusal(429, retryAfterMs))),
        [100, 200, 400, 800, 1000, 1000],
      );
    }
    const longer = budget('GET');
    assert.deepEqual([longer.spend(refusal(429, 150)), longer.spend(refusal(429, 150))], [150, 200]);
  });

  test('500, 502 and 504 with Retry-After may have come after a write, so only reads are repeated', () => {
    for (const status of [500, 502, 504]) {
      assert.equal(budget('GET').spend(refusal(status, 1000)), 1000);
      for (const method of WRITES) assert.equal(budget(method).spend(refusal(status, 1000)), undefined);
    }
  });

  test('a resourceVersion that the server has not reached is never waited for', () => {
    const details = { causes: [{ reason: 'ResourceVersionTooLarge' }] };
    assert.equal(budget('GET').spend(new ApiError(504, { details }, 1000)), undefined);
  });

  test('other refusals and other errors are final', () => {
    for (const status of [400, 401, 403, 404, 409, 410, 422]) {
      assert.equal(budget('GET').spend(refusal(status, 1000)), undefined);
    }
    assert.equal(budget('GET').spend(new MachineryError('x', 'x')), undefined);
    assert.equal(budget('GET').spend(new Error('x')), undefined);
  });

  test('delays are jittered upwards only, so that Retry-After is never cut short (seed 42)', () => {
    const random = seededRandom(42);
    const delays = Array.from({ length: 200 }, () => budget('GET', random).spend(refusal(429, 1000))!);
    assert.ok(Math.min(...delays) >= 1000 && Math.max(...delays) < 1100);
    assert.ok(new Set(delays).size > 150);
    const faults = Array.from({ length: 200 }, () => budget('GET', random).spend(fault('reset', true))!);
    assert.ok(Math.min(...faults) >= 100 && Math.max(...faults) < 150);
  });

  test('the delay between connections is capped', () => {
    const policy = { ...DEFAULT_RETRY_POLICY, connectionRetries: 50 };
    const many = new RetryBudget(policy, 'GET', () => 0);
    let last: number | undefined = 0;
    for (let i = 0; i < 50; i++) last = many.spend(fault('refused', true));
    assert.equal(last, 1000);
  });
});
