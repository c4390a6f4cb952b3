import assert from 'node:assert/strict';
import { delimiter } from 'node:path';
import { test } from 'node:test';
import { ConfigError } from '../errors.ts';
import { loadKubeconfig } from './load-kubeconfig.ts';
import { madeUpConfigEnv } from './testing/config-env.ts';

const A = `
current-context: red
clusters: [{name: shared, cluster: {server: "https://from-a"}}]
users: [{name: red-user, user: {token: from-a}}]
contexts: [{name: red, context: {cluster: shared, user: red-user}}]
`;
const B = `
current-context: blue
clusters:
- {name: shared, cluster: {server: "https://from-b", tls-server-name: only-in-b}}
- {name: extra, cluster: {server: "https://extra", certificate-authority: ca.crt}}
users: [{name: red-user, user: {username: only-in-b}}]
contexts: [{name: blue, context: {cluster: extra, user: red-user}}]
`;
const list = (...paths: string[]) => ({ env: { KUBECONFIG: paths.join(delimiter) } });

test('the first file of a list that defines a name owns the whole entry', async () => {
  const { config } = await loadKubeconfig(undefined, madeUpConfigEnv({ '/a': A, '/b/k': B }, list('/a', '/b/k')));
  assert.equal(config.clusters.get('shared')?.server, 'https://from-a');
  assert.equal(config.clusters.get('shared')?.tlsServerName, undefined);
  assert.equal(config.users.get('red-user')?.token, 'from-a');
  assert.equal(config.users.get('red-user')?.username, undefined);
  assert.deepEqual([...config.contexts.keys()], ['red', 'blue']);
  assert.equal(config.clusters.get('extra')?.caFile, '/b/ca.crt');
  assert.deepEqual(config.files, ['/a', '/b/k']);
});

test('the first file of a list that sets current-context sets it', async () => {
  const first = await loadKubeconfig(undefined, madeUpConfigEnv({ '/a': A, '/b': B }, list('/b', '/a')));
  assert.equal(first.config.currentContext, 'blue');
  const second = await loadKubeconfig(
    undefined,
    madeUpConfigEnv({ '/a': 'current-context: ""', '/b': B }, list('/a', '/b')),
  );
  assert.equal(second.config.currentContext, 'blue');
});

test('missing files, empty entries and repeated files of a list are skipped', async () => {
  const configEnv = madeUpConfigEnv({ '/a': A }, list('', '/nowhere', '/a', '', '/a'));
  const { config, missing } = await loadKubeconfig(undefined, configEnv);
  assert.deepEqual(config.files, ['/a']);
  assert.deepEqual(missing, ['/nowhere']);
});

test('a broken file of a list is an error even if another file would do', async () => {
  await assert.rejects(
    loadKubeconfig(undefined, madeUpConfigEnv({ '/a': A, '/b': 'clusters: [' }, list('/a', '/b'))),
    (error: unknown) =>
      error instanceof ConfigError && error.code === 'config-yaml' && /^\/b is not/.test(error.message),
  );
});

test('a file of a list that may not be read is an error, not a missing file', async () => {
  const configEnv = madeUpConfigEnv({ '/a': A, '/b': B }, list('/a', '/b'));
  configEnv.files.fail('/b', 'EACCES');
  await assert.rejects(loadKubeconfig(undefined, configEnv), {
    code: 'config-file-unreadable',
    message: 'the kubeconfig, /b, may not be read by this user',
  });
});

test('without KUBECONFIG the file in the home directory is read, with it never', async () => {
  const files = { '/home/ada/.kube/config': B, '/a': A };
  const home = await loadKubeconfig(undefined, madeUpConfigEnv(files));
  assert.deepEqual(home.config.files, ['/home/ada/.kube/config']);
  const listed = await loadKubeconfig(undefined, madeUpConfigEnv(files, list('/nowhere')));
  assert.deepEqual(listed.config.files, []);
});

test('an explicit path wins over everything, is relative to the working directory, and must exist', async () => {
  const configEnv = madeUpConfigEnv({ '/work/mine': B, '/a': A, '/home/ada/.kube/config': A }, list('/a'));
  assert.deepEqual((await loadKubeconfig('mine', configEnv)).config.files, ['/work/mine']);
  await assert.rejects(loadKubeconfig('/gone', configEnv), {
    code: 'config-file-missing',
    message: 'the kubeconfig, /gone, does not exist',
  });
});
