import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { request } from 'node:https';
import { after, before, beforeEach, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { AuditQueue, type AuditQueueLimits } from './audit-queue.ts';
import { AuditServer } from './audit-server.ts';
import {
  anAuditEvent,
  anEventList,
  CERTIFICATES,
  CLIENT,
  type PostOptions,
  post,
  STRANGER,
} from './testing/audit-client.ts';

const LIMITS: AuditQueueLimits = { bytes: 1 << 20, events: 50 };
const counts = { answered: [] as number[], refused: 0, damaged: 0 };
const listener = {
  answered: (status: number) => void counts.answered.push(status),
  refused: () => void counts.refused++,
  damaged: () => void counts.damaged++,
};
const queue = new AuditQueue(LIMITS);
const server = serverWith(undefined);
let port = 0;

function serverWith(clientName: string | undefined, into = queue): AuditServer {
  const where = { host: '127.0.0.1', port: 0, certificates: CERTIFICATES };
  return new AuditServer({ ...where, clientName, queue: into, listener });
}

before(async () => {
  port = await server.listen();
});
after(() => server.close());
beforeEach(() => {
  Object.assign(counts, { answered: [], refused: 0, damaged: 0 });
  queue.take(Number.POSITIVE_INFINITY);
});

const statusOf = async (body: string | Uint8Array, options?: PostOptions) => (await post(port, body, options)).status;

test('events of an API server are queued, and answered at once', async () => {
  assert.equal(await statusOf(anEventList(anAuditEvent(), anAuditEvent())), 200);
  assert.equal(queue.size, 2);
  assert.deepEqual(counts, { answered: [200], refused: 0, damaged: 0 });
});

test('Invariant: nobody is let in without a certificate of the authority', async () => {
  await assert.rejects(post(port, anEventList(anAuditEvent()), { client: undefined }));
  await assert.rejects(post(port, anEventList(anAuditEvent()), { client: STRANGER }));
  assert.equal(queue.size, 0);
});

test('with a name, only whose certificate has it', async () => {
  for (const [name, status] of [
    ['kube-apiserver', 200],
    ['front-proxy-client', 403],
  ] as const) {
    const named = serverWith(name);
    const at = await named.listen();
    assert.equal((await post(at, anEventList(anAuditEvent()))).status, status);
    await named.close();
  }
});

test('new certificates are used for new connections', async () => {
  const renewed = serverWith(undefined);
  const at = await renewed.listen();
  renewed.use({ ...CERTIFICATES, clientCa: STRANGER.certificate });
  await assert.rejects(post(at, anEventList(), { client: CLIENT }));
  assert.equal((await post(at, anEventList(), { client: STRANGER })).status, 200);
  await renewed.close();
});

test('a full queue is 429 with Retry-After, also in the middle of a body', async () => {
  const many = anEventList(...Array.from({ length: 60 }, () => anAuditEvent()));
  const { status, headers } = await post(port, many);
  assert.deepEqual([status, headers['retry-after']], [429, '1']);
  assert.equal(queue.size, LIMITS.events);
  assert.equal(await statusOf(anEventList(anAuditEvent())), 429);
  assert.equal(counts.refused, 2);
  queue.take(Number.POSITIVE_INFINITY);
  assert.equal(await statusOf(anEventList(anAuditEvent())), 200);
});

test('the queue is bounded in bytes', async () => {
  const large = anAuditEvent({ body: 'x'.repeat(400_000) });
  assert.equal(await statusOf(anEventList(large, large, large)), 429);
  assert.ok(queue.bytes <= LIMITS.bytes);
});

test('what connections hold of events that are not whole yet counts, and is given back when one is cut', async () => {
  const options = { host: '127.0.0.1', path: '/audit', method: 'POST', rejectUnauthorized: false, agent: false };
  const begun = Array.from({ length: 4 }, () => {
    const sent = request({ ...options, port, cert: CLIENT.certificate, key: CLIENT.key });
    const ended = new Promise<number>((resolve) => {
      sent.on('response', (response) => resolve(response.resume().statusCode ?? 0));
      sent.on('error', () => resolve(0));
    });
    sent.write('{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[{"a":"');
    for (let i = 0; i < 30; i++) sent.write(Buffer.alloc(10_000, 'x'));
    return { sent, ended };
  });
  const refused = await Promise.race(begun.map(({ ended }) => ended));
  assert.equal(refused, 429);
  assert.ok(queue.bytes <= LIMITS.bytes && queue.bytes > 0, String(queue.bytes));
  for (const { sent } of begun) sent.destroy();
  await Promise.all(begun.map(({ ended }) => ended));
  for (let i = 0; i < 1000 && queue.bytes > 0; i++) await new Promise((resolve) => setTimeout(resolve, 10));
  assert.equal(queue.bytes, 0);
  assert.equal(await statusOf(anEventList(anAuditEvent())), 200);
});

const REFUSED: Readonly<Record<string, readonly [PostOptions, number]>> = {
  'another path': [{ path: '/' }, 404],
  'another method': [{ method: 'PUT' }, 405],
  'a compressed body, which could become any size': [{ headers: { 'content-encoding': 'gzip' } }, 415],
};
for (const [sentence, [options, status]] of Object.entries(REFUSED)) {
  test(`${sentence} is refused with ${status}`, async () => {
    const bomb = gzipSync(Buffer.alloc(50 << 20));
    assert.equal(await statusOf(options.headers === undefined ? anEventList() : bomb, options), status);
    assert.equal(queue.size, 0);
  });
}

test('what cannot be read is counted, and not asked for again', async () => {
  for (const body of ['', 'x', '[]', anEventList(anAuditEvent()).slice(0, 50), randomBytes(10_000)])
    assert.equal(await statusOf(body), 200);
  assert.equal(counts.damaged, 5);
});

test('an event of 200 MB is left out, and takes no memory', { timeout: 60_000 }, async () => {
  const piece = Buffer.alloc(1 << 20, ' ');
  const usual = new AuditQueue();
  const roomy = serverWith(undefined, usual);
  const roomyPort = await roomy.listen();
  const before = process.memoryUsage.rss();
  let most = 0;
  const status = await new Promise<number>((resolve, reject) => {
    const sent = request(
      {
        host: '127.0.0.1',
        port: roomyPort,
        path: '/audit',
        method: 'POST',
        rejectUnauthorized: false,
        agent: false,
        cert: CLIENT.certificate,
        key: CLIENT.key,
      },
      (response) => resolve(response.resume().statusCode ?? 0),
    );
    sent.on('error', reject);
    sent.write('{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[{"a":"');
    let left = 200;
    const write = () => {
      for (; left > 0; left--) {
        most = Math.max(most, process.memoryUsage.rss());
        if (sent.write(piece)) continue;
        left--;
        sent.once('drain', write);
        return;
      }
      sent.end('"}]}');
    };
    write();
  });
  assert.equal(status, 200);
  assert.equal(counts.damaged, 1);
  assert.deepEqual([usual.size, usual.bytes], [0, 0]);
  await roomy.close();
  assert.ok(most - before < 120 << 20, `${(most - before) >> 20} MiB more`);
});

test('whatever is posted, it answers, and the queue stays within its limits', { timeout: 60_000 }, async () => {
  const words = [
    '{',
    '}',
    '[',
    ']',
    '"',
    '\\',
    'items',
    '"kind":"EventList"',
    ':',
    ',',
    ' ',
    '\n',
    '\u0000',
    'é',
    '1e999',
  ];
  const head = fc.constantFrom('', '{"apiVersion":"audit.k8s.io/v1","items":[', anEventList(anAuditEvent()));
  const noise = fc.array(fc.constantFrom(...words), { maxLength: 60 }).map((some) => some.join(''));
  await fc.assert(
    fc.asyncProperty(head, noise, async (before, behind) => {
      assert.equal(await statusOf(before + behind), 200);
      assert.ok(queue.bytes <= LIMITS.bytes && queue.size <= LIMITS.events);
      queue.take(Number.POSITIVE_INFINITY);
    }),
    { numRuns: 150 },
  );
});
