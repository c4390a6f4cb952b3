import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../errors.ts';
import { parseKubeconfig } from './kubeconfig-file.ts';

const FILE = '/home/ada/.kube/config';

test('relative paths start at the directory of the kubeconfig, absolute ones stay', () => {
  const config = parseKubeconfig(
    `
clusters:
- name: c
  cluster: {server: "https://c:6443", certificate-authority: pki/ca.crt}
users:
- name: u
  user: {client-certificate: ../certs/u.crt, client-key: /keys/u.key, tokenFile: token}
`,
    FILE,
  );
  assert.equal(config.clusters.get('c')?.caFile, '/home/ada/.kube/pki/ca.crt');
  const user = config.users.get('u');
  assert.equal(user?.certFile, '/home/ada/certs/u.crt');
  assert.equal(user?.keyFile, '/keys/u.key');
  assert.equal(user?.tokenFile, '/home/ada/.kube/token');
});

test('a plugin command with a slash is a path beside the kubeconfig, a bare name is left for PATH', () => {
  const commandOf = (command: string) =>
    parseKubeconfig(`users: [{name: u, user: {exec: {command: ${command}}}}]`, FILE).users.get('u')?.exec?.command;
  assert.equal(commandOf('./bin/login'), '/home/ada/.kube/bin/login');
  assert.equal(commandOf('bin/login'), '/home/ada/.kube/bin/login');
  assert.equal(commandOf('/opt/login'), '/opt/login');
  assert.equal(commandOf('aws'), 'aws');
});

test('JSON is accepted as well as YAML', () => {
  const config = parseKubeconfig(
    JSON.stringify({
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'x',
      contexts: [{ name: 'x', context: { cluster: 'c' } }],
    }),
    FILE,
  );
  assert.equal(config.currentContext, 'x');
  assert.equal(config.contexts.get('x')?.cluster, 'c');
});

test('an empty file, null lists and entries without a body are an empty config, not an error', () => {
  for (const text of ['', '---\n', '# nothing\n', 'clusters: null\nusers:\ncontexts: []\n']) {
    assert.equal(parseKubeconfig(text, FILE).contexts.size, 0, JSON.stringify(text));
  }
  assert.equal(parseKubeconfig('users: [{name: anonymous}]', FILE).users.get('anonymous')?.token, undefined);
});

test('only the first of several YAML documents counts', () => {
  const config = parseKubeconfig('---\ncurrent-context: one\n---\ncurrent-context: two\n', FILE);
  assert.equal(config.currentContext, 'one');
});

test('of two equal keys the last wins, as in kubectl', () => {
  const config = parseKubeconfig('current-context: one\ncurrent-context: two\n', FILE);
  assert.equal(config.currentContext, 'two');
});

test('an entry whose name is empty is passed over', () => {
  const config = parseKubeconfig('contexts: [{name: "", context: {}}, {name: a, context: {}}]', FILE);
  assert.deepEqual([...config.contexts.keys()], ['a']);
});

test('names that are also properties of objects are ordinary names', () => {
  const config = parseKubeconfig(
    'contexts: [{name: __proto__, context: {cluster: constructor}}]\nclusters: [{name: constructor, cluster: {server: "https://a"}}]',
    FILE,
  );
  assert.equal(config.contexts.get('__proto__')?.cluster, 'constructor');
  assert.equal(config.clusters.get('constructor')?.server, 'https://a');
  assert.equal(config.users.get('toString'), undefined);
});

test('YAML anchors, merge keys and the booleans of YAML 1.1 are understood', () => {
  const config = parseKubeconfig(
    `
x-shared: &shared {insecure-skip-tls-verify: yes, disable-compression: true}
clusters:
- name: a
  cluster: {<<: *shared, server: "https://a"}
- name: b
  cluster: {server: "https://b", insecure-skip-tls-verify: off}
`,
    FILE,
  );
  assert.equal(config.clusters.get('a')?.insecureSkipTlsVerify, true);
  assert.equal(config.clusters.get('a')?.disableCompression, true);
  assert.equal(config.clusters.get('b')?.insecureSkipTlsVerify, false);
});

test('impersonation and exec fields are read under their kubeconfig names', () => {
  const user = parseKubeconfig(
    `
users:
- name: u
  user:
    as: jane
    as-uid: "42"
    as-groups: [ops, dev]
    as-user-extra: {scopes: [view, edit], __proto__: [x]}
    exec:
      apiVersion: client.authentication.k8s.io/v1
      command: login
      args: [--quiet]
      env: [{name: REGION, value: eu}]
      installHint: get it
      provideClusterInfo: true
      interactiveMode: Never
`,
    FILE,
  ).users.get('u');
  assert.equal(user?.as, 'jane');
  assert.equal(user?.asUid, '42');
  assert.deepEqual(user?.asGroups, ['ops', 'dev']);
  assert.deepEqual(user?.asUserExtra['scopes'], ['view', 'edit']);
  assert.deepEqual(Object.keys(user?.asUserExtra ?? {}), ['scopes', '__proto__']);
  assert.deepEqual(user?.exec, {
    apiVersion: 'client.authentication.k8s.io/v1',
    command: 'login',
    args: ['--quiet'],
    env: [{ name: 'REGION', value: 'eu' }],
    installHint: 'get it',
    provideClusterInfo: true,
    interactiveMode: 'Never',
  });
});

const broken: Record<string, { text: string; code: string; message: RegExp }> = {
  'a value that opens a list and never closes it': {
    text: 'apiVersion: v1\nclusters: [\n',
    code: 'config-yaml',
    message: /^\/home\/ada\/\.kube\/config is not valid YAML: .* at line 3, column 1$/,
  },
  'a tab as indentation': {
    text: 'clusters:\n- name: a\n\tcluster: {}\n',
    code: 'config-yaml',
    message: /not valid YAML: .* at line 3/,
  },
  'a manifest of another kind': {
    text: 'apiVersion: apps/v1\nkind: Deployment\n',
    code: 'config-shape',
    message: /is not a kubeconfig: its kind is Deployment, not Config/,
  },
  'a list at the top': { text: '- a\n- b\n', code: 'config-shape', message: /config must be a mapping, but is a list/ },
  'plain text': { text: 'hello', code: 'config-shape', message: /config must be a mapping, but is text/ },
  'clusters as a mapping': {
    text: 'clusters: {a: b}',
    code: 'config-shape',
    message: /^clusters in \/home.* must be a list, but is a mapping$/,
  },
  'an entry without a name': {
    text: 'users: [{user: {token: t}}]',
    code: 'config-shape',
    message: /^users\[0\] in \/home.* has no name$/,
  },
  'a number where text belongs': {
    text: 'users: [{name: a, user: {token: 12345}}]',
    code: 'config-shape',
    message: /^users\[0\]\.user\.token in .* must be text \(put it into quotes\), but is a number$/,
  },
  'a word where a boolean belongs': {
    text: 'clusters: [{name: a, cluster: {insecure-skip-tls-verify: perhaps}}]',
    code: 'config-shape',
    message: /^clusters\[0\]\.cluster\.insecure-skip-tls-verify in .* must be true or false, but is text$/,
  },
  'two contexts of one name': {
    text: 'contexts: [{name: a, context: {}}, {name: a, context: {}}]',
    code: 'config-duplicate-name',
    message: /config has two contexts named "a"$/,
  },
  'an alias without an anchor': {
    text: 'clusters: *nowhere',
    code: 'config-yaml',
    message: /not (valid|usable) YAML/,
  },
};

for (const [name, { text, code, message }] of Object.entries(broken)) {
  test(`${name} is an error with the file and a hint`, () => {
    assert.throws(
      () => parseKubeconfig(text, FILE),
      (error: unknown) => {
        assert.ok(error instanceof ConfigError);
        assert.equal(error.code, code);
        assert.match(error.message, message);
        assert.ok(error.message.includes(FILE), error.message);
        assert.ok((error.hint ?? '').length > 10);
        return true;
      },
    );
  });
}

test('a broken line that holds a secret is not quoted in the error', () => {
  for (const text of [
    'users:\n- name: a\n  user:\n    token: "s3cr3t\n   x: [\n',
    'users: [{name: a, user: {token: s3cr3t: s3cr3t}}]',
    'users:\n- name: a\n  user: {token: *s3cr3t}\n',
    'token: `s3cr3t',
    'a: "\\s3cr3t"',
    's3cr3t',
    '? s3cr3t\n]',
  ]) {
    assert.throws(
      () => parseKubeconfig(text, FILE),
      (error: unknown) => {
        assert.ok(error instanceof ConfigError, text);
        assert.ok(!`${error.message} ${error.hint} ${String(error.cause)}`.includes('s3cr3t'), error.message);
        return true;
      },
      text,
    );
  }
});
