import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { getPriority } from 'node:os';
import { type TestContext, test } from 'node:test';
import { connect } from 'node:tls';
import { issueCertificate } from '../certificates/certificate.ts';
import { ConversionHost, type ConversionHostOptions } from './conversion-host.ts';

const SOON = { timeout: 60_000 };
const issue = (commonName: string) =>
  issueCertificate({ commonName, names: ['localhost'], now: Date.now(), validMs: 3_600_000 });
const certificate = issue('first');

function aHost(t: TestContext, options: Partial<ConversionHostOptions> = {}) {
  const restarts: string[] = [];
  const onRestart = ({ message }: Error) => void restarts.push(message);
  const host = new ConversionHost({ host: '127.0.0.1', port: 0, certificate, onRestart, ...options });
  t.after(() => host.close());
  return { host, restarts };
}

/** The name in the certificate that is served there; undefined while nobody listens. */
async function served(port: number): Promise<string | undefined> {
  const socket = connect({ port, host: '127.0.0.1', rejectUnauthorized: false, servername: 'localhost' });
  try {
    await once(socket, 'secureConnect');
    return String(socket.getPeerCertificate().subject.CN);
  } catch {
    return undefined;
  } finally {
    socket.destroy();
  }
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 50));
}

test('conversion is served by another process, below this one, and a new certificate reaches it', SOON, async (t) => {
  const { host, restarts } = aHost(t);
  const port = await host.listen();
  assert.notEqual(host.pid, process.pid);
  assert.equal(await served(port), 'first');
  assert.ok(getPriority(host.pid) > getPriority());
  host.use(issue('second'));
  await until(async () => (await served(port)) === 'second');
  await host.close();
  assert.deepEqual([await served(port), restarts], [undefined, []]);
});

test('a process that dies is started again on the same port, with the certificate of then', SOON, async (t) => {
  const { host, restarts } = aHost(t);
  const port = await host.listen();
  const { pid } = host;
  process.kill(pid as number, 'SIGKILL');
  host.use(issue('second'));
  await until(async () => (await served(port)) === 'second');
  assert.notEqual(host.pid, pid);
  assert.deepEqual(restarts, ['the conversion process was ended by SIGKILL and is started again']);
});

test('a process that hangs is replaced', {
  ...SOON,
  skip: process.platform === 'win32' && 'no SIGSTOP there',
}, async (t) => {
  const { host, restarts } = aHost(t);
  const port = await host.listen();
  // It lives, its port accepts, and nobody answers any more.
  process.kill(host.pid as number, 'SIGSTOP');
  await until(async () => restarts.length > 0 && (await served(port)) === 'first');
  assert.deepEqual(restarts, ['the conversion process did not answer any more and is started again']);
});

test('a port that is taken is said to be, at once', SOON, async (t) => {
  const other = createServer().listen(0, '127.0.0.1');
  await once(other, 'listening');
  t.after(() => other.close());
  const { port } = other.address() as { port: number };
  const { host } = aHost(t, { port });
  await assert.rejects(host.listen(), { code: 'cannot-listen', message: `127.0.0.1:${port} is already in use` });
});
