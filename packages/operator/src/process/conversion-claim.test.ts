import assert from 'node:assert/strict';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { type TestContext, test } from 'node:test';
import { issueCertificate } from '../certificates/certificate.ts';
import type { AnnouncedWebhook } from '../conversion/conversion-endpoint.ts';
import { checkClaim, isLoopback } from './conversion-claim.ts';

const DAY_MS = 86_400_000;
const never = new AbortController().signal;

const service = (namespace: string): AnnouncedWebhook => ({ service: { namespace, name: 'podtrail-conversion' } });

function certificateOf(commonName: string, now: number = Date.now()) {
  return issueCertificate({ commonName, names: ['localhost', '127.0.0.1'], now, validMs: 2 * DAY_MS });
}

function trusted(webhook: AnnouncedWebhook, certificate: string): AnnouncedWebhook {
  return { ...webhook, caBundle: Buffer.from(certificate).toString('base64') };
}

/** Services in these namespaces. */
async function ask(own: AnnouncedWebhook, known: AnnouncedWebhook | undefined, ...namespaces: string[]) {
  const list = (namespace: string) => async () => ({
    items: namespaces.includes(namespace) ? [{ metadata: { name: 'podtrail-conversion', namespace } }] : [],
  });
  const client = { resource: (_resource: unknown, namespace = '') => ({ list: list(namespace) }) as never };
  await checkClaim({ client, identity: 'one', now: () => Date.now() }, own, known, never);
}

async function listening(t: TestContext, certificate: { certificate: string; key: string }): Promise<string> {
  const server = createServer({ cert: certificate.certificate, key: certificate.key }, (_request, response) => {
    response.writeHead(400).end();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => new Promise((resolve) => server.close(resolve)));
  return `https://127.0.0.1:${(server.address() as AddressInfo).port}/convert`;
}

test('a Service is written down only if it is there', async () => {
  await assert.rejects(ask(service('podtrail'), undefined), /there is no Service podtrail\/podtrail-conversion/);
  await ask(service('podtrail'), undefined, 'podtrail');
});

test('what another operator has written stays while its Service is there; of one that is gone it is replaced', async () => {
  const known = trusted(service('other'), certificateOf('podtrail-operator-0').certificate);
  const own = service('podtrail');
  await assert.rejects(ask(own, known, 'podtrail', 'other'), /another operator serves v1alpha1 already: other\//);
  await assert.rejects(ask({ url: 'https://127.0.0.1:1/convert' }, known, 'other'), /another operator/);
  await ask(own, known, 'podtrail');
});

test('replicas behind one Service write beside each other', async () => {
  await ask(service('podtrail'), trusted(service('podtrail'), certificateOf('two').certificate), 'podtrail');
});

test('certificates that have all run out, or cannot be read, are of nobody who serves', async () => {
  const own = service('podtrail');
  const old = certificateOf('two', Date.now() - 30 * DAY_MS);
  await ask(own, trusted(service('other'), old.certificate), 'podtrail', 'other');
  await ask(own, trusted(service('other'), 'none'), 'podtrail', 'other');
});

test('a URL stays while it answers; it is replaced when nobody is there, or it was this replica', async (t) => {
  const own = { url: 'https://127.0.0.1:1/convert' };
  const two = certificateOf('two');
  const url = await listening(t, two);
  await assert.rejects(ask(own, trusted({ url }, two.certificate)), /another operator serves v1alpha1 already: https/);
  // It answers, but not with what API servers are configured to trust.
  await ask(own, trusted({ url }, certificateOf('two').certificate));
  await ask(own, trusted({ url: 'https://127.0.0.1:2/convert' }, two.certificate));
  const one = certificateOf('one');
  await ask(own, trusted({ url: await listening(t, one) }, one.certificate));
});

test('loopback is loopback however it is written', () => {
  for (const host of ['127.0.0.1', '127.9.9.9', '::1', '[::1]', 'localhost']) assert.ok(isLoopback(host), host);
  for (const host of ['0.0.0.0', '::', '10.0.0.7', '127.example.com']) assert.ok(!isLoopback(host), host);
});
