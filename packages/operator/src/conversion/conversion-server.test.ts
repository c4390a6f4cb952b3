import assert from 'node:assert/strict';
import { once } from 'node:events';
import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { Agent, request } from 'node:https';
import { connect, type Socket } from 'node:net';
import { type TestContext, test } from 'node:test';
import { connect as connectTls } from 'node:tls';
import { issueCertificate } from '../certificates/certificate.ts';
import { ConversionServer, type ConversionTimes } from './conversion-server.ts';

const SOON = { timeout: 60_000 };
const certificate = issueCertificate({ commonName: 'x', names: ['localhost'], now: Date.now(), validMs: 3_600_000 });
const ca = certificate.certificate;

async function aServer(t: TestContext, times?: ConversionTimes): Promise<number> {
  const server = new ConversionServer({ host: '127.0.0.1', port: 0 }, certificate, times);
  t.after(() => server.close());
  return await server.listen();
}

function open(port: number, headers: Record<string, string | number> = {}, localAddress = '127.0.0.1'): ClientRequest {
  return request({
    ...{ host: 'localhost', port, path: '/convert', method: 'POST', ca, headers, localAddress, family: 4 },
    agent: new Agent({ keepAlive: false, maxCachedSessions: 0 }),
  });
}

async function post(port: number, body: string, localAddress?: string): Promise<{ status: number; text: string }> {
  const asked = open(port, { 'content-length': Buffer.byteLength(body) }, localAddress);
  asked.end(body);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  return { status: response.statusCode ?? 0, text: Buffer.concat(await response.toArray()).toString() };
}

const review = (objects: readonly string[], desired = 'podtrail.dev/v1alpha1'): string =>
  `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":{"uid":"u-1","desiredAPIVersion":"${desired}","objects":[${objects.join(',')}]}}`;

/** As full as the schema lets it be, with names as they are in clouds: 66 kB. */
function fullTracker(name: string): string {
  const quantities = { cpu: '64', 'ephemeral-storage': '1056889268Ki', memory: '263846612Ki', pods: '110' };
  const numbers = Array.from({ length: 100 }, (_, i) => i);
  const node = (i: number) => `ip-10-0-${i}-114.eu-central-1.compute.internal`;
  const pods = numbers.map((i) => [
    `3f2c8a1e-7b4d-4c9a-9e2f-${String(i).padStart(12, '0')}`,
    {
      ...{ podName: `payments-checkout-api-7cbb44f847-${i}`, namespace: 'payments', ip: `10.244.${i}.17` },
      ...{ ips: [`10.244.${i}.17`, `fd00:10:244:${i}::17`], nodeName: node(i), phase: 'Running' },
      creationTimestamp: '2026-11-15T10:00:00Z',
    },
  ]);
  const nodes = numbers.map((i) => [
    node(i),
    { nodeIP: `10.0.${i}.114`, capacity: quantities, allocatable: quantities },
  ]);
  const status = { pods: Object.fromEntries(pods), nodes: Object.fromEntries(nodes) };
  const spec = { namespaces: ['payments'] };
  return JSON.stringify({ apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', metadata: { name }, spec, status });
}

test('a review is answered over TLS; anything else is refused with a sentence', SOON, async (t) => {
  const port = await aServer(t);
  const { status, text } = await post(port, review([fullTracker('a'), fullTracker('b')]));
  assert.equal(status, 200);
  const { response } = JSON.parse(text);
  assert.deepEqual(
    [response.uid, response.result, response.convertedObjects.length],
    ['u-1', { status: 'Success' }, 2],
  );
  assert.equal(response.convertedObjects[1].status.nodeInfo.length, 100);
  assert.deepEqual(await post(port, '{}'), { status: 400, text: 'the body is no ConversionReview\n' });
  const failed = JSON.parse((await post(port, review([fullTracker('a')], 'podtrail.dev/v2'))).text).response;
  assert.deepEqual([failed.result.status, failed.convertedObjects], ['Failed', []]);
});

test('500 full trackers in one review are converted, object by object', SOON, async (t) => {
  const port = await aServer(t);
  const trackers = Array.from({ length: 500 }, (_, i) => fullTracker(`t${i}`));
  const { status, text } = await post(port, review(trackers));
  assert.equal(status, 200);
  const { response } = JSON.parse(text);
  assert.equal(response.result.status, 'Success');
  assert.equal(response.convertedObjects.length, 500);
  assert.equal(response.convertedObjects[499].metadata.name, 't499');
});

test('a failure after the answer has begun is still a failure', SOON, async (t) => {
  const port = await aServer(t);
  const trackers = Array.from({ length: 20 }, (_, i) => fullTracker(`t${i}`));
  const { text } = await post(port, review([...trackers, '{"kind":"Pod","metadata":{}}']));
  assert.match(
    text,
    /"result":\{"status":"Failed","message":"only PodTrackers are converted here, and this is a Pod"\}\}\}$/,
  );
  assert.equal(JSON.parse(text).response.result.status, 'Failed');
});

test('64 idle sockets keep nobody out: the one that has waited longest makes room', SOON, async (t) => {
  const port = await aServer(t);
  const idle = await Promise.all(Array.from({ length: 80 }, () => opened(t, port)));
  const begun = performance.now();
  for (let i = 0; i < 5; i++) assert.equal((await post(port, review([]), '127.0.0.2')).status, 200);
  assert.ok(performance.now() - begun < 5_000);
  assert.ok(idle.filter((socket) => socket.destroyed).length >= 16, 'the oldest are gone');
});

test('many slow bodies of one address keep another out no more than idle ones do', SOON, async (t) => {
  const port = await aServer(t);
  for (let i = 0; i < 80; i++) {
    const slow = open(port, { 'content-length': 1_000_000 });
    slow.on('error', () => {});
    slow.write('{');
    t.after(() => slow.destroy());
  }
  for (let i = 0; i < 5; i++) assert.equal((await post(port, review([fullTracker('a')]), '127.0.0.2')).status, 200);
});

test('clients that hold all bytes lose them to one that needs few', SOON, async (t) => {
  const port = await aServer(t);
  const half = review([JSON.stringify({ metadata: {}, x: 'x'.repeat(4_000_000) })]).slice(0, -20);
  const greedy = Array.from({ length: 14 }, () => {
    const asked = open(port, { 'content-length': 9_000_000 });
    asked.on('error', () => {});
    asked.write(half);
    t.after(() => asked.destroy());
    return asked;
  });
  const { status, text } = await post(port, review([fullTracker('a')]), '127.0.0.2');
  assert.deepEqual([status, JSON.parse(text).response.result.status], [200, 'Success']);
  assert.equal(greedy.length, 14);
});

test('who does not finish a handshake, its headers or its body in time is hung up on', SOON, async (t) => {
  const port = await aServer(t, { handshakeMs: 400, headersMs: 400, requestMs: 800, answerMs: 1_000 });
  const raw = await opened(t, port);
  const garbled = await opened(t, port);
  garbled.write('GET / HTTP/1.1\r\n\r\n');
  const silent = connectTls({ port, host: '127.0.0.1', ca, servername: 'localhost' });
  const slow = open(port, { 'content-length': 100 });
  slow.on('error', () => {});
  slow.write('{');
  const large = open(port, { 'x-large': 'x'.repeat(9_000) });
  large.end();
  assert.equal(((await once(large, 'response')) as [IncomingMessage])[0].statusCode, 431);
  await Promise.all([raw, garbled, silent].map((socket) => closed(socket)));
  await once(slow, 'close');
});

test('plain HTTP gets nowhere', SOON, async (t) => {
  const port = await aServer(t);
  const asked = plainRequest({ port, host: '127.0.0.1' });
  asked.end();
  await assert.rejects(once(asked, 'response'));
});

async function opened(t: TestContext, port: number): Promise<Socket> {
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => {});
  t.after(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
}

async function closed(socket: Socket): Promise<void> {
  socket.on('error', () => {});
  socket.resume();
  if (!socket.closed) await once(socket, 'close');
}
