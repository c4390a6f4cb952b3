import assert from 'node:assert/strict';
import { test } from 'node:test';
import { loadClusterConfig } from './load-cluster-config.ts';
import { madeUpConfigEnv } from './testing/config-env.ts';
import { selfSignedCertificate } from './testing/self-signed-certificate.ts';

const ROOT = '/var/run/secrets/kubernetes.io/serviceaccount';
const ca = selfSignedCertificate('cluster-ca').cert;
const ENV = { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '443' };
const FILES = { [`${ROOT}/token`]: 'one\n', [`${ROOT}/ca.crt`]: ca, [`${ROOT}/namespace`]: 'trail\n' };
const pod = (files: Record<string, string> = FILES, env: Record<string, string> = ENV) =>
  madeUpConfigEnv(files, { env });

test('a pod without a kubeconfig uses its service account', async () => {
  const config = await loadClusterConfig({ configEnv: pod() });
  assert.equal(config.server, 'https://10.96.0.1');
  assert.equal(config.namespace, 'trail');
  assert.equal(config.origin, 'in-cluster');
  const identity = await config.identity.current();
  assert.equal(identity.authorization, 'Bearer one');
  assert.equal(identity.tls.ca, ca);
  assert.equal(identity.tls.insecureSkipVerify, false);
});

test('an IPv6 service address gets brackets, and a port that is not 443 stays', async () => {
  const env = { KUBERNETES_SERVICE_HOST: 'fd00:10:96::1', KUBERNETES_SERVICE_PORT: '6443' };
  assert.equal((await loadClusterConfig({ configEnv: pod(FILES, env) })).server, 'https://[fd00:10:96::1]:6443');
});

test('the token is re-read once a minute and right after a 401, the CA when its file changes', async () => {
  const configEnv = pod();
  const { identity } = await loadClusterConfig({ configEnv });
  const first = await identity.current();
  configEnv.files.write(`${ROOT}/token`, 'two');
  assert.equal(await identity.current(), first);
  identity.refuse(first);
  assert.equal((await identity.current()).authorization, 'Bearer two');
  const nextCa = selfSignedCertificate('cluster-ca').cert;
  configEnv.files.write(`${ROOT}/ca.crt`, nextCa);
  configEnv.files.write(`${ROOT}/token`, 'three');
  await configEnv.clock.advance(60_000);
  const last = await identity.current();
  assert.equal(last.authorization, 'Bearer three');
  assert.equal(last.tls.ca, nextCa);
});

test('POD_NAMESPACE goes before the mounted file, an override before both, and "default" is last', async () => {
  const env = { ...ENV, POD_NAMESPACE: 'downward' };
  assert.equal((await loadClusterConfig({ configEnv: pod(FILES, env) })).namespace, 'downward');
  assert.equal((await loadClusterConfig({ configEnv: pod(FILES, env), namespace: 'mine' })).namespace, 'mine');
  const { [`${ROOT}/namespace`]: _, ...without } = FILES;
  assert.equal((await loadClusterConfig({ configEnv: pod(without) })).namespace, 'default');
});

test('impersonation and a token on the command line hold in a pod too', async () => {
  const config = await loadClusterConfig({ configEnv: pod(), as: 'jane', asGroup: ['ops'], token: 'mine' });
  assert.deepEqual(config.impersonate, { user: 'jane', groups: ['ops'] });
  assert.equal((await config.identity.current()).authorization, 'Bearer mine');
});

test('a proxy in the environment of a pod applies unless NO_PROXY covers the service range', async () => {
  const env = { ...ENV, HTTPS_PROXY: 'http://proxy:3128' };
  assert.equal((await loadClusterConfig({ configEnv: pod(FILES, env) })).proxyUrl, 'http://proxy:3128');
  const direct = { ...env, NO_PROXY: '10.96.0.0/12' };
  assert.equal((await loadClusterConfig({ configEnv: pod(FILES, direct) })).proxyUrl, undefined);
});

test('a pod without a mounted token gets a sentence about automounting', async () => {
  await assert.rejects(loadClusterConfig({ configEnv: pod({}) }), {
    code: 'in-cluster-token',
    message: `this pod has no service account token at ${ROOT}/token`,
    hint: /automountServiceAccountToken/,
  });
});

test('a pod without ca.crt trusts the system roots and says so', async () => {
  const { [`${ROOT}/ca.crt`]: _, ...without } = FILES;
  const problems: string[] = [];
  const config = await loadClusterConfig({ configEnv: pod(without), onProblem: (p) => problems.push(p.message) });
  assert.equal((await config.identity.current()).tls.ca, undefined);
  assert.deepEqual(problems, [`the certificate authority of the cluster, ${ROOT}/ca.crt, does not exist`]);
});

test('an empty kubeconfig, or one without a current context, gives way to the service account', async () => {
  for (const text of ['', 'clusters: [{name: a, cluster: {server: "https://a"}}]']) {
    const configEnv = pod({ ...FILES, '/home/ada/.kube/config': text });
    assert.equal((await loadClusterConfig({ configEnv })).origin, 'in-cluster');
  }
});

test('a usable kubeconfig goes before the service account', async () => {
  const text = `
current-context: x
clusters: [{name: c, cluster: {server: "https://other:6443"}}]
contexts: [{name: x, context: {cluster: c}}]
`;
  const config = await loadClusterConfig({ configEnv: pod({ ...FILES, '/home/ada/.kube/config': text }) });
  assert.equal(config.server, 'https://other:6443');
  assert.equal(config.namespace, 'default');
});

test('whoever names a file, a context or a server does not get the service account in its place', async () => {
  const configEnv = pod({ ...FILES, '/empty': '' });
  await assert.rejects(loadClusterConfig({ configEnv, kubeconfig: '/empty' }), { code: 'config-context-missing' });
  await assert.rejects(loadClusterConfig({ configEnv, context: 'prod' }), {
    message: 'context "prod" does not exist in any kubeconfig (none was found)',
  });
  await assert.rejects(loadClusterConfig({ configEnv, user: 'me' }), { code: 'config-not-found' });
  const elsewhere = await loadClusterConfig({ configEnv, server: 'https://elsewhere' });
  assert.equal((await elsewhere.identity.current()).authorization, undefined);
});
