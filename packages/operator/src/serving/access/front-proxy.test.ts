import assert from 'node:assert/strict';
import type { IncomingMessage } from 'node:http';
import { test } from 'node:test';
import { ClusterAccess } from './cluster-access.ts';
import { frontProxyCaller, frontProxyTrust } from './front-proxy.ts';

const DATA = {
  'requestheader-client-ca-file': '-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n',
  'requestheader-allowed-names': '["front-proxy-client"]',
  'requestheader-username-headers': '["X-Remote-User"]',
  'requestheader-uid-headers': '["X-Remote-Uid"]',
  'requestheader-group-headers': '["X-Remote-Group"]',
  'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
};
const TRUST = frontProxyTrust(DATA);

function asked(headersDistinct: Record<string, string[]>, peer: { authorized?: boolean; CN?: string | string[] } = {}) {
  const { authorized = true, CN = 'front-proxy-client' } = peer;
  const socket = { authorized, getPeerCertificate: () => ({ subject: { CN } }) };
  return { headers: {}, headersDistinct, socket } as unknown as IncomingMessage;
}

test('a front proxy names user, groups and what else is known, each header by itself', () => {
  const request = asked({
    'x-remote-user': ['jane'],
    'x-remote-uid': ['u'],
    'x-remote-group': ['dev', 'a, b'],
    'x-remote-extra-scopes%2fall': ['x', 'y'],
    'x-other': ['z'],
  });
  assert.deepEqual(frontProxyCaller(TRUST, request), {
    ...{ name: 'jane', uid: 'u', groups: ['dev', 'a, b'], extra: { 'scopes/all': ['x', 'y'] } },
  });
});

test('names are UTF-8, as API servers send them; what is not UTF-8 is nobody, and no key of extra is lost', () => {
  const sent = (text: string) => Buffer.from(text, 'utf8').toString('latin1');
  const headers = { 'x-remote-user': [sent('jürgen')], 'x-remote-group': [sent('Köln'), 'dev'] };
  const extra = { 'x-remote-extra-__proto__': [sent('é')] };
  // Of others than those that name the caller nothing is asked.
  const caller = frontProxyCaller(TRUST, asked({ ...headers, ...extra, 'user-agent': ['\xff'] }));
  assert.deepEqual([caller?.name, caller?.groups], ['jürgen', ['Köln', 'dev']]);
  assert.deepEqual(Object.entries(caller?.extra ?? {}), [['__proto__', ['é']]]);
  assert.equal(frontProxyCaller(TRUST, asked({ 'x-remote-user': ['j\xfcrgen'] })), undefined);
  assert.equal(frontProxyCaller(TRUST, asked({ 'x-remote-user': ['jane'], 'x-remote-group': ['\xff'] })), undefined);
});

test('without a certificate of the authority, or by another name, headers are nothing', () => {
  const headers = { 'x-remote-user': ['jane'] };
  assert.equal(frontProxyCaller(TRUST, asked(headers, { authorized: false })), undefined);
  assert.equal(frontProxyCaller(TRUST, asked(headers, { CN: 'other' })), undefined);
  assert.equal(frontProxyCaller(TRUST, asked(headers, { CN: [] })), undefined);
  assert.equal(frontProxyCaller(TRUST, asked({})), undefined);
  assert.equal(frontProxyCaller(TRUST, asked({ 'x-remote-user': [''] })), undefined);
  assert.equal(frontProxyCaller(TRUST, asked(headers))?.name, 'jane');
  const anyName = frontProxyTrust({ ...DATA, 'requestheader-allowed-names': '[]' });
  assert.equal(frontProxyCaller(anyName, asked(headers, { CN: 'other' }))?.name, 'jane');
});

test('a cluster that says nothing, or nothing that can be understood, has no front proxy', () => {
  for (const data of [
    undefined,
    {},
    { ...DATA, 'requestheader-client-ca-file': '' },
    { ...DATA, 'requestheader-allowed-names': 'front-proxy-client' },
    { ...DATA, 'requestheader-allowed-names': '[1]' },
  ]) {
    assert.throws(() => frontProxyTrust(data), { code: 'no-front-proxy' });
  }
});

test('access is refused while no front proxy is trusted, and when a token cannot be reviewed', async () => {
  const rights = { visibility: async () => ({ kind: 'all' }) as const };
  const tokens = { callerOf: async (token: string) => (token === 'good' ? { name: 'jane', groups: [] } : undefined) };
  const closed = new ClusterAccess({ frontProxy: () => undefined, tokens, rights });
  await assert.rejects(closed.identify(asked({ 'x-remote-user': ['jane'] })), { status: 401 });
  const open = new ClusterAccess({ frontProxy: () => TRUST, tokens, rights });
  const stranger = { authorized: false };
  const forged = asked({ 'x-remote-user': ['admin'], authorization: ['Bearer good'] }, stranger);
  assert.equal((await open.identify(forged)).name, 'jane', 'the token, not the header');
  for (const authorization of [['Bearer bad'], ['Basic good'], ['Bearer good', 'Bearer good'], ['good'], []]) {
    await assert.rejects(open.identify(asked({ authorization }, stranger)), { status: 401 }, String(authorization));
  }
  const failing = { callerOf: () => Promise.reject(new Error('no answer')) };
  const silent = new ClusterAccess({ frontProxy: () => TRUST, tokens: failing, rights });
  await assert.rejects(silent.identify(asked({ authorization: ['Bearer good'] }, stranger)), { status: 401 });
});
