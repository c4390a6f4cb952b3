// The transport against a real API server: who we are, whom we trust, and what a network does to calls.
// Runs alone: it measures how soon calls give up.
import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { type TestContext, test } from 'node:test';
import {
  Client,
  ConnectionError,
  type HttpTransportOptions,
  isForbidden,
  isUnauthorized,
  type KubeObject,
  type LoadClusterConfigOptions,
  loadClusterConfig,
} from '@podtrail/machinery';
import { createCertificateAuthority, until, useCluster } from './controlplane/index.ts';

const cluster = await useCluster({
  needs: ['own control plane'],
  users: [{ name: 'token-jane', groups: ['readers'] }],
});
const { skip } = cluster;
const plane = () => cluster.controlPlane;

async function connect(
  t: TestContext,
  kubeconfig: string,
  options: HttpTransportOptions = {},
  overrides: LoadClusterConfigOptions = {},
): Promise<Client> {
  const client = Client.connect(await loadClusterConfig({ kubeconfig, ...overrides }), options);
  t.after(() => client.close());
  return client;
}

interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

async function whoAmI(client: Client): Promise<UserInfo> {
  const { body } = await client.raw({
    method: 'POST',
    path: '/apis/authentication.k8s.io/v1/selfsubjectreviews',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' }),
  });
  return JSON.parse(body.toString()).status.userInfo;
}

/** The same kubeconfig with one line more in its cluster entry. */
async function withClusterLine(kubeconfig: string, line: string): Promise<string> {
  const file = `${kubeconfig}.${line.replace(/\W+/g, '-')}`;
  const text = await readFile(kubeconfig, 'utf8');
  await writeFile(
    file,
    text.replace(/^( +)server: .*$/m, (server, indent) => `${server}\n${indent}${line}`),
  );
  return file;
}

const configMap = (name: string): KubeObject => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

test('a client certificate, a static token and a service account token say who we are', { skip }, async (t) => {
  const byCertificate = await connect(t, await plane().kubeconfig({ user: 'jane', groups: ['dev', 'ops'] }));
  const { username, groups } = await whoAmI(byCertificate);
  assert.deepEqual([username, groups], ['jane', ['dev', 'ops', 'system:authenticated']]);
  const byToken = await connect(t, await plane().kubeconfig({ user: 'token-jane', via: 'token' }));
  assert.deepEqual((await whoAmI(byToken)).groups, ['readers', 'system:authenticated']);
  await cluster.kubectl(['create', 'serviceaccount', 'robot']);
  const account = { namespace: 'default', name: 'robot' };
  const byAccount = await connect(t, await plane().kubeconfig({ serviceAccount: account }));
  assert.equal((await whoAmI(byAccount)).username, 'system:serviceaccount:default:robot');
});

test('the administrator may be anybody, with groups, uid and extra fields', { skip }, async (t) => {
  const config = await loadClusterConfig({ kubeconfig: plane().adminKubeconfig });
  const impersonate = {
    user: 'Zoë 名',
    uid: 'u-1',
    groups: ['dev', 'a, b'],
    extra: { 'acme.com/Team(x)': ['red', 'blue'] },
  };
  const client = Client.connect({ ...config, impersonate });
  t.after(() => client.close());
  const seen = await whoAmI(client);
  assert.deepEqual(seen, {
    username: 'Zoë 名',
    uid: 'u-1',
    groups: ['dev', 'a, b', 'system:authenticated'],
    extra: { 'acme.com/team(x)': ['red', 'blue'] },
  });
  const byFlags = await connect(t, plane().adminKubeconfig, {}, { as: 'joe', asGroup: ['x', 'y'] });
  assert.deepEqual((await whoAmI(byFlags)).groups, ['x', 'y', 'system:authenticated']);
});

test('what RBAC does not grant is 403 with a hint, and a wrong token 401 with one', { skip }, async (t) => {
  const client = await connect(t, await plane().kubeconfig({ user: 'nobody-in-particular' }));
  await assert.rejects(client.pods('default').list(), (error) => {
    assert.ok(isForbidden(error));
    assert.equal(error.reason, 'Forbidden');
    assert.match(error.message, /User "nobody-in-particular" cannot list resource "pods"/);
    assert.match(error.hint ?? '', /Role or ClusterRole/);
    return true;
  });
  const wrong = await connect(
    t,
    await plane().kubeconfig({ user: 'token-jane', via: 'token' }),
    {},
    { token: 'not-a-token' },
  );
  await assert.rejects(wrong.pods('default').list(), (error) => {
    assert.ok(isUnauthorized(error));
    assert.match(error.hint ?? '', /log in again/);
    return true;
  });
});

test('a server of another authority is a tls fault with a hint', { skip }, async (t) => {
  const config = await loadClusterConfig({ kubeconfig: plane().adminKubeconfig });
  const { certificate: ca } = createCertificateAuthority('somebody-else');
  const identity = await config.identity.current();
  const distrustful = { ...identity, tls: { ...identity.tls, ca } };
  const client = Client.connect({
    ...config,
    identity: { current: () => Promise.resolve(distrustful), refuse: () => {} },
  });
  t.after(() => client.close());
  await assert.rejects(client.namespaces().list(), (error) => {
    assert.ok(error instanceof ConnectionError);
    assert.deepEqual([error.fault, error.neverSent], ['tls', true]);
    assert.match(error.hint ?? '', /certificate-authority-data/);
    return true;
  });
});

test('tls-server-name decides which name is verified, and the insecure flag that none is', { skip }, async (t) => {
  const admin = plane().adminKubeconfig;
  const right = await connect(t, await withClusterLine(admin, 'tls-server-name: localhost'));
  assert.ok((await right.namespaces().list()).items.length > 0);
  const wrong = await connect(t, await withClusterLine(admin, 'tls-server-name: elsewhere.example'));
  await assert.rejects(wrong.namespaces().list(), { fault: 'tls', message: /elsewhere\.example/ });
  const config = await loadClusterConfig({ kubeconfig: admin });
  const identity = await config.identity.current();
  const tls = { ...identity.tls, ca: undefined, serverName: 'elsewhere.example', insecureSkipVerify: true };
  const blind = Client.connect({
    ...config,
    identity: { current: () => Promise.resolve({ ...identity, tls }), refuse: () => {} },
  });
  t.after(() => blind.close());
  assert.ok((await blind.namespaces().list()).items.length > 0);
});

test('a hundred calls use one TLS connection, and closing ends it', { skip }, async (t) => {
  const proxy = await plane().proxyTo(plane().apiserver);
  const client = await connect(t, await plane().kubeconfig({ server: proxy.url }));
  for (let i = 0; i < 100; i++) await client.namespaces().get('default');
  assert.equal(proxy.accepted, 1);
  await Promise.all(Array.from({ length: 200 }, () => client.namespaces().get('default')));
  assert.ok(proxy.connections <= 16, `${proxy.connections}`);
  await client.close();
  await until('no connection is open', () => proxy.connections === 0);
});

test('a write that finds nobody listening goes through once somebody does', { skip }, async (t) => {
  const proxy = await plane().proxyTo(plane().apiserver);
  const tries: number[] = [];
  const observer = ({ status }: { status: number }) => void tries.push(status);
  const client = await connect(t, await plane().kubeconfig({ server: proxy.url }), { observer });
  await proxy.refuse();
  const made = client.configMaps('default').create(configMap('patience'));
  await until('the first try has failed', () => tries.length > 0);
  await proxy.resume();
  assert.equal((await made).metadata.name, 'patience');
  assert.deepEqual([tries[0], tries.at(-1)], [0, 201]);
});

test('a write after all kept connections were cut goes through once, on a new one', { skip }, async (t) => {
  const proxy = await plane().proxyTo(plane().apiserver);
  const client = await connect(t, await plane().kubeconfig({ server: proxy.url }));
  for (let i = 0; i < 10; i++) {
    await Promise.all(Array.from({ length: 5 }, () => client.namespaces().get('default')));
    proxy.cut();
    await client.configMaps('default').create(configMap(`after-the-cut-${i}`));
  }
});

test('a call into a black hole ends by its own time-out, and the next one after it succeeds', { skip }, async (t) => {
  const proxy = await plane().proxyTo(plane().apiserver);
  const client = await connect(t, await plane().kubeconfig({ server: proxy.url }));
  await client.namespaces().get('default');
  proxy.blackHole();
  const started = performance.now();
  await assert.rejects(client.namespaces().get('default', { timeoutMs: 400 }), { code: 'connection-timeout' });
  await assert.rejects(client.namespaces().list({ timeoutMs: 400 }), { code: 'connection-timeout' });
  assert.ok(performance.now() - started < 3_000);
  proxy.cut();
  await proxy.resume();
  assert.equal((await client.namespaces().get('default')).metadata.name, 'default');
});

test('a watch is opened, pushes what happens, and hangs up when it is closed', { skip }, async (t) => {
  const proxy = await plane().proxyTo(plane().apiserver);
  const client = await connect(t, await plane().kubeconfig({ server: proxy.url }));
  const { metadata } = await client.configMaps('default').list({ limit: 1 });
  const path = `/api/v1/namespaces/default/configmaps?watch=true&resourceVersion=${metadata.resourceVersion}`;
  let text = '';
  const ends: string[] = [];
  const handle = client.transport.stream(
    { method: 'GET', path },
    {
      onOpen: ({ 'content-type': type }) => assert.equal(type, 'application/json'),
      onData: (chunk) => void (text += chunk.toString()),
      onEnd: () => void ends.push('end'),
      onError: (error) => void ends.push((error as ConnectionError).code),
    },
  );
  await client.configMaps('default').create(configMap('watched'));
  await until('the event is there', () => text.includes('"watched"'));
  const before = proxy.connections;
  handle.close();
  await until('the connection is closed', () => proxy.connections < before);
  assert.deepEqual(ends, ['connection-aborted']);
});

test('fault 14: a token that the server no longer takes is read again from its file, without a restart', {
  skip,
}, async (t) => {
  await cluster.kubectl(['create', 'serviceaccount', 'rotating']);
  const serviceAccount = { namespace: 'default', name: 'rotating' };
  const kubeconfig = await plane().kubeconfig({ serviceAccount, asFiles: true });
  const statuses: number[] = [];
  const client = await connect(t, kubeconfig, { observer: ({ status }) => void statuses.push(status) });
  const { uid } = await whoAmI(client);
  const file = /tokenFile: "(.*)"/.exec(await readFile(kubeconfig, 'utf8'))?.[1] ?? '';
  const old = await readFile(file, 'utf8');
  // The tokens of a deleted account are void, also after one of the same name was made.
  await cluster.kubectl(['delete', 'serviceaccount', 'rotating']);
  await cluster.kubectl(['create', 'serviceaccount', 'rotating']);
  await until('the old token is refused', async () => (await plane().request('/api', { token: old })).status === 401);
  const renewed = await plane().kubeconfig({ serviceAccount, asFiles: true });
  await writeFile(file, await readFile(/tokenFile: "(.*)"/.exec(await readFile(renewed, 'utf8'))?.[1] ?? '', 'utf8'));
  statuses.length = 0;
  const after = await Promise.all(Array.from({ length: 8 }, () => whoAmI(client)));
  for (const seen of after) {
    assert.equal(seen.username, 'system:serviceaccount:default:rotating');
    assert.notEqual(seen.uid, uid);
  }
  assert.ok(statuses.includes(401) && statuses.filter((status) => status === 201).length === 8, String(statuses));
});

test('fault 14: a client certificate that is replaced in its file is shown on new connections', { skip }, async (t) => {
  const kubeconfig = await plane().kubeconfig({ user: 'before', asFiles: true });
  const client = await connect(t, kubeconfig);
  assert.equal((await whoAmI(client)).username, 'before');
  const file = /client-certificate: "(.*)"/.exec(await readFile(kubeconfig, 'utf8'))?.[1] ?? '';
  await plane().pki.write(basename(file, '.crt'), { subject: { commonName: 'after' }, usage: 'client' });
  await until('the new certificate is used', async () => (await whoAmI(client)).username === 'after');
});

test('fault 14: a new authority and serving certificate are trusted once the CA file has them, without a restart', {
  skip,
}, async (t) => {
  const { pki, apiserver } = plane();
  const proxy = await plane().proxyTo(apiserver);
  const kubeconfig = await plane().kubeconfig({ server: proxy.url, asFiles: true });
  const client = await connect(t, kubeconfig);
  await client.namespaces().get('default');
  await pki.rotateCluster();
  await pki.serving(apiserver.name);
  const onlyNew = { ca: pki.cluster.certificate, ...clientOf('newcomer') };
  await until('the server shows its new certificate', async () => {
    return (await apiserver.request('/api', onlyNew)).status === 200;
  });
  proxy.cut();
  await until('the new authority is trusted', () =>
    client
      .namespaces()
      .get('default')
      .then(() => true),
  );
});

function clientOf(commonName: string) {
  return plane().pki.cluster.issue({ subject: { commonName, organizations: ['system:masters'] }, usage: 'client' });
}
