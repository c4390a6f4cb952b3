import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request } from 'node:http';
import { connect } from 'node:net';
import { type TestContext, test } from 'node:test';
import { createGunzip, gunzipSync } from 'node:zlib';
import { Problem } from '../problem.ts';
import { startedServer } from '../testing/started-server.ts';
import type { HttpLimits } from './http-server.ts';
import type { ReplyStream } from './reply.ts';

const SOON = { timeout: 60_000 };
const ROWS = Array.from({ length: 5_000 }, (_, i) => `10.0.0.${i % 256},shop,web-${i}\n`);

async function served(
  t: TestContext,
  stream: (out: ReplyStream) => Promise<void>,
  { mayBePacked = true, limits = {} }: { mayBePacked?: boolean; limits?: Partial<HttpLimits> } = {},
) {
  const handle = async () => ({ status: 200, mayBePacked, stream });
  const entries: { readonly bytes: number }[] = [];
  const log = (entry: { readonly bytes: number }) => void entries.push(entry);
  const { server, get } = await startedServer(t, [{ method: 'GET', path: '/rows', handle }], { limits, log });
  /** As it came: fetch would unpack it. */
  const raw = (encoding?: string) =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const headers = { authorization: 'Bearer jane', ...(encoding && { 'accept-encoding': encoding }) };
      const options = { host: '127.0.0.1', port: server.port, path: '/rows', headers, agent: false };
      request(options, resolve).on('error', reject).end();
    });
  return { server, get, raw, entries };
}

const writeRows = async (out: ReplyStream) => {
  for (const row of ROWS) await out.write(row);
};

test('a stream that may be packed is packed for who takes gzip, and for nobody else', SOON, async (t) => {
  const { raw, entries } = await served(t, writeRows);
  const packed = await raw('br;q=1, gzip');
  assert.equal(packed.headers['content-encoding'], 'gzip');
  const bytes = Buffer.concat(await packed.toArray());
  assert.equal(gunzipSync(bytes).toString(), ROWS.join(''));
  assert.ok(bytes.length < ROWS.join('').length / 2, `${bytes.length}`);
  assert.equal(entries[0]?.bytes, bytes.length, 'the log counts what was sent');
  for (const encoding of [undefined, 'identity', 'gzip;q=0']) {
    const plain = await raw(encoding);
    assert.equal(plain.headers['content-encoding'], undefined);
    assert.equal(plain.headers['vary'], 'accept-encoding');
    assert.equal(Buffer.concat(await plain.toArray()).toString(), ROWS.join(''));
  }
  const events = await (await served(t, writeRows, { mayBePacked: false })).raw('gzip');
  assert.equal(events.headers['content-encoding'], undefined);
  assert.equal(events.headers['vary'], undefined);
});

test('what was written arrives while nothing more comes', SOON, async (t) => {
  const arrived = Promise.withResolvers<void>();
  const { raw } = await served(t, async (out) => {
    await out.write('first\n');
    await arrived.promise;
    await out.write('last\n');
  });
  const texts = (await raw('gzip')).pipe(createGunzip()).setEncoding('utf8');
  const [first] = await once(texts, 'data');
  assert.equal(first, 'first\n');
  arrived.resolve();
  assert.equal((await texts.toArray()).join(''), 'last\n');
});

test(
  'a packed stream is written no faster than it is read, and a client that takes nothing is dropped',
  SOON,
  async (t) => {
    const ended = Promise.withResolvers<{ readonly written: number; readonly error: unknown }>();
    const chunk = randomBytes(64 * 1024);
    const stream = async (out: ReplyStream) => {
      let written = 0;
      try {
        for (;;) {
          await out.write(chunk);
          written += chunk.length;
        }
      } catch (error) {
        ended.resolve({ written, error });
        throw error;
      }
    };
    const { server } = await served(t, stream, { limits: { drainMs: 300 } });
    const socket = connect(server.port, '127.0.0.1');
    t.after(() => socket.destroy());
    socket.on('error', () => {}).pause();
    socket.write('GET /rows HTTP/1.1\r\nhost: x\r\nauthorization: Bearer jane\r\naccept-encoding: gzip\r\n\r\n');
    const { written, error } = await ended.promise;
    assert.equal((error as Problem).code, 'client-gone');
    // What the kernel's buffers of both ends take.
    assert.ok(written < 32 * 1024 * 1024, `${written}`);
  },
);

test('a packed stream that fails is a problem before its first row, and after it no whole file', SOON, async (t) => {
  const failing = (first: string | undefined) => async (out: ReplyStream) => {
    if (first !== undefined) await out.write(first);
    throw new Problem(503, 'busy', 'not now');
  };
  const { get, raw } = await served(t, failing(undefined));
  assert.equal((await raw('gzip')).headers['content-encoding'], undefined);
  assert.equal((await get('/rows')).status, 503);
  const { get: getLater } = await served(t, failing('first\n'));
  await assert.rejects(async () => await (await getLater('/rows', { headers: { 'accept-encoding': 'gzip' } })).text());
});
