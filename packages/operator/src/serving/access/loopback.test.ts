// Who is let in on loopback: by names of this machine only, and never a page of another origin.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { test } from 'node:test';
import type { HttpRequest } from '../http/http-request.ts';
import { jsonReply } from '../http/reply.ts';
import { startedServer } from '../testing/started-server.ts';
import { checkLoopback, LoopbackAccess } from './loopback.ts';

const SOON = { timeout: 60_000 };

test('a name that somebody else owns, or a page of another origin, is refused even with the token', SOON, async (t) => {
  const access = new LoopbackAccess();
  const route = { method: 'GET', path: '/', handle: async () => jsonReply({}) } as const;
  const { server } = await startedServer(t, [route], { access, admit: access.admit });
  const { port } = server;
  access.urlOn(server);
  const statusOf = (headers: Record<string, string>, path = '/') =>
    new Promise<number | undefined>((resolve, reject) => {
      const all = { authorization: `Bearer ${access.bearer}`, ...headers };
      request({ host: '127.0.0.1', port, path, headers: all }, (response) => {
        response.resume();
        resolve(response.statusCode);
      })
        .on('error', reject)
        .end();
    });
  for (const host of [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`]) {
    assert.equal(await statusOf({ host }), 200, host);
    assert.equal(await statusOf({ host, origin: `http://${host}` }), 200, host);
    assert.equal(await statusOf({ host }, `http://${host}/`), 200, host);
    assert.equal(await statusOf({ host }, `http://evil.example:${port}/`), 403, host);
  }
  for (const host of [
    'evil.example',
    `evil.example:${port}`,
    '127.0.0.1',
    `127.0.0.1:${port + 1}`,
    `127.0.0.1.evil.example:${port}`,
  ])
    assert.equal(await statusOf({ host }), 403, host);
  const host = `127.0.0.1:${port}`;
  for (const origin of ['null', 'http://evil.example', `https://${host}`, `http://127.0.0.1:${port + 1}`])
    assert.equal(await statusOf({ host, origin }), 403, origin);
});

test('the URL that is printed is let in, whichever address and port it has, and hints name it', () => {
  for (const [host, port, ...written] of [
    ['127.0.0.2', 7080, '127.0.0.2:7080', '127.0.0.1:7080'],
    ['127.0.0.1', 80, '127.0.0.1', 'localhost', '127.0.0.1:80'],
    ['::1', 80, '[::1]', '[::1]:80'],
  ] as const) {
    const access = new LoopbackAccess();
    const { origin } = new URL(access.urlOn({ host, port }));
    for (const name of written) {
      access.admit({ headers: { host: name } });
      access.admit({ headers: { host: name, origin: `http://${name}` } });
    }
    for (const headers of [{ host: 'evil.example' }, { host: written[0], origin: 'http://evil.example' }]) {
      assert.throws(
        () => access.admit({ headers }),
        ({ status, hint }) => status === 403 && hint.includes(origin),
      );
    }
    assert.throws(() => access.admit({ headers: { host: '127.0.0.3:7080' } }), { code: 'bad-host' });
  }
});

test('a token that was right on a connection opens nothing for another token there, or for another connection', async () => {
  const access = new LoopbackAccess({ token: 'a-token-of-the-tests' });
  const [here, there] = [{}, {}];
  const asking = (token: string, socket: object) =>
    access.identify({ headers: { authorization: `Bearer ${token}` }, socket }).then(
      ({ name }) => name,
      ({ status }) => status,
    );
  for (let times = 0; times < 2; times++) {
    assert.equal(await asking('a-token-of-the-tests', here), 'loopback');
    assert.equal(await asking('another-token-of-them', here), 401);
    assert.equal(await asking('another-token-of-them', there), 401);
    assert.equal(await access.identify({ headers: {}, socket: here }).catch(({ status }) => status), 401);
  }
});

test('a token that is not ours is refused as such, and HEAD does not use up the URL', async () => {
  const access = new LoopbackAccess({ token: 'a-token-of-the-tests' });
  const wrong = { headers: { authorization: 'Bearer another-token-of-them' } };
  await assert.rejects(access.identify(wrong), { message: 'this token is not valid here' });
  await assert.rejects(access.identify({ headers: {} }), { message: 'this request does not say who asks' });
  const { search, pathname } = new URL(access.urlOn({ host: '127.0.0.1', port: 80 }));
  const asking = (method: string) => ({ method, path: pathname, query: search.slice(1), headers: {} }) as HttpRequest;
  assert.equal(access.exchange(asking('HEAD')), undefined);
  assert.equal(access.exchange(asking('GET'))?.status, 303);
});

test('a token is read as the operator reads it: whatever the case of Bearer, and however many blanks are behind it', async () => {
  const access = new LoopbackAccess({ token: 'a-token-of-the-tests' });
  for (const scheme of ['Bearer ', 'bearer ', 'Bearer  ']) {
    const { name } = await access.identify({ headers: { authorization: `${scheme}a-token-of-the-tests` } });
    assert.equal(name, 'loopback', scheme);
  }
});

test('a token that is no token is refused with what is wrong with it', () => {
  for (const [token, expected] of [
    ['', 'the token is empty'],
    ['Bearer a-token-of-the-tests', 'the token has characters that no token has'],
    ['short', 'the token is shorter than 16 characters'],
  ] as const)
    assert.throws(() => new LoopbackAccess({ token }), { code: 'bad-token', message: expected });
});

test('only addresses that nobody else reaches may be bound', () => {
  for (const host of ['127.0.0.1', '127.8.9.1', '::1', 'localhost']) assert.doesNotThrow(() => checkLoopback(host));
  for (const host of ['0.0.0.0', '::', '10.0.0.1', 'example.org', '127.evil.example', ''])
    assert.throws(() => checkLoopback(host), { code: 'not-loopback' });
});
