// `podtrail serve` as a person meets it: the URL, the cookie, the token for scripts, what is refused, how it ends.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Engine } from '@podtrail/history';
import { run } from '../testing/run-in-process.ts';
import { serve } from '../testing/served.ts';
import { aStory, at } from '../testing/story.ts';

const SOON = { timeout: 60_000 };
const WHO = '/api/v1/who?ip=10.0.0.7&at=2026-11-15T10:00:30Z';

let engine: Engine;
before(async () => {
  engine = await aStory();
});

test('who over HTTP is the document that the command prints', SOON, async (t) => {
  const served = await serve(t, { engine, now: at(201) });
  const response = await served.get(WHO);
  assert.equal(response.status, 200);
  const { out } = await run(['who', '10.0.0.7', '--at', '2026-11-15T10:00:30Z', '-o', 'json'], {
    engine,
    now: at(201),
  });
  assert.deepEqual(await response.json(), JSON.parse(out));
});

test('the URL works once: it becomes a cookie that scripts of no page can read', SOON, async (t) => {
  const served = await serve(t, { engine, now: at(201) });
  const first = await fetch(served.url, { redirect: 'manual' });
  assert.equal(first.status, 303);
  assert.equal(first.headers.get('location'), '/');
  const cookie = first.headers.get('set-cookie') ?? '';
  assert.match(cookie, /^podtrail-\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/);
  const asked = await fetch(`${served.origin}${WHO}`, { headers: { cookie: cookie.split(';')[0] ?? '' } });
  assert.equal(asked.status, 200);
  const again = await fetch(served.url, { redirect: 'manual' });
  assert.equal(again.status, 401);
  assert.equal(((await again.json()) as { code: string }).code, 'token-used');
});

test('without a token nothing of the ledger is said', SOON, async (t) => {
  const served = await serve(t, { engine, now: at(201) });
  for (const headers of [{}, { authorization: 'Bearer nonsense' }, { cookie: 'podtrail-1=x' }] as Record<
    string,
    string
  >[]) {
    const response = await fetch(`${served.origin}${WHO}`, { headers });
    assert.equal(response.status, 401);
    assert.equal(response.headers.get('www-authenticate'), 'Bearer realm="podtrail"');
    const problem = (await response.json()) as { code: string; hint: string };
    assert.equal(problem.code, 'unauthenticated');
    assert.match(problem.hint, /podtrail printed when it started this server/);
  }
});

test('an address that others can reach is refused, with what to do instead', async () => {
  for (const bind of ['0.0.0.0', '::', '192.168.0.1']) {
    const { code, err } = await run(['serve', '--bind', bind], { engine });
    assert.equal(code, 1);
    assert.match(err, /can be reached by others/);
    assert.match(err, /hint: bind 127\.0\.0\.1/);
  }
});

test('a token of a file is taken and not printed; a short one is refused', SOON, async (t) => {
  const files = { token: 'abcdefghijklmnopqrstuvwxyz\n', short: 'abc\n' };
  const served = await serve(t, { engine, files, now: at(201) }, '--token-file', 'token');
  const response = await served.get(WHO, { headers: { authorization: 'Bearer abcdefghijklmnopqrstuvwxyz' } });
  assert.equal(response.status, 200);
  assert.doesNotMatch(served.err(), /abcdef/);
  const { code, err } = await run(['serve', '--token-file', 'short'], { engine, files });
  assert.equal(code, 1);
  assert.match(err, /the token is shorter than 16 characters/);
});

test('the access log names requests, and neither tokens nor what was asked', SOON, async (t) => {
  const served = await serve(t, { engine, now: at(201) }, '--access-log');
  await (await served.get(WHO, { headers: { 'x-request-id': 'mine-1' } })).text();
  await (await fetch(served.url, { redirect: 'manual' })).text();
  await served.stop();
  const lines = served
    .err()
    .split('\n')
    .filter((line) => line.startsWith('{'));
  assert.equal(lines.length, 2);
  const { time, ms, bytes, ...entry } = JSON.parse(lines[0] ?? '');
  assert.ok(bytes > 500, `${bytes}`);
  assert.equal(time, '2026-11-15T10:03:21.000Z');
  assert.equal(ms, 0);
  assert.deepEqual(entry, {
    ...{ level: 'info', msg: 'request', requestId: 'mine-1', caller: 'loopback', method: 'GET', route: '/api/v1/who' },
    ...{ status: 200, isStream: false, remote: '127.0.0.1' },
  });
  const token = new URL(served.url).searchParams.get('token') ?? '';
  for (const line of lines)
    for (const secret of [token, served.token, '10.0.0.7']) assert.ok(!line.includes(secret), line);
});

test('it ends when it is stopped, with exit code 0', SOON, async (t) => {
  const served = await serve(t, { engine, now: at(201) });
  assert.equal((await served.stop()).code, 0);
  await assert.rejects(served.get(WHO));
});

test('whether it lives and can answer is said to anyone', SOON, async (t) => {
  const served = await serve(t, { engine, now: at(201) });
  for (const path of ['/livez', '/readyz']) {
    const response = await fetch(`${served.origin}${path}`);
    assert.deepEqual([response.status, await response.text()], [200, 'ok\n'], path);
  }
});
