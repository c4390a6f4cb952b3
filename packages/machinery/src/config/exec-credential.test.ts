import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { ConfigError, CredentialError, MachineryError } from '../errors.ts';
import { settle } from '../testing/manual-clock.ts';
import { ExecCredential } from './exec-credential.ts';
import { checkExecEntry, type ExecPlugin } from './exec-plugin.ts';
import { execCredential, FakePlugin, madeUpConfigEnv } from './testing/config-env.ts';
import { selfSignedCertificate } from './testing/self-signed-certificate.ts';

const PLUGIN: ExecPlugin = {
  apiVersion: 'client.authentication.k8s.io/v1',
  command: 'login',
  args: ['--secret=hunter2'],
  env: [{ name: 'REGION', value: 'eu' }],
  installHint: undefined,
  interactiveMode: 'Never',
  clusterInfo: undefined,
};

function open(answer: FakePlugin['answer'], plugin: Partial<ExecPlugin> = {}, stdinIsTerminal = false) {
  const fake = new FakePlugin(answer);
  const env = { PATH: '/bin', REGION: 'us', KUBERNETES_EXEC_INFO: 'stale' };
  const configEnv = madeUpConfigEnv({}, { env, runPlugin: fake.run, stdinIsTerminal });
  return { fake, clock: configEnv.clock, source: new ExecCredential({ ...PLUGIN, ...plugin }, configEnv) };
}

const failure = async (promise: Promise<unknown>): Promise<MachineryError> => {
  const error = await promise.then(
    () => assert.fail('it should have failed'),
    (e: unknown) => e,
  );
  assert.ok(error instanceof MachineryError);
  assert.doesNotMatch(inspect(error, { depth: 9 }), /hunter2|s3cr3t/);
  return error;
};

test('the plugin gets its arguments, our environment with its own on top, and KUBERNETES_EXEC_INFO', async () => {
  const { fake, source } = open(() => execCredential({ token: 'tok' }));
  assert.equal((await source.current()).authorization, 'Bearer tok');
  const [request] = fake.requests;
  assert.equal(request?.command, 'login');
  assert.deepEqual(request?.args, ['--secret=hunter2']);
  assert.equal(request?.env['PATH'], '/bin');
  assert.equal(request?.env['REGION'], 'eu');
  assert.deepEqual(JSON.parse(request?.env['KUBERNETES_EXEC_INFO'] ?? ''), {
    kind: 'ExecCredential',
    apiVersion: 'client.authentication.k8s.io/v1',
    spec: { interactive: false },
  });
});

test('cluster information is in spec.cluster when the entry asks for it', async () => {
  const cluster = { server: 'https://a', 'certificate-authority-data': 'Q0E=', config: { audience: 'x' } };
  const { fake, source } = open(() => execCredential({ token: 'tok' }), { clusterInfo: async () => cluster });
  await source.current();
  const info = JSON.parse(fake.requests[0]?.env['KUBERNETES_EXEC_INFO'] ?? '');
  assert.deepEqual(info.spec, { cluster, interactive: false });
});

test('a credential is kept until its expiry, and for ever without one', async () => {
  let run = 0;
  const { fake, clock, source } = open(() =>
    execCredential({ token: `t${++run}`, expirationTimestamp: new Date(clock.now() + 600_000).toISOString() }),
  );
  const first = await source.current();
  await clock.advance(599_999);
  assert.equal(await source.current(), first);
  await clock.advance(1);
  assert.equal((await source.current()).authorization, 'Bearer t2');
  assert.equal(fake.requests.length, 2);

  const timeless = open(() => execCredential({ token: 'x' }));
  await timeless.source.current();
  await timeless.clock.advance(1e9);
  await timeless.source.current();
  assert.equal(timeless.fake.requests.length, 1);
});

test('the expiry is judged by the wall clock, so a suspended laptop does not use a dead token', async () => {
  const { fake, clock, source } = open(() =>
    execCredential({ token: 't', expirationTimestamp: new Date(clock.now() + 600_000).toISOString() }),
  );
  await source.current();
  clock.jumpWall(600_000);
  await source.current();
  assert.equal(fake.requests.length, 2);
});

test('a plugin that hands out expired credentials is not run for every request', async () => {
  const { fake, clock, source } = open(() =>
    execCredential({ token: 't', expirationTimestamp: '2001-01-01T00:00:00Z' }),
  );
  for (let i = 0; i < 10; i++) await source.current();
  assert.equal(fake.requests.length, 1);
  await clock.advance(1_000);
  await source.current();
  assert.equal(fake.requests.length, 2);
});

test('a hundred callers share one run of the plugin', async () => {
  const gate = Promise.withResolvers<void>();
  const { fake, source } = open(async () => {
    await gate.promise;
    return execCredential({ token: 't' });
  });
  const all = Promise.all(Array.from({ length: 100 }, () => source.current()));
  await settle();
  gate.resolve();
  assert.equal(new Set(await all).size, 1);
  assert.equal(fake.requests.length, 1);
});

test('a refusal runs the plugin again, once, however many requests were refused', async () => {
  let run = 0;
  const { fake, source } = open(() => execCredential({ token: `t${++run}` }));
  const first = await source.current();
  source.refuse(first);
  source.refuse(first);
  const second = await source.current();
  source.refuse(first);
  assert.equal(await source.current(), second);
  assert.equal(second.authorization, 'Bearer t2');
  assert.equal(fake.requests.length, 2);
});

test('a failed run is an error for those who waited, and the next caller tries again', async () => {
  let broken = true;
  const { source } = open(() => (broken ? { exitCode: 1, stderr: 'no network\n' } : execCredential({ token: 't' })));
  const error = await failure(source.current());
  assert.ok(error instanceof CredentialError);
  assert.equal(error.message, 'the exec plugin login failed with exit code 1: no network');
  broken = false;
  assert.equal((await source.current()).authorization, 'Bearer t');
});

test('client certificates are returned as a pair, and checked', async () => {
  const pair = selfSignedCertificate('me');
  const { source } = open(() => execCredential({ clientCertificateData: pair.cert, clientKeyData: pair.key }));
  const credential = await source.current();
  assert.equal(credential.authorization, undefined);
  assert.deepEqual(credential.certificate, pair);
  const other = selfSignedCertificate('other');
  const mixed = open(() => execCredential({ clientCertificateData: pair.cert, clientKeyData: other.key }));
  assert.equal((await failure(mixed.source.current())).code, 'config-client-key');
});

test('a missing plugin shows its install hint, stripped of what could disturb a terminal', async () => {
  const { source } = open(
    () => Promise.reject(Object.assign(new Error('spawn login ENOENT'), { code: 'ENOENT', spawnargs: PLUGIN.args })),
    { installHint: '\u001b[1mbrew install login\u001b[0m\nthen log in\u0007' },
  );
  const error = await failure(source.current());
  assert.equal(error.code, 'exec-not-found');
  assert.equal(error.message, 'the exec plugin login was not found');
  assert.equal(error.hint, 'brew install login\nthen log in');
  const plain = open(() => Promise.reject(Object.assign(new Error(), { code: 'ENOENT' })));
  assert.match((await failure(plain.source.current())).hint ?? '', /Install login or add it to PATH/);
});

test('a plugin that hangs is given up after a minute, or five with a person at the terminal', async () => {
  for (const [terminal, seconds] of [
    [false, 60],
    [true, 300],
  ] as const) {
    const { clock, source } = open(
      (request) =>
        new Promise((_, reject) => request.signal.addEventListener('abort', () => reject(request.signal.reason))),
      {},
      terminal,
    );
    const pending = failure(source.current());
    await clock.untilPending();
    await clock.advance(seconds * 1000 - 1);
    assert.equal(clock.pending, 1);
    await clock.advance(1);
    const error = await pending;
    assert.ok(error instanceof CredentialError);
    assert.equal(error.message, `the exec plugin login did not answer within ${seconds} s`);
  }
});

test('the timer of a plugin that answered does not linger', async () => {
  const { clock, source } = open(() => execCredential({ token: 't' }));
  await source.current();
  assert.equal(clock.pending, 0);
});

test('standard input is passed on by interactiveMode and the presence of a terminal', async () => {
  for (const [mode, terminal, expected] of [
    ['Never', true, false],
    ['IfAvailable', true, true],
    ['IfAvailable', false, false],
    ['Always', true, true],
  ] as const) {
    const { fake, source } = open(() => execCredential({ token: 't' }), { interactiveMode: mode }, terminal);
    await source.current();
    assert.equal(fake.requests[0]?.interactive, expected, `${mode} ${terminal}`);
    const info = JSON.parse(fake.requests[0]?.env['KUBERNETES_EXEC_INFO'] ?? '');
    assert.equal(info.spec.interactive, expected);
  }
  const { fake, source } = open(() => execCredential({ token: 't' }), { interactiveMode: 'Always' });
  assert.equal((await failure(source.current())).code, 'exec-interactive');
  assert.equal(fake.requests.length, 0);
});

const badAnswers: Record<string, { stdout: string; message: RegExp }> = {
  'no output': { stdout: '', message: /did not print an ExecCredential/ },
  'text with a secret in it': { stdout: 'token=s3cr3t: {', message: /did not print an ExecCredential/ },
  'cut JSON': { stdout: '{"kind":"ExecCredential","status":{"token":"s3cr3t', message: /did not print/ },
  'another kind': { stdout: '{"kind":"Pod","token":"s3cr3t"}', message: /is not an ExecCredential/ },
  'another version': {
    stdout: '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1beta1","status":{"token":"s3cr3t"}}',
    message: /is configured for .*\/v1, but answered with .*\/v1beta1$/,
  },
  'no status': {
    stdout: '{"kind":"ExecCredential","apiVersion":"client.authentication.k8s.io/v1"}',
    message: /returned no status/,
  },
  'an empty status': { stdout: execCredential({}).stdout ?? '', message: /neither a token nor a client certificate/ },
  'a key without a certificate': {
    stdout: execCredential({ clientKeyData: 's3cr3t' }).stdout ?? '',
    message: /only one of/,
  },
  'an expiry that is no time': {
    stdout: execCredential({ token: 's3cr3t', expirationTimestamp: 'soon' }).stdout ?? '',
    message: /expirationTimestamp that is not a time/,
  },
  'a token with a line break': {
    stdout: execCredential({ token: 's3cr3t\nX-Evil: 1' }).stdout ?? '',
    message: /holds a token with spaces/,
  },
};

for (const [name, { stdout, message }] of Object.entries(badAnswers)) {
  test(`a plugin that prints ${name} is an error that quotes nothing of it`, async () => {
    const { source } = open(() => ({ stdout }));
    const error = await failure(source.current());
    assert.ok(error instanceof ConfigError);
    assert.match(error.message, message);
  });
}

test('an ExecCredential in YAML is understood too', async () => {
  const stdout = 'kind: ExecCredential\napiVersion: client.authentication.k8s.io/v1\nstatus: {token: abc}\n';
  const { source } = open(() => ({ stdout }));
  assert.equal((await source.current()).authorization, 'Bearer abc');
});

const ENTRY = {
  apiVersion: 'client.authentication.k8s.io/v1beta1',
  command: 'login',
  args: [],
  env: [],
  installHint: undefined,
  provideClusterInfo: false,
  interactiveMode: undefined,
};
const info = async () => ({ server: 'https://a', config: null });

test('v1beta1 defaults to IfAvailable, v1 must say its interactiveMode', () => {
  assert.equal(checkExecEntry(ENTRY, 'user "u"', info).interactiveMode, 'IfAvailable');
  assert.throws(() => checkExecEntry({ ...ENTRY, apiVersion: 'client.authentication.k8s.io/v1' }, 'user "u"', info), {
    message: 'the exec plugin of user "u" has no interactiveMode',
  });
});

test('an entry without a command, with an unknown version, mode or a nameless variable is an error', () => {
  for (const [change, message] of [
    [{ command: undefined }, /has no command/],
    [{ apiVersion: undefined }, /has no apiVersion/],
    [{ apiVersion: 'client.authentication.k8s.io/v1alpha1' }, /v1alpha1, which is not supported/],
    [{ interactiveMode: 'Sometimes' }, /unknown interactiveMode/],
    [{ env: [{ name: '', value: 's3cr3t' }] }, /environment variable without a name/],
  ] as const) {
    assert.throws(
      () => checkExecEntry({ ...ENTRY, ...change }, 'user "u"', info),
      (e: unknown) => e instanceof ConfigError && e.code === 'config-exec' && message.test(e.message),
    );
  }
});
