import assert from 'node:assert/strict';
import { mkdtemp, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { ManualClock } from '../testing/manual-clock.ts';
import { systemFiles } from './config-env.ts';
import { MemoryFiles } from './testing/memory-files.ts';
import { selfSignedCertificate } from './testing/self-signed-certificate.ts';
import { openTlsFiles, type TlsSpec } from './tls-files.ts';

const ca = selfSignedCertificate('ca');
const nextCa = selfSignedCertificate('ca');
const client = selfSignedCertificate('client');
const nextClient = selfSignedCertificate('client');

const SPEC: TlsSpec = {
  ca: { kind: 'file', path: '/ca', what: 'the CA' },
  pair: {
    cert: { kind: 'file', path: '/cert', what: 'the certificate' },
    key: { kind: 'file', path: '/key', what: 'the key' },
  },
  serverName: 'api.internal',
  insecureSkipVerify: false,
};

async function open(
  files = new MemoryFiles({ '/ca': ca.cert, '/cert': client.cert, '/key': client.key }),
  spec = SPEC,
) {
  const clock = new ManualClock();
  const problems: string[] = [];
  const source = await openTlsFiles(spec, { files, clock, onProblem: (p) => problems.push(p.message) });
  return { files, clock, problems, source };
}

test('the same reference is handed out while nothing has changed, at the cost of a stat every five seconds', async () => {
  const { files, clock, source } = await open();
  const first = await source.current();
  assert.deepEqual(
    { ...first },
    { ca: ca.cert, cert: client.cert, key: client.key, serverName: 'api.internal', insecureSkipVerify: false },
  );
  const { reads, stamps } = files;
  for (let i = 0; i < 100; i++) assert.equal(await source.current(), first);
  assert.equal(files.stamps, stamps);
  await clock.advance(5_000);
  assert.equal(await source.current(), first);
  assert.equal(files.stamps, stamps + 3);
  assert.equal(files.reads, reads);
});

test('a rotated certificate authority is picked up without a restart', async () => {
  const { files, clock, source } = await open();
  const first = await source.current();
  files.write('/ca', nextCa.cert);
  assert.equal(await source.current(), first);
  await clock.advance(5_000);
  const second = await source.current();
  assert.notEqual(second, first);
  assert.equal(second.ca, nextCa.cert);
  assert.equal(second.cert, client.cert);
});

test('a file that was rewritten with the same content changes nothing', async () => {
  const { files, clock, source } = await open();
  const first = await source.current();
  files.write('/ca', ca.cert);
  await clock.advance(5_000);
  assert.equal(await source.current(), first);
});

test('a certificate whose key has not arrived yet leaves the old pair in use, and both change together', async () => {
  const { files, clock, problems, source } = await open();
  const first = await source.current();
  files.write('/cert', nextClient.cert);
  for (let i = 0; i < 3; i++) {
    await clock.advance(5_000);
    assert.equal(await source.current(), first);
  }
  assert.deepEqual(problems, ['the key does not belong to the certificate']);
  files.write('/key', nextClient.key);
  await clock.advance(5_000);
  const second = await source.current();
  assert.equal(second.cert, nextClient.cert);
  assert.equal(second.key, nextClient.key);
});

const caughtMidWrite: Record<string, (files: MemoryFiles) => void> = {
  'an empty CA file': (f) => f.write('/ca', ''),
  'a half-written CA file': (f) => f.write('/ca', nextCa.cert.slice(0, 200)),
  'a bundle that is cut in its second certificate': (f) => f.write('/ca', nextCa.cert + ca.cert.slice(0, 100)),
  'a CA file that is garbage between the markers': (f) =>
    f.write('/ca', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n'),
  'a vanished certificate': (f) => f.remove('/cert'),
  'a half-written key': (f) => f.write('/key', nextClient.key.slice(0, 60)),
  'a file that may no longer be read': (f) => f.fail('/ca', 'EACCES'),
};

for (const [name, disturb] of Object.entries(caughtMidWrite)) {
  test(`${name} keeps the previous material and is reported once`, async () => {
    const { files, clock, problems, source } = await open();
    const first = await source.current();
    disturb(files);
    for (let i = 0; i < 3; i++) {
      await clock.advance(5_000);
      assert.equal(await source.current(), first);
    }
    assert.equal(problems.length, 1, problems.join('; '));
  });
}

test('after a refusal the files are looked at without waiting', async () => {
  const { files, source } = await open();
  files.write('/cert', nextClient.cert);
  files.write('/key', nextClient.key);
  source.refuse();
  assert.equal((await source.current()).cert, nextClient.cert);
});

test('concurrent callers share one check', async () => {
  const { files, clock, source } = await open();
  await clock.advance(5_000);
  const { stamps } = files;
  const all = await Promise.all([source.current(), source.current(), source.current()]);
  assert.equal(new Set(all).size, 1);
  assert.equal(files.stamps, stamps + 3);
});

test('a missing CA is tolerated only where a pod may lack it, and picked up when it appears', async () => {
  await assert.rejects(open(new MemoryFiles()), {
    message: 'the CA, /ca, does not exist',
    code: 'config-file-missing',
  });
  const { files, clock, problems, source } = await open(new MemoryFiles(), {
    ...SPEC,
    pair: undefined,
    caMayBeMissing: true,
  });
  assert.equal((await source.current()).ca, undefined);
  assert.deepEqual(problems, ['the CA, /ca, does not exist']);
  files.write('/ca', ca.cert);
  await clock.advance(5_000);
  assert.equal((await source.current()).ca, ca.cert);
  // From here on its absence is a disturbance like any other.
  files.remove('/ca');
  await clock.advance(5_000);
  assert.equal((await source.current()).ca, ca.cert);
});

test('a CA bundle may hold several certificates, comments, and some that cannot be read', async () => {
  const odd = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
  const bundle = `# first\n${odd}# second\n${ca.cert}${nextCa.cert}`;
  const { source } = await open(new MemoryFiles({ '/ca': bundle, '/cert': client.cert, '/key': client.key }));
  assert.equal((await source.current()).ca, bundle);
});

test('on a real file system a flipped link, as a mounted Secret has it, is a change', async (t) => {
  const directory = await mkdtemp(join(tmpdir(), 'tls-files-'));
  t.after(() => rm(directory, { recursive: true }));
  const path = join(directory, 'ca.crt');
  await writeFile(join(directory, 'one'), ca.cert);
  await writeFile(join(directory, 'two'), nextCa.cert);
  await symlink('one', path);
  const clock = new ManualClock();
  const spec: TlsSpec = { ...SPEC, ca: { kind: 'file', path, what: 'the CA' }, pair: undefined };
  const source = await openTlsFiles(spec, { files: systemFiles, clock, onProblem: assert.fail });
  const first = await source.current();
  await clock.advance(5_000);
  assert.equal(await source.current(), first);
  await symlink('two', `${path}.next`);
  await rename(`${path}.next`, path);
  await clock.advance(5_000);
  assert.equal((await source.current()).ca, nextCa.cert);
});
