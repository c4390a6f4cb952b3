// Hostile clients as a process of its own: so many at a time, each in one of many ways, on the conversion port and the
// probe port, until its time is over. Started by attack-run.ts; talks to loopback only, imports nothing of podtrail.
import { type ClientRequest, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { parseArgs } from 'node:util';
import { Chance } from './random.ts';

const { values } = parseArgs({
  options: {
    conversion: { type: 'string', default: '' },
    probe: { type: 'string', default: '' },
    clients: { type: 'string', default: '200' },
    seconds: { type: 'string', default: '60' },
    seed: { type: 'string', default: '1' },
  },
});
const conversion = Number(values.conversion);
const probe = Number(values.probe);
const deadline = performance.now() + Number(values.seconds) * 1_000;
const chance = new Chance(Number(values.seed));
const MEGABYTE = 1 << 20;

/** Addresses of loopback that are not 127.0.0.1, from which honest clients come. */
const from = (): string => `127.0.0.${2 + Math.floor(chance.next() * 30)}`;
const patience = (): number => Math.min(chance.between(300, 5_000), Math.max(0, deadline - performance.now()));

const TIME = '2026-11-15T10:00:00Z';
const range = (count: number): number[] => Array.from({ length: count }, (_, i) => i);

/** Valid, and as large as 150 full trackers. */
const HUGE = Buffer.from(review('podtrail.dev/v1alpha1', Array<string>(150).fill(fullTracker())));
/** Valid, and shaped so that what is not linear takes minutes: 20,000 pods on 20,000 nodes in one object. */
const QUADRATIC = Buffer.from(review('podtrail.dev/v1', [manyNodes(20_000)]));
/** The same of the size of the first attack: 21 MB in one object. */
const QUADRATIC_21 = Buffer.from(review('podtrail.dev/v1', [manyNodes(90_000)]));
const DEEP = Buffer.from(review('podtrail.dev/v1', [`${'{"a":'.repeat(400_000)}1${'}'.repeat(400_000)}`]));
const MANY = Buffer.from(review('podtrail.dev/v1', [`{"metadata":{},"x":[${'{},'.repeat(1_000_000)}{}]}`]));
const ZEROS = Buffer.alloc(4 * MEGABYTE, 'x');

/** Each is one visit, and is over within seconds. */
const WAYS: Readonly<Record<string, () => Promise<void>>> = {
  'large garbage': () => posted([ZEROS, ZEROS, ZEROS, ZEROS]),
  'huge valid review': () => posted([HUGE]),
  'quadratic object': () => posted([QUADRATIC]),
  'quadratic object of 21 MB': () => posted([QUADRATIC_21]),
  'deep object': () => posted([DEEP]),
  'object of a million values': () => posted([MANY]),
  'answer never read': () => posted([HUGE], { reads: false }),
  'slow body': () => slowly(convert({ 'content-length': 5_000_000 }), '{"kind":"ConversionReview","request":{'),
  'endless chunks': () => endless(convert({ 'transfer-encoding': 'chunked' })),
  'idle socket': () => idle(connect({ port: conversion, host: '127.0.0.1', localAddress: from() })),
  'idle TLS': () => idle(tls()),
  handshakes: () => handshakes(),
  'garbage for TLS': () => garbage(conversion),
  'half a ClientHello': () => garbage(conversion, Buffer.from('1603010200010001fc0303', 'hex')),
  'garbage within TLS': () => idle(tls(), Buffer.alloc(64 * 1024, '\r\n\u0000:')),
  'huge headers': () => posted([], { headers: { x: 'x'.repeat(60_000) } }),
  'idle probe socket': () => idle(connect({ port: probe, host: '127.0.0.1', localAddress: from() })),
  'slow probe headers': () =>
    idle(connect({ port: probe, host: '127.0.0.1' }), Buffer.from('GET /livez HTTP/1.1\r\nx:')),
  'flood of probes': () => flood(),
  'pipelined probes': () =>
    idle(connect(probe, '127.0.0.1'), Buffer.from('GET /readyz HTTP/1.1\r\nhost: x\r\n\r\n'.repeat(2_000))),
  'large body for a probe': () => largeProbe(),
  'garbage for probes': () => garbage(probe),
};
const NAMES = Object.keys(WAYS);
const visits = new Map<string, number>();

await Promise.all(range(Number(values.clients)).map(() => client()));
process.stdout.write(`${JSON.stringify(Object.fromEntries(visits))}\n`);
process.exit(0);

async function client(): Promise<void> {
  await sleep(chance.between(0, 500));
  while (performance.now() < deadline) {
    const way = chance.pick(NAMES);
    visits.set(way, (visits.get(way) ?? 0) + 1);
    await WAYS[way]?.();
    await sleep(chance.between(0, 100));
  }
}

function convert(headers: Record<string, string | number>): ClientRequest {
  const options = { port: conversion, host: '127.0.0.1', path: '/convert', method: 'POST', localAddress: from() };
  return tlsRequest({ ...options, headers, agent: false, rejectUnauthorized: false });
}

function tls(): Socket {
  return connectTls({ port: conversion, host: '127.0.0.1', localAddress: from(), rejectUnauthorized: false } as object);
}

async function posted(
  bodies: readonly Buffer[],
  options: { readonly reads?: boolean; readonly headers?: Record<string, string> } = {},
): Promise<void> {
  const length = bodies.reduce((sum, body) => sum + body.length, 0);
  const asked = convert({ 'content-length': length, ...options.headers });
  const over = ended(asked);
  asked.on('response', (response) => {
    if (options.reads !== false) response.resume();
  });
  for (const body of bodies) asked.write(body);
  asked.end();
  await over;
}

async function slowly(asked: ClientRequest, beginning: string): Promise<void> {
  const over = ended(asked);
  asked.write(beginning);
  const drip = setInterval(() => asked.write(' '), 100);
  await over;
  clearInterval(drip);
}

async function endless(asked: ClientRequest): Promise<void> {
  const over = ended(asked);
  const more = () => {
    while (!asked.destroyed && asked.write(ZEROS.subarray(0, 64 * 1024))) if (performance.now() > deadline) return;
  };
  asked.write('{"kind":"ConversionReview","x":"');
  asked.on('drain', more);
  more();
  await over;
}

async function idle(socket: Socket, first?: Buffer): Promise<void> {
  const over = ended(socket);
  if (first !== undefined) socket.write(first);
  await over;
}

async function handshakes(): Promise<void> {
  for (let i = 0; i < 20 && performance.now() < deadline; i++) {
    const socket = tls();
    await new Promise<void>((resolve) => {
      socket.once('secureConnect', resolve).once('error', () => resolve());
      socket.once('close', () => resolve());
    });
    socket.destroy();
  }
}

async function garbage(port: number, first = Buffer.from(range(4_096).map(() => chance.next() * 256))): Promise<void> {
  await idle(connect({ port, host: '127.0.0.1', localAddress: from() }), first);
}

async function flood(): Promise<void> {
  for (let i = 0; i < 100 && performance.now() < deadline; i++) {
    const asked = plainRequest({ port: probe, host: '127.0.0.1', path: '/livez', agent: false, localAddress: from() });
    asked.on('response', (response) => response.resume());
    asked.end();
    await ended(asked);
  }
}

async function largeProbe(): Promise<void> {
  const options = { port: probe, host: '127.0.0.1', path: '/livez', method: 'POST', agent: false } as const;
  const asked = plainRequest({ ...options, headers: { 'content-length': ZEROS.length } });
  const over = ended(asked);
  asked.on('response', (response) => response.resume());
  asked.end(ZEROS);
  await over;
}

/** Closed, failed, or the client's patience is over: then it hangs up. */
function ended(what: ClientRequest | Socket): Promise<void> {
  return new Promise((resolve) => {
    const timer = setTimeout(() => what.destroy(), patience());
    what.on('error', () => {});
    what.once('close', () => {
      clearTimeout(timer);
      resolve();
    });
    if (!('end' in what && 'setHeader' in what)) (what as Socket).resume();
  });
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function review(desired: string, objects: readonly string[]): string {
  const request = `{"uid":"u","desiredAPIVersion":"${desired}","objects":[${objects.join(',')}]}`;
  return `{"kind":"ConversionReview","apiVersion":"apiextensions.k8s.io/v1","request":${request}}`;
}

function fullTracker(): string {
  const quantities = { cpu: '64', 'ephemeral-storage': '1056889268Ki', memory: '263846612Ki', pods: '110' };
  const node = (i: number) => `ip-10-0-${i}-114.eu-central-1.compute.internal`;
  const pod = (i: number) => ({
    ...{ podName: `checkout-7cbb44f847-${i}`, namespace: 'payments', ip: `10.244.${i}.17`, ips: [`10.244.${i}.17`] },
    ...{ nodeName: node(i), creationTimestamp: TIME, phase: 'Running' },
  });
  const pods = Object.fromEntries(range(100).map((i) => [`3f2c8a1e-7b4d-4c9a-9e2f-${i}`, pod(i)]));
  const nodes = Object.fromEntries(range(100).map((i) => [node(i), { nodeIP: `10.0.${i}.1`, capacity: quantities }]));
  const about = { apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', metadata: { name: 'full' }, spec: {} };
  return JSON.stringify({ ...about, status: { pods, nodes } });
}

function manyNodes(count: number): string {
  const podIPs = range(count).map((i) => ({
    ...{ podName: `p${i}`, namespace: 'n', ip: `${i}`, nodeName: `n${i}`, creationTimestamp: TIME, phase: '' },
  }));
  const nodeInfo = range(count).map((i) => ({ nodeName: `n${i}`, nodeIP: '', lastUpdateTime: TIME }));
  const about = { apiVersion: 'podtrail.dev/v1alpha1', kind: 'PodTracker', metadata: { name: 'wide' }, spec: {} };
  return JSON.stringify({ ...about, status: { podIPs, nodeInfo } });
}
