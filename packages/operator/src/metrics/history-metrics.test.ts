import assert from 'node:assert/strict';
import { glob, readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Registry } from 'prom-client';
import { HistoryMetrics, REFUSALS } from './history-metrics.ts';

function series(text: string): Map<string, number> {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
}

test('requests are counted by route and status, refusals by their reason, and streams are not timed', async () => {
  const registry = new Registry();
  const metrics = new HistoryMetrics(registry);
  const asked = { status: 200, ms: 4, isStream: false };
  metrics.answered({ ...asked, route: '/apis/history.podtrail.dev/v1/namespaces/{namespace}/tenures/{name}' });
  metrics.answered({ ...asked, route: '/apis/history.podtrail.dev/v1/tenures', isStream: true });
  metrics.answered({ ...asked, route: '/apis/history.podtrail.dev/v1' });
  metrics.answered({ ...asked, route: '/openapi/v3/apis/history.podtrail.dev/v1' });
  metrics.answered({ ...asked, route: '/api/v1/who', status: 429, code: 'too-many-requests' });
  metrics.answered({ ...asked, route: '/api/v1/who', status: 401, code: 'not-reviewed' });
  metrics.answered({ ...asked, route: undefined, status: 404, code: 'no-such-path' });
  metrics.watch({ asking: 3, waiting: 7 }, { connections: 5, streams: 2, unreadBytes: 1_000 }, { waiting: 9 });
  metrics.answered({ ...asked, route: undefined, status: 431, code: 'headers-too-large' });
  metrics.dropped({ why: 'evicted' });
  const found = series(await registry.metrics());
  const expected: readonly [string, number][] = [
    ['requests_total{route="tenures",code="200"}', 2],
    ['requests_total{route="discovery",code="200"}', 2],
    ['requests_total{route="who",code="429"}', 1],
    ['requests_total{route="none",code="404"}', 1],
    ['request_seconds_count{route="tenures"}', 1],
    ['refused_total{reason="rate"}', 1],
    ['refused_total{reason="unauthenticated"}', 1],
    ['refused_total{reason="busy"}', 0],
    ['refused_total{reason="malformed"}', 1],
    ['connections_dropped_total{why="evicted"}', 1],
    ['connections_dropped_total{why="tls"}', 0],
    ['connections', 5],
    ['streams', 2],
    ['unread_bytes', 1_000],
    ['reviews_waiting', 9],
    ['questions_waiting', 7],
    ['questions_asking', 3],
  ];
  for (const [name, value] of expected) assert.equal(found.get(`podtrail_history_${name}`), value, name);
});

test('reviews are counted by what the API server said, and by that it did not answer', async () => {
  const registry = new Registry();
  const metrics = new HistoryMetrics(registry);
  const said = [true, false, new Error('no answer')];
  const reviews = metrics.counted(
    'access',
    {
      create: async () => {
        const next = said.shift();
        if (next instanceof Error) throw next;
        return next;
      },
    },
    (allowed) => allowed === true,
  );
  assert.equal(await reviews.create(undefined), true);
  assert.equal(await reviews.create(undefined), false);
  await assert.rejects(reviews.create(undefined), /no answer/);
  const found = series(await registry.metrics());
  for (const outcome of ['allowed', 'denied', 'failed'])
    assert.equal(found.get(`podtrail_history_reviews_total{kind="access",outcome="${outcome}"}`), 1);
});

test('every refusal because of who asks, how often or how has its reason', async () => {
  const serving = new URL('../serving/', import.meta.url);
  const codes = new Set<string>();
  for await (const file of glob('**/*.ts', { cwd: serving.pathname })) {
    if (file.endsWith('.test.ts')) continue;
    const text = await readFile(new URL(file, serving), 'utf8');
    for (const [, code] of text.matchAll(/Problem\(\s*(?:401|403|408|429|431),\s*'([a-z-]+)'/g))
      codes.add(code as string);
    for (const [, code] of text.matchAll(/code: '(too-many-[a-z-]+)'/g)) codes.add(code as string);
  }
  assert.ok(codes.size >= 10, `${[...codes]}`);
  assert.deepEqual(
    [...codes].filter((code) => REFUSALS[code] === undefined),
    [],
  );
});
