import assert from 'node:assert/strict';
import { test } from 'node:test';
import { inspect } from 'node:util';
import type { TlsMaterial } from './identity.ts';
import { type Credential, fixedCredential, fixedTls, JoinedIdentity } from './joined-identity.ts';

const tls = (ca: string): TlsMaterial => ({
  ca,
  cert: undefined,
  key: undefined,
  serverName: undefined,
  insecureSkipVerify: false,
});

/** Two sources whose values a test sets. */
function join(material: TlsMaterial, credential: Credential) {
  const state = { material, credential, refusedTls: 0, refused: [] as Credential[] };
  const identity = new JoinedIdentity(
    { current: async () => state.material, refuse: () => void state.refusedTls++ },
    { current: async () => state.credential, refuse: (c) => void state.refused.push(c) },
  );
  return { state, identity };
}

test('the same identity is handed out until the token or the TLS material changes', async () => {
  const { state, identity } = join(tls('a'), { authorization: 'Bearer 1', certificate: undefined });
  const first = await identity.current();
  assert.equal(await identity.current(), first);
  assert.equal(first.tls, state.material);
  state.credential = { authorization: 'Bearer 2', certificate: undefined };
  const second = await identity.current();
  assert.equal(second.authorization, 'Bearer 2');
  assert.equal(second.tls, first.tls);
  state.material = tls('b');
  assert.equal((await identity.current()).tls.ca, 'b');
});

test('a certificate from a plugin replaces the one of the files, and keeps its reference while only the token changes', async () => {
  const certificate = { cert: 'C', key: 'K' };
  const { state, identity } = join(tls('a'), { authorization: 'Bearer 1', certificate });
  const first = await identity.current();
  assert.deepEqual({ ...first.tls }, { ...tls('a'), cert: 'C', key: 'K' });
  state.credential = { authorization: 'Bearer 2', certificate: { ...certificate } };
  assert.equal((await identity.current()).tls, first.tls);
  state.credential = { authorization: 'Bearer 2', certificate: { cert: 'C2', key: 'K2' } };
  assert.equal((await identity.current()).tls.cert, 'C2');
});

test('a refusal reaches both sources, but only for the identity that is in use', async () => {
  const { state, identity } = join(tls('a'), { authorization: 'Bearer 1', certificate: undefined });
  const first = await identity.current();
  const credential = state.credential;
  identity.refuse(first);
  assert.deepEqual(state.refused, [credential]);
  assert.equal(state.refusedTls, 1);
  state.credential = { authorization: 'Bearer 2', certificate: undefined };
  await identity.current();
  identity.refuse(first);
  assert.equal(state.refused.length, 1);
});

test('an error of a source reaches the caller and does not stick', async () => {
  let broken = true;
  const identity = new JoinedIdentity(fixedTls(tls('a')), {
    current: async () => {
      if (broken) throw new Error('no luck');
      return { authorization: 'Bearer x', certificate: undefined };
    },
    refuse: () => {},
  });
  await assert.rejects(identity.current(), /no luck/);
  broken = false;
  assert.equal((await identity.current()).authorization, 'Bearer x');
});

test('an identity shows no secret when it is logged or made into JSON', async () => {
  const identity = new JoinedIdentity(
    fixedTls({ ...tls('CA'), cert: 'CERT', key: 's3cr3t-key' }),
    fixedCredential('Bearer s3cr3t-token'),
  );
  const current = await identity.current();
  for (const shown of [inspect(current), JSON.stringify(current), inspect(current.tls), JSON.stringify(current.tls)]) {
    assert.doesNotMatch(shown, /s3cr3t/);
    assert.match(shown, /redacted/);
    assert.match(shown, /CERT/);
  }
  assert.doesNotMatch(inspect(identity, { showHidden: true }), /s3cr3t/);
  assert.equal(current.authorization, 'Bearer s3cr3t-token');
  assert.equal({ ...current }.tls.key, 's3cr3t-key');
});
