import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ConfigError } from '../errors.ts';
import { type ConfigOverrides, resolveContext, resolveImpersonation } from './context-resolution.ts';
import { parseKubeconfig } from './kubeconfig-file.ts';

const config = parseKubeconfig(
  `
current-context: dev
clusters:
- {name: dev, cluster: {server: "https://dev:6443", tls-server-name: dev.internal}}
- {name: prod, cluster: {server: "https://prod:6443"}}
- {name: hollow, cluster: {}}
users:
- {name: ada, user: {username: ada, password: pw, as: eve, as-groups: [g1], as-user-extra: {k: [v]}}}
- {name: bot, user: {token: t}}
contexts:
- {name: dev, context: {cluster: dev, user: ada, namespace: team}}
- {name: prod, context: {cluster: prod, user: bot}}
- {name: no-user, context: {cluster: prod}}
- {name: ghost-user, context: {cluster: prod, user: nobody}}
- {name: ghost-cluster, context: {cluster: nothing, user: bot}}
- {name: no-cluster, context: {user: bot}}
- {name: hollow, context: {cluster: hollow, user: bot}}
`,
  '/k',
);
const resolve = (overrides: ConfigOverrides = {}) => {
  const resolved = resolveContext(config, overrides);
  assert.ok(resolved !== undefined);
  return resolved;
};

test('without overrides the current context decides', () => {
  const resolved = resolve();
  assert.equal(resolved.cluster.server, 'https://dev:6443');
  assert.equal(resolved.user.name, 'ada');
  assert.equal(resolved.namespace, 'team');
  assert.equal(resolved.origin, 'context "dev" of /k');
});

test('each override replaces its part, and empty ones none', () => {
  assert.equal(resolve({ context: 'prod' }).namespace, 'default');
  assert.equal(resolve({ cluster: 'prod' }).cluster.server, 'https://prod:6443');
  assert.equal(resolve({ user: 'bot' }).user.token, 't');
  assert.equal(resolve({ namespace: 'other' }).namespace, 'other');
  const same = resolve({ context: '', cluster: '', user: '', namespace: '', server: '', token: '', as: '' });
  assert.equal(same.contextName, 'dev');
  assert.equal(same.impersonate?.user, 'eve');
});

test('another server drops the tls-server-name that was meant for the old one', () => {
  assert.equal(resolve().cluster.tlsServerName, 'dev.internal');
  const moved = resolve({ server: 'https://elsewhere' });
  assert.equal(moved.cluster.server, 'https://elsewhere');
  assert.equal(moved.cluster.tlsServerName, undefined);
});

test('a token on the command line replaces the password of the user entry', () => {
  const { user } = resolve({ token: 'mine' });
  assert.equal(user.token, 'mine');
  assert.equal(user.username, undefined);
  assert.equal(user.password, undefined);
});

test('impersonation overrides replace field by field, as kubectl merges them', () => {
  assert.deepEqual(resolve().impersonate, { user: 'eve', groups: ['g1'], extra: { k: ['v'] } });
  assert.deepEqual(resolve({ as: 'kim', asUid: '7', asGroup: ['a', 'b'] }).impersonate, {
    user: 'kim',
    uid: '7',
    groups: ['a', 'b'],
    extra: { k: ['v'] },
  });
  assert.equal(resolve({ context: 'prod' }).impersonate, undefined);
});

test('groups or a uid without a user to impersonate are an error', () => {
  assert.throws(() => resolve({ context: 'prod', asGroup: ['g'] }), { code: 'config-impersonation' });
  assert.throws(() => resolveImpersonation({ asUid: '1' }), { code: 'config-impersonation' });
});

test('a context without a user is anonymous', () => {
  assert.equal(resolve({ context: 'no-user' }).user.token, undefined);
});

test('a server alone is enough, without any kubeconfig', () => {
  const resolved = resolveContext(parseKubeconfig('', '/empty'), { server: 'https://10.0.0.1', token: 't' });
  assert.equal(resolved?.cluster.server, 'https://10.0.0.1');
  assert.equal(resolved?.user.token, 't');
  assert.equal(resolved?.origin, 'server https://10.0.0.1');
});

test('a config that chooses nothing resolves to undefined', () => {
  assert.equal(resolveContext(parseKubeconfig('', '/empty'), {}), undefined);
});

const wrong: Record<string, { overrides: ConfigOverrides; code: string; message: RegExp; hint?: RegExp }> = {
  'an unknown context lists the known ones': {
    overrides: { context: 'staging' },
    code: 'config-context-unknown',
    message: /^context "staging" does not exist in \/k$/,
    hint: /"dev", "ghost-cluster", .*"prod"/,
  },
  'a context whose user does not exist': {
    overrides: { context: 'ghost-user' },
    code: 'config-user-missing',
    message: /^context "ghost-user" of \/k names the user "nobody", which does not exist$/,
    hint: /"ada", "bot"/,
  },
  'a context whose cluster does not exist': {
    overrides: { context: 'ghost-cluster' },
    code: 'config-cluster-missing',
    message: /names the cluster "nothing", which does not exist$/,
    hint: /"dev", "hollow", "prod"/,
  },
  'a context without a cluster': {
    overrides: { context: 'no-cluster' },
    code: 'config-cluster-missing',
    message: /^context "no-cluster" of \/k names no cluster$/,
  },
  'a cluster without a server': {
    overrides: { context: 'hollow' },
    code: 'config-server',
    message: /^cluster "hollow" in \/k has no server$/,
  },
  'a user override that does not exist': {
    overrides: { user: 'x' },
    code: 'config-user-missing',
    message: /^user "x" does not exist in \/k$/,
  },
};

for (const [name, { overrides, code, message, hint }] of Object.entries(wrong)) {
  test(`${name} is an error`, () => {
    assert.throws(
      () => resolve(overrides),
      (error: unknown) => {
        assert.ok(error instanceof ConfigError);
        assert.equal(error.code, code);
        assert.match(error.message, message);
        assert.match(error.hint ?? '', hint ?? /./);
        return true;
      },
    );
  });
}

test('a current-context that names nothing is an error of its own', () => {
  assert.throws(() => resolveContext(parseKubeconfig('current-context: gone', '/k'), {}), {
    code: 'config-context-unknown',
    message: 'the current-context, "gone", does not exist in /k',
    hint: 'Contexts there: none. Pass another file with --kubeconfig, or set KUBECONFIG.',
  });
});
