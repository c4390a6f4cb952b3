// The page as a browser gets it: at the path of every view, with assets that it may keep, for anyone, and within no rate.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { LoopbackAccess } from '../access/loopback.ts';
import { RateLimit } from '../http/rate-limit.ts';
import { Problem } from '../problem.ts';
import { startedServer } from '../testing/started-server.ts';
import { type PageFiles, pageRoutes } from './page-routes.ts';

const SOON = { timeout: 60_000 };
const SCRIPT = 'console.log("a page");\n'.repeat(200);
const PAGE: PageFiles = {
  index: '<!doctype html><title>podtrail</title><script type="module" src="/assets/page-A.js"></script>',
  assets: new Map([
    ['assets/page-A.js', Buffer.from(SCRIPT)],
    ['assets/page-B.css', Buffer.from('body{margin:0}')],
    ['assets/icon-C.svg', Buffer.from('<svg/>')],
  ]),
};
const PEOPLE = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };

/** With an Access of loopback, whose URL is printed. */
async function served(t: TestContext) {
  const access = new LoopbackAccess();
  const routes = pageRoutes(
    async () => PAGE,
    (request) => access.exchange(request),
  );
  const rateLimit = new RateLimit({ perSecond: 1, burst: 1, now: () => 0 });
  const { server, origin } = await startedServer(t, routes, { access, rateLimit });
  const token = new URL(access.urlOn(server)).searchParams.get('token') ?? '';
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${origin}${path}`, { redirect: 'manual', headers });
  return { get, token };
}

test(
  'the path of every view is the page, for anyone, without a rate, and asked again it is not sent again',
  SOON,
  async (t) => {
    const { get } = await served(t);
    for (const path of ['/', '/trail?ip=10.0.0.7', '/trail/', '/nodes', '/feed?cause=Evicted', '/health']) {
      const answer = await get(path);
      assert.equal(answer.status, 200, path);
      assert.equal(answer.headers.get('content-type'), 'text/html; charset=utf-8');
      assert.equal(answer.headers.get('cache-control'), 'private, no-cache');
      assert.match(answer.headers.get('content-security-policy') ?? '', /script-src 'self'; style-src 'self';/);
      assert.equal(await answer.text(), PAGE.index);
      const again = await get(path, { 'if-none-match': answer.headers.get('etag') ?? '' });
      assert.equal(again.status, 304);
    }
    assert.equal((await get('/trail/x')).status, 404);
  },
);

test('assets have their types, are kept for a year, and are sent packed to whoever takes that', SOON, async (t) => {
  const { get } = await served(t);
  for (const [path, type] of [
    ['/assets/page-A.js', 'text/javascript; charset=utf-8'],
    ['/assets/page-B.css', 'text/css; charset=utf-8'],
    ['/assets/icon-C.svg', 'image/svg+xml'],
  ] as const) {
    const answer = await get(path);
    assert.equal(answer.status, 200, path);
    assert.equal(answer.headers.get('content-type'), type);
    assert.equal(answer.headers.get('cache-control'), 'public, max-age=31536000, immutable');
    assert.equal(await answer.text(), Buffer.from(PAGE.assets.get(path.slice(1)) ?? '').toString());
  }
  const script = '/assets/page-A.js';
  const packed = await get(script, { 'accept-encoding': 'gzip' });
  assert.equal(packed.headers.get('content-encoding'), 'gzip');
  assert.equal(packed.headers.get('vary'), 'accept-encoding');
  assert.ok(Number(packed.headers.get('content-length')) < SCRIPT.length / 10);
  assert.equal(await packed.text(), SCRIPT);
  const plain = await get(script, { 'accept-encoding': 'identity' });
  assert.equal(plain.headers.get('content-encoding'), null);
  assert.equal(Number(plain.headers.get('content-length')), SCRIPT.length);
  for (const path of ['/assets/gone.js', '/assets/..%2Findex.html', '/assets/']) {
    const answer = await get(path);
    assert.equal(answer.status, 404, path);
    assert.equal(answer.headers.get('cache-control'), 'no-store');
  }
});

test('the token of the URL becomes a cookie, and the view and what it asks stay', SOON, async (t) => {
  const { get, token } = await served(t);
  const first = await get(`/trail?ip=10.0.0.7&token=${token}&since=1h%20`);
  assert.equal(first.status, 303);
  assert.equal(first.headers.get('location'), '/trail?ip=10.0.0.7&since=1h%20');
  const [cookie = ''] = (first.headers.get('set-cookie') ?? '').split(';');
  const again = await get(`/feed?token=${token}`, { cookie });
  assert.equal(again.status, 303, 'the browser that has the cookie is led on');
  assert.equal(again.headers.get('location'), '/feed');
  assert.equal(again.headers.get('set-cookie'), null);
});

test(
  'a token that was used is refused: scripts get a problem, people the page that shows how to sign in',
  SOON,
  async (t) => {
    const { get, token } = await served(t);
    await get(`/?token=${token}`);
    const script = await get(`/?token=${token}`);
    assert.equal(script.status, 401);
    assert.equal(((await script.json()) as { code: string }).code, 'token-used');
    const person = await get(`/?token=${token}`, PEOPLE);
    assert.equal(person.status, 401);
    assert.equal(person.headers.get('set-cookie'), null);
    assert.equal(await person.text(), PAGE.index);
  },
);

test('where there is no page its path says why, and asks again the next time', SOON, async (t) => {
  let asked = 0;
  const source = async () => {
    asked++;
    throw new Problem(503, 'no-page', 'esbuild is missing', { hint: 'run npm ci.' });
  };
  const { get } = await startedServer(t, pageRoutes(source));
  for (const path of ['/', '/assets/page-A.js']) {
    const answer = await get(path, { headers: PEOPLE });
    assert.equal(answer.status, 503);
    assert.deepEqual(((await answer.json()) as { detail: string }).detail, 'esbuild is missing');
  }
  assert.equal(asked, 2);
});
