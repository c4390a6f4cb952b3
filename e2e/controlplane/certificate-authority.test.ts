import assert from 'node:assert/strict';
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import * as tls from 'node:tls';
import { createCertificateAuthority, type KeyAndCertificate } from './certificate-authority.ts';

const authority = createCertificateAuthority('test-ca');

test('an issued certificate carries its subject, groups, names and the signature of its authority', () => {
  const issued = authority.issue({
    subject: { commonName: 'jane', organizations: ['dev', 'système'] },
    usage: 'both',
    names: ['localhost', '127.0.0.1', 'fe80::1:2'],
  });
  const certificate = new X509Certificate(issued.certificate);
  const ca = new X509Certificate(authority.certificate);
  assert.equal(certificate.subject, 'O=dev\nO=système\nCN=jane');
  assert.equal(certificate.subjectAltName, 'DNS:localhost, IP Address:127.0.0.1, IP Address:FE80:0:0:0:0:0:1:2');
  assert.equal(ca.ca, true);
  assert.equal(certificate.ca, false);
  assert.equal(certificate.checkIssued(ca), true);
  assert.equal(certificate.verify(ca.publicKey), true);
  assert.equal(certificate.checkPrivateKey(createPrivateKey(issued.key)), true);
  assert.equal(
    certificate.verify(new X509Certificate(createCertificateAuthority('test-ca').certificate).publicKey),
    false,
  );
});

test('validity is encoded on both sides of the year 2050', () => {
  const notBefore = new Date('2049-12-31T23:59:59Z');
  const notAfter = new Date('2050-01-01T00:00:00Z');
  const issued = authority.issue({ subject: { commonName: 'late' }, usage: 'client', notBefore, notAfter });
  const certificate = new X509Certificate(issued.certificate);
  assert.equal(certificate.validFromDate.getTime(), notBefore.getTime());
  assert.equal(certificate.validToDate.getTime(), notAfter.getTime());
});

test('a mutual TLS handshake trusts the authority, and refuses a client of another and an expired server', async () => {
  const server = authority.issue({ subject: { commonName: 'server' }, usage: 'server', names: ['127.0.0.1'] });
  const client = authority.issue({ subject: { commonName: 'client' }, usage: 'client' });
  assert.equal(await handshake(server, client), 'hello client');

  const foreign = createCertificateAuthority('test-ca').issue({ subject: { commonName: 'client' }, usage: 'client' });
  await assert.rejects(handshake(server, foreign), /refused|alert|ECONNRESET/);

  const notAfter = new Date(Date.now() - 1000);
  const expired = authority.issue({ subject: { commonName: 's' }, usage: 'server', names: ['127.0.0.1'], notAfter });
  await assert.rejects(handshake(expired, client), { code: 'CERT_HAS_EXPIRED' });
});

async function handshake(server: KeyAndCertificate, client: KeyAndCertificate): Promise<string> {
  const ca = authority.certificate;
  const options = { key: server.key, cert: server.certificate, ca, requestCert: true, rejectUnauthorized: true };
  const listener = tls.createServer(options, (socket) => {
    socket.on('error', () => {});
    socket.end(`hello ${socket.getPeerCertificate().subject.CN}`);
  });
  listener.listen(0, '127.0.0.1');
  await once(listener, 'listening');
  const { port } = listener.address() as AddressInfo;
  const socket = tls.connect({ host: '127.0.0.1', port, ca, key: client.key, cert: client.certificate });
  try {
    let text = '';
    for await (const chunk of socket) text += chunk;
    if (text === '') throw new Error('refused by the server');
    return text;
  } finally {
    socket.destroy();
    listener.close();
  }
}
