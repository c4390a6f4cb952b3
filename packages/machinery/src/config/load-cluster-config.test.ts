import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import { ConfigError } from '../errors.ts';
import { type LoadClusterConfigOptions, loadClusterConfig } from './load-cluster-config.ts';
import { execCredential, FakePlugin, madeUpConfigEnv } from './testing/config-env.ts';
import { selfSignedCertificate } from './testing/self-signed-certificate.ts';

const ca = selfSignedCertificate('ca');
const me = selfSignedCertificate('me');
const other = selfSignedCertificate('other');
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** A kubeconfig with one context; JSON, as that is YAML too. */
const kubeconfig = (cluster: object, user: object = {}, rest: object = {}) =>
  JSON.stringify({
    'current-context': 'x',
    clusters: [{ name: 'c', cluster: { server: 'https://api:6443', ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    ...rest,
  });

const load = (
  text: string,
  files: Record<string, string> = {},
  options: LoadClusterConfigOptions = {},
  env: Record<string, string> = {},
) => {
  const configEnv = madeUpConfigEnv({ '/k/config': text, ...files }, { env });
  return loadClusterConfig({ kubeconfig: '/k/config', configEnv, ...options });
};
const identityOf = async (text: string, files: Record<string, string> = {}) =>
  (await load(text, files)).identity.current();

test('certificates by data and by file give the same TLS material', async () => {
  const byData = await identityOf(
    kubeconfig(
      { 'certificate-authority-data': base64(ca.cert), 'tls-server-name': 'n' },
      { 'client-certificate-data': base64(me.cert), 'client-key-data': base64(me.key) },
    ),
  );
  const byFile = await identityOf(
    kubeconfig(
      { 'certificate-authority': 'pki/ca', 'tls-server-name': 'n' },
      { 'client-certificate': 'pki/crt', 'client-key': '/keys/key' },
    ),
    { '/k/pki/ca': ca.cert, '/k/pki/crt': me.cert, '/keys/key': me.key },
  );
  assert.deepEqual({ ...byData.tls }, { ...byFile.tls });
  assert.equal(byData.tls.key, me.key);
});

test('a certificate by data may have its key in a file', async () => {
  const identity = await identityOf(
    kubeconfig({}, { 'client-certificate-data': base64(me.cert), 'client-key': 'key' }),
    { '/k/key': me.key },
  );
  assert.equal(identity.tls.cert, me.cert);
  assert.equal(identity.tls.key, me.key);
});

test('base64 that is folded over several lines is still base64', async () => {
  const folded = base64(ca.cert).replace(/.{60}/g, '$&\n ');
  assert.equal((await identityOf(kubeconfig({ 'certificate-authority-data': folded }))).tls.ca, ca.cert);
});

test('a token, a token file and a password become the Authorization header', async () => {
  assert.equal((await identityOf(kubeconfig({}, { token: 'abc\n' }))).authorization, 'Bearer abc');
  const withFile = kubeconfig({}, { token: 'abc', tokenFile: 't' });
  assert.equal((await identityOf(withFile, { '/k/t': 'from-file\n' })).authorization, 'Bearer from-file');
  const basic = await identityOf(kubeconfig({}, { username: 'ada', password: 'pä:ss' }));
  assert.equal(basic.authorization, `Basic ${base64('ada:pä:ss')}`);
});

test('no credential is sent, and no plugin run, over plain http', async () => {
  const server = { server: 'http://localhost:8080' };
  assert.equal((await identityOf(kubeconfig(server, { token: 'abc' }))).authorization, undefined);
  const pair = { 'client-certificate-data': base64(me.cert), 'client-key-data': base64(me.key) };
  assert.equal((await identityOf(kubeconfig(server, pair))).tls.cert, undefined);
});

test('a plugin is not run at loading but at the first use, and gets the cluster if it asks for it', async () => {
  const plugin = new FakePlugin(() => execCredential({ token: 'from-plugin' }));
  const text = kubeconfig(
    {
      'certificate-authority-data': base64(ca.cert),
      'tls-server-name': 'n',
      'proxy-url': 'http://proxy:1',
      'disable-compression': true,
      extensions: [
        { name: 'other', extension: { x: 1 } },
        { name: 'client.authentication.k8s.io/exec', extension: { audience: 'z' } },
      ],
    },
    {
      exec: {
        apiVersion: 'client.authentication.k8s.io/v1',
        command: './login',
        provideClusterInfo: true,
        interactiveMode: 'Never',
      },
    },
  );
  const configEnv = madeUpConfigEnv({ '/k/config': text }, { runPlugin: plugin.run });
  const config = await loadClusterConfig({ kubeconfig: '/k/config', configEnv });
  assert.equal(plugin.requests.length, 0);
  assert.equal((await config.identity.current()).authorization, 'Bearer from-plugin');
  assert.equal(plugin.requests[0]?.command, '/k/login');
  assert.deepEqual(JSON.parse(plugin.requests[0]?.env['KUBERNETES_EXEC_INFO'] ?? '').spec.cluster, {
    server: 'https://api:6443',
    'tls-server-name': 'n',
    'certificate-authority-data': base64(ca.cert),
    'proxy-url': 'http://proxy:1',
    'disable-compression': true,
    config: { audience: 'z' },
  });
});

test('a plugin is run again after a 401, and its certificate joins the CA of the cluster', async () => {
  let run = 0;
  const plugin = new FakePlugin(() =>
    execCredential({ token: `t${++run}`, clientCertificateData: me.cert, clientKeyData: me.key }, 'v1beta1'),
  );
  const text = kubeconfig(
    { 'certificate-authority-data': base64(ca.cert) },
    { exec: { apiVersion: 'client.authentication.k8s.io/v1beta1', command: 'login' } },
  );
  const configEnv = madeUpConfigEnv({ '/k/config': text }, { runPlugin: plugin.run });
  const { identity } = await loadClusterConfig({ kubeconfig: '/k/config', configEnv });
  const first = await identity.current();
  assert.equal(first.tls.ca, ca.cert);
  assert.equal(first.tls.cert, me.cert);
  identity.refuse(first);
  identity.refuse(first);
  const second = await identity.current();
  assert.equal(second.authorization, 'Bearer t2');
  assert.equal(second.tls, first.tls);
});

test('a token, a password or a certificate keeps a plugin from being run, as in client-go', async () => {
  const exec = { apiVersion: 'client.authentication.k8s.io/v1', command: 'login', interactiveMode: 'Never' };
  assert.equal((await identityOf(kubeconfig({}, { exec, token: 't' }))).authorization, 'Bearer t');
  const pair = { 'client-certificate-data': base64(me.cert), 'client-key-data': base64(me.key) };
  assert.equal((await identityOf(kubeconfig({}, { exec, ...pair }))).authorization, undefined);
});

test('server URLs lose their trailing slash and query but keep a path prefix', async () => {
  for (const [server, expected] of [
    ['https://api:6443/', 'https://api:6443'],
    ['https://rancher.example/k8s/clusters/c-1/', 'https://rancher.example/k8s/clusters/c-1'],
    ['https://api/prefix?x=1#y', 'https://api/prefix'],
    ['https://[fd00::1]:6443', 'https://[fd00::1]:6443'],
    ['HTTPS://API:443', 'https://api'],
  ] as const) {
    assert.equal((await load(kubeconfig({ server }))).server, expected);
  }
});

test('overrides reach the config', async () => {
  const config = await load(
    kubeconfig({}, { token: 'abc' }),
    {},
    { server: 'https://moved', token: 'mine', namespace: 'n', as: 'jane', asGroup: ['g'], asUid: '1' },
  );
  assert.equal(config.server, 'https://moved');
  assert.equal(config.namespace, 'n');
  assert.deepEqual(config.impersonate, { user: 'jane', uid: '1', groups: ['g'] });
  assert.equal((await config.identity.current()).authorization, 'Bearer mine');
});

test('disable-compression and the proxy of the environment reach the config', async () => {
  const config = await load(kubeconfig({ 'disable-compression': true }), {}, {}, { HTTPS_PROXY: 'http://p:1' });
  assert.equal(config.disableCompression, true);
  assert.equal(config.proxyUrl, 'http://p:1');
});

const problems: Record<
  string,
  { text: string; files?: Record<string, string>; code: string; message: RegExp; hint?: RegExp }
> = {
  'a CA file that does not exist': {
    text: kubeconfig({ 'certificate-authority': 'ca.crt' }),
    code: 'config-file-missing',
    message: /^the certificate authority of cluster "c" in \/k\/config, \/k\/ca\.crt, does not exist$/,
    hint: /relative paths/,
  },
  'a client certificate file that does not exist': {
    text: kubeconfig({}, { 'client-certificate': 'c', 'client-key': 'k' }),
    code: 'config-file-missing',
    message: /^the client certificate of user "u" in \/k\/config, \/k\/c, does not exist$/,
  },
  'CA data that is not base64': {
    text: kubeconfig({ 'certificate-authority-data': 's3cr3t!!' }),
    code: 'config-data',
    message: /^the certificate authority of cluster "c" in \/k\/config is not base64$/,
  },
  'CA data that was cut': {
    text: kubeconfig({ 'certificate-authority-data': base64(ca.cert).slice(0, -3) }),
    code: 'config-data',
    message: /is not base64$/,
  },
  'CA data that is PEM': {
    text: kubeconfig({ 'certificate-authority-data': ca.cert }),
    code: 'config-data',
    message: /is PEM text, but must be the base64 of it$/,
  },
  'CA data that is no certificate': {
    text: kubeconfig({ 'certificate-authority-data': base64('s3cr3t') }),
    code: 'config-certificate',
    message: /holds no certificate in PEM form$/,
  },
  'a key that is not a key': {
    text: kubeconfig({}, { 'client-certificate-data': base64(me.cert), 'client-key-data': base64('s3cr3t') }),
    code: 'config-client-key',
    message: /^the client key of user "u" in \/k\/config is not a private key in PEM form$/,
  },
  'an encrypted key': {
    text: kubeconfig(
      {},
      {
        'client-certificate-data': base64(me.cert),
        'client-key-data': base64('-----BEGIN ENCRYPTED PRIVATE KEY-----\nAAAA\n-----END ENCRYPTED PRIVATE KEY-----\n'),
      },
    ),
    code: 'config-client-key',
    message: /is encrypted with a passphrase$/,
  },
  'a key of another certificate': {
    text: kubeconfig({}, { 'client-certificate-data': base64(me.cert), 'client-key-data': base64(other.key) }),
    code: 'config-client-key',
    message: /^the client key of .* does not belong to the client certificate of user "u"/,
  },
  'a key without a certificate': {
    text: kubeconfig({}, { 'client-key-data': base64(me.key) }),
    code: 'config-conflict',
    message: /^user "u" in \/k\/config has a client key but no certificate$/,
  },
  'a certificate without a key': {
    text: kubeconfig({}, { 'client-certificate-data': base64(me.cert) }),
    code: 'config-conflict',
    message: /^user "u" in \/k\/config has a client certificate but no key$/,
  },
  'a CA by file and by data': {
    text: kubeconfig({ 'certificate-authority': 'a', 'certificate-authority-data': base64(ca.cert) }),
    code: 'config-conflict',
    message: /has both certificate-authority and certificate-authority-data$/,
  },
  'a CA together with insecure-skip-tls-verify': {
    text: kubeconfig({ 'certificate-authority-data': base64(ca.cert), 'insecure-skip-tls-verify': true }),
    code: 'config-conflict',
    message: /has a certificate authority and insecure-skip-tls-verify, which contradict each other$/,
  },
  'a token together with a password': {
    text: kubeconfig({}, { token: 's3cr3t', username: 'a', password: 's3cr3t' }),
    code: 'config-conflict',
    message: /has a token and a password/,
  },
  'an exec plugin together with an auth-provider': {
    text: kubeconfig({}, { exec: { command: 'x' }, 'auth-provider': { name: 'gcp' } }),
    code: 'config-conflict',
    message: /has an exec plugin and an auth-provider$/,
  },
  'the gcp auth-provider': {
    text: kubeconfig({}, { 'auth-provider': { name: 'gcp', config: { 'access-token': 's3cr3t' } } }),
    code: 'config-auth-provider',
    message: /^user "u" in \/k\/config uses the auth-provider "gcp", which is no longer supported$/,
    hint: /gke-gcloud-auth-plugin/,
  },
  'the oidc auth-provider': {
    text: kubeconfig({}, { 'auth-provider': { name: 'oidc', config: { 'id-token': 's3cr3t' } } }),
    code: 'config-auth-provider',
    message: /auth-provider "oidc"/,
    hint: /exec plugin/,
  },
  'a server without a scheme': {
    text: kubeconfig({ server: '10.0.0.1:6443' }),
    code: 'config-server',
    message: /^the server "10\.0\.0\.1:6443" of cluster "c" in \/k\/config is not an http or https URL$/,
    hint: /https:\/\/10\.0\.0\.1:6443/,
  },
  'a server with a foreign scheme': {
    text: kubeconfig({ server: 'tcp://u:s3cr3t@api' }),
    code: 'config-server',
    message: /^the server "tcp:\/\/api" of/,
  },
  'a server with a password in it': {
    text: kubeconfig({ server: 'https://u:s3cr3t@api' }),
    code: 'config-server',
    message: /holds a user name or password$/,
  },
  'a SOCKS proxy': {
    text: kubeconfig({ 'proxy-url': 'socks5://u:s3cr3t@p:1' }),
    code: 'config-proxy',
    message: /is a SOCKS proxy \(socks5\), which is not supported$/,
  },
  'a kubeconfig without a current-context': {
    text: kubeconfig({}, {}, { 'current-context': '' }),
    code: 'config-context-missing',
    message: /^\/k\/config has no current-context$/,
    hint: /contexts there: "x"/,
  },
  'a kubeconfig without contexts': {
    text: kubeconfig({}, {}, { 'current-context': '', contexts: [] }),
    code: 'config-context-missing',
    message: /^\/k\/config has no contexts$/,
  },
  'a token with a space in it': {
    text: kubeconfig({}, { token: 's3cr3t s3cr3t' }),
    code: 'config-token',
    message: /^user "u" in \/k\/config holds a token with spaces/,
  },
  'a token file that is empty': {
    text: kubeconfig({}, { tokenFile: 't' }),
    files: { '/k/t': '' },
    code: 'config-token',
    message: /^the token file of user "u" in \/k\/config, \/k\/t, is empty$/,
  },
};

for (const [name, { text, files, code, message, hint }] of Object.entries(problems)) {
  test(`${name} is one sentence with the path and a hint, and quotes no secret`, async () => {
    const error = await load(text, files).then(
      () => assert.fail('it should have failed'),
      (e: unknown) => e,
    );
    assert.ok(error instanceof ConfigError, inspect(error));
    assert.equal(error.code, code);
    assert.match(error.message, message);
    assert.match(error.message, /\/k\//);
    assert.match(error.hint ?? '', hint ?? /\w{4}/);
    assert.doesNotMatch(inspect(error, { depth: 9 }), /s3cr3t|PRIVATE KEY-----\n/);
  });
}

test('nothing at all to load from is one sentence that names where it looked', async () => {
  await assert.rejects(loadClusterConfig({ configEnv: madeUpConfigEnv() }), {
    code: 'config-not-found',
    message: 'no Kubernetes configuration: /home/ada/.kube/config does not exist, and this is not a pod',
  });
  const env = { KUBECONFIG: '/a:/b' };
  await assert.rejects(loadClusterConfig({ configEnv: madeUpConfigEnv({}, { env }) }), {
    message: 'no Kubernetes configuration: /a, /b (from KUBECONFIG) does not exist, and this is not a pod',
  });
});

test('a config shows no secret when it is logged or made into JSON', async () => {
  const config = await load(
    kubeconfig(
      { 'proxy-url': 'http://me:s3cr3t@proxy:1', 'certificate-authority-data': base64(ca.cert) },
      { token: 's3cr3t', 'client-certificate-data': base64(me.cert), 'client-key-data': base64(me.key) },
    ),
  );
  await config.identity.current();
  for (const shown of [inspect(config, { depth: 9, showHidden: true }), JSON.stringify(config), `${config.identity}`]) {
    assert.doesNotMatch(shown, /s3cr3t|PRIVATE KEY/);
  }
  assert.match(JSON.stringify(config), /"server":"https:\/\/api:6443".*http:\/\/\[redacted\]@proxy:1/);
  assert.equal(config.proxyUrl, 'http://me:s3cr3t@proxy:1');
});
