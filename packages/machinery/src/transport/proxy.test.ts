// Through an HTTP proxy: a tunnel for everything, and faults that name the proxy.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { systemClock } from '../clock.ts';
import { selfSignedCertificate } from '../config/testing/self-signed-certificate.ts';
import { ConnectionError } from '../errors.ts';
import { HttpTransport } from './http-transport.ts';
import { ConnectProxy } from './testing/connect-proxy.ts';
import { aStage, PLAIN, RecordingSink, type StageOptions } from './testing/transport-stage.ts';

const LIST = { method: 'GET', path: '/api/v1/pods' } as const;
const CREATE = { method: 'POST', path: '/api/v1/pods', body: '{}' } as const;
const serving = selfSignedCertificate('scripted');
const SECURE = { tls: serving, identity: { tls: { ...PLAIN, ca: serving.cert, serverName: 'scripted' } } };

for (const [what, options] of [
  ['a server without TLS', {}],
  ['a server with TLS', SECURE],
] as const satisfies readonly (readonly [string, StageOptions])[]) {
  test(`calls and streams to ${what} go through a tunnel, each connection once`, async (t) => {
    const proxy = await ConnectProxy.start(t);
    const { server, transport } = await aStage(t, { ...options, config: { proxyUrl: proxy.url } });
    for (let i = 0; i < 5; i++) {
      const call = transport.request(LIST);
      const seen = await server.next();
      assert.equal(seen.target, '/api/v1/pods');
      assert.equal(`${seen.headers.host}`, server.url.replace(/^https?:\/\//, ''));
      seen.json({ i });
      await call;
    }
    const sink = new RecordingSink();
    const handle = transport.stream(LIST, sink);
    const stream = (await server.next()).stream();
    stream.write('event');
    await sink.until(() => sink.text === 'event');
    const target = server.url.replace(/^https?:\/\//, '');
    assert.deepEqual(
      proxy.asked.map((one) => one.target),
      [target, target],
    );
    assert.equal(proxy.forwarded, 0);
    handle.close();
    await stream.closed;
  });
}

test('user name and password of the proxy URL go to the proxy and not to the server', async (t) => {
  const proxy = await ConnectProxy.start(t);
  const proxyUrl = `http://jane:p%40ss@127.0.0.1:${proxy.port}`;
  const { server, transport } = await aStage(t, { config: { proxyUrl } });
  const call = transport.request(LIST);
  const seen = await server.next();
  seen.json({});
  await call;
  assert.equal(proxy.asked[0]?.authorization, `Basic ${Buffer.from('jane:p@ss').toString('base64')}`);
  assert.equal(seen.headers['proxy-authorization'], undefined);
});

test('a wrong server certificate is a tls fault of the server, also behind a proxy', async (t) => {
  const proxy = await ConnectProxy.start(t);
  const identity = { tls: { ...PLAIN, ca: serving.cert, serverName: 'elsewhere' } };
  const { transport } = await aStage(t, { tls: serving, identity, config: { proxyUrl: proxy.url } });
  await assert.rejects(transport.request(LIST), { fault: 'tls', hint: /tls-server-name/ });
});

for (const [what, options] of [
  ['answers 403', { refuseWith: 403 }],
  ['answers 407', { refuseWith: 407 }],
  ['hangs up', { hangUp: true }],
] as const) {
  test(`a proxy that ${what} is a proxy fault with a hint, once`, async (t) => {
    const proxy = await ConnectProxy.start(t, options);
    const { server, transport } = await aStage(t, { ...SECURE, config: { proxyUrl: proxy.url } });
    const isProxyFault = (error: unknown) => {
      assert.ok(error instanceof ConnectionError, String(error));
      assert.equal(error.fault, 'proxy', error.message);
      assert.match(error.message, /the proxy: /);
      assert.match(error.hint ?? '', /proxy-url.*NO_PROXY/);
      return true;
    };
    await assert.rejects(transport.request(CREATE), isProxyFault);
    const sink = new RecordingSink();
    transport.stream(LIST, sink);
    isProxyFault(await sink.over);
    assert.deepEqual([proxy.asked.length, server.connections], [2, 0]);
  });
}

test('a proxy that is not there is refused, and the hint speaks of the proxy', async (t) => {
  const { server } = await aStage(t);
  const retry = { connectionRetries: 0, refusalRetries: 0, firstDelayMs: 0, longestDelayMs: 0 };
  const transport = new HttpTransport({ ...server.config(), proxyUrl: 'http://127.0.0.1:1' }, { retry });
  t.after(() => transport.close());
  await assert.rejects(transport.request(CREATE), { fault: 'refused', neverSent: true, hint: /proxy-url/ });
});

test('a proxy that never answers costs the connect time-out, not minutes', async (t) => {
  const proxy = await ConnectProxy.start(t, { silent: true });
  const { server } = await aStage(t);
  const retry = { connectionRetries: 0, refusalRetries: 0, firstDelayMs: 0, longestDelayMs: 0 };
  const config = { ...server.config(), proxyUrl: proxy.url };
  const transport = new HttpTransport(config, { clock: systemClock, connectTimeoutMs: 100, retry });
  t.after(() => transport.close());
  await assert.rejects(transport.request(LIST), { fault: 'timeout', hint: /proxy-url/ });
});

test('closing ends tunnels and calls that wait for one', async (t) => {
  const proxy = await ConnectProxy.start(t, { silent: true });
  const { server, transport } = await aStage(t, { config: { proxyUrl: proxy.url } });
  const call = assert.rejects(transport.request(LIST), /the transport is closed/);
  while (proxy.asked.length === 0) await new Promise((resolve) => setImmediate(resolve));
  await transport.close();
  await call;
  assert.equal(server.connections, 0);
});
