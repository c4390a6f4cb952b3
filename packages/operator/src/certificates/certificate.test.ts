import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { connect, createServer } from 'node:tls';
import { issueCertificate } from './certificate.ts';
import { splitBundle, withCertificate } from './trust-bundle.ts';

const NOW = Date.UTC(2026, 10, 15);
const DAY_MS = 86_400_000;
const names = ['conversion.podtrail.svc', 'localhost', '127.0.0.1', 'fd00::1:2'];
const issue = (commonName: string, now = NOW) => issueCertificate({ commonName, names, now, validMs: 30 * DAY_MS });

test('a certificate says who serves, under which names and how long', () => {
  const { certificate, key, notAfter } = issue('podtrail-0');
  const read = new X509Certificate(certificate);
  assert.match(read.subject, /^CN=podtrail-0\nserialNumber=[0-9a-f]{32}$/);
  assert.equal(
    read.subjectAltName,
    'DNS:conversion.podtrail.svc, DNS:localhost, IP Address:127.0.0.1, IP Address:FD00:0:0:0:0:0:1:2',
  );
  assert.equal(read.validToDate.getTime(), notAfter);
  assert.ok(read.validFromDate.getTime() < NOW, 'clocks differ');
  assert.equal(read.verify(read.publicKey), true);
  assert.match(key, /BEGIN PRIVATE KEY/);
  assert.notEqual(issue('podtrail-0').certificate, certificate);
});

test('who trusts the certificate can talk to the server, and nobody else', async (t) => {
  const { certificate: cert, key } = issue('podtrail-0', Date.now());
  const server = createServer({ cert, key }, (socket) => socket.end('hello')).on('tlsClientError', () => {});
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => server.close());
  const { port } = server.address() as AddressInfo;
  const options = { host: '127.0.0.1', port, servername: 'localhost' };
  // Beside one of the same server that came before, as while it is renewed.
  const trusting = connect({ ...options, ca: [issue('podtrail-0', Date.now()).certificate, cert] });
  const [hello] = await once(trusting, 'data');
  assert.equal(String(hello), 'hello');
  const other = connect({ ...options, ca: issue('podtrail-0', Date.now()).certificate });
  await assert.rejects(once(other, 'secureConnect'), /self-signed|signature/);
  const elsewhere = connect({ ...options, ca: cert, servername: 'elsewhere' });
  await assert.rejects(once(elsewhere, 'secureConnect'), /does not match/);
});

test('a bundle keeps what other replicas announced, and of one replica the newest', () => {
  const [a, b, again] = [issue('a').certificate, issue('b').certificate, issue('a').certificate];
  const both = withCertificate(withCertificate('', a, [], NOW), b, [], NOW);
  assert.deepEqual(splitBundle(both), [a, b]);
  assert.deepEqual(splitBundle(withCertificate(both, again, [], NOW)), [b, again]);
  assert.deepEqual(splitBundle(withCertificate(both, again, [a], NOW)), [a, b, again], 'the one in use stays');
  assert.equal(withCertificate(both, b, [], NOW), both, 'announcing twice changes nothing');
});

test('a bundle drops what is no longer valid or never was', () => {
  const old = issue('old', NOW - 40 * DAY_MS).certificate;
  const own = issue('own').certificate;
  const ruined = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  assert.deepEqual(splitBundle(withCertificate(`${old}${ruined}noise`, own, [], NOW)), [own]);
});
