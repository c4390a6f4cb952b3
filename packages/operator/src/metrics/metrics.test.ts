import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { CAUSES, type Cause, epochMillis } from '@podtrail/history';
import { ManualClock } from '@podtrail/machinery/testing';
import { watchAudit } from '../audit/audit-metrics.ts';
import type { StreamStatus } from '../recorder/followed-stream.ts';
import type { RecorderStatus } from '../recorder/recorder-status.ts';
import { HistoryMetrics } from './history-metrics.ts';
import { newRegistry, serveMetrics } from './metrics-server.ts';
import { MoveMetrics } from './move-metrics.ts';
import { RecorderMetrics } from './recorder-metrics.ts';
import { describeRequest, requestMetrics } from './request-metrics.ts';

const stream = (resource: StreamStatus['resource'], objects: number, silentMs: number | undefined): StreamStatus => ({
  ...{
    resource,
    role: 'claims' as const,
    namespace: undefined,
    synced: true,
    current: silentMs !== undefined,
    silentMs,
    objects,
  },
});

const STATUS: RecorderStatus = {
  ...{ synced: true, current: true, storeFailures: 0, waitingFacts: 7, committedFacts: 10, pods: 3, lagMs: 20 },
  suppressedChanges: 4,
  clock: { skewMs: 0, aheadMs: 0, warning: undefined },
  ...{ coverageTo: epochMillis(9_000), checkpointAt: undefined, problems: [] },
  streams: [stream('pods', 3, 1_500), stream('services', 2, undefined)],
};

/** The page as a map from series to value. */
async function scrape(registry: ReturnType<typeof newRegistry>): Promise<Map<string, number>> {
  const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

test('a recorder is reported in base units, and what is not known yet is left out', async () => {
  const registry = newRegistry('1.2.3');
  const metrics = new RecorderMetrics(registry);
  const clock = new ManualClock(10_000);
  metrics.watch({ status: STATUS }, clock);
  metrics.stored({ batch: { facts: [{ kind: 'live', uid: 'u', state: undefined }] }, appendMs: 4, lagsMs: [30, 300] });
  metrics.storeFailed();
  metrics.lost('services', 'expired');
  metrics.leaseRead('forbidden');
  metrics.watchChanged('podtrackers', { kind: 'waiting', error: new Error('no'), until: 1, since: 0 } as never);
  const failure = { handler: 'podtracker', delta: {} as never, error: new Error('no'), attempt: 1, givenUp: false };
  metrics.handlerFailed('namespaces', failure);
  metrics.housekept({ what: 'retain', ms: 1, error: undefined, removed: 5 });
  const volume = { bytes: 10_000, freeBytes: 900 };
  const removed = { removedOfKinds: { change: 12, evidence: 5, life: 2 }, removedRecords: 3 };
  metrics.roomKept({ bytes: 7_000, limitBytes: 8_000, volume, ballastBytes: 24, ...removed });
  for (const kind of ['watching', 'watching'] as const) metrics.watchChanged('pods', { kind, from: '1', since: 0 });
  metrics.watchChanged('pods', { kind: 'listing', reason: 'expired', since: 0 });
  const page = await scrape(registry);
  assert.equal(page.get('podtrail_coverage_end_age_seconds'), 1);
  assert.equal(page.get('podtrail_store_bytes'), 7_000);
  assert.equal(page.get('podtrail_store_limit_bytes'), 8_000);
  assert.equal(page.get('podtrail_store_volume_free_bytes'), 900);
  assert.equal(page.get('podtrail_store_ballast_bytes'), 24);
  assert.equal(page.get('podtrail_store_limit_removed_total{kind="changes"}'), 12);
  assert.equal(page.get('podtrail_store_limit_removed_total{kind="records"}'), 3);
  assert.equal(page.get('podtrail_store_limit_removed_total{kind="evidence"}'), 5);
  assert.equal(page.get('podtrail_store_limit_removed_total{kind="lives"}'), 2);
  assert.equal(page.get('podtrail_store_limit_removed_total{kind="departures"}'), 0);
  assert.equal(page.get('podtrail_changes_suppressed_total'), 4);
  assert.equal(page.has('podtrail_checkpoint_age_seconds'), false);
  assert.equal(page.get('podtrail_watch_last_frame_age_seconds{resource="pods"}'), 1.5);
  assert.equal(page.has('podtrail_watch_last_frame_age_seconds{resource="services"}'), false);
  assert.equal(page.get('podtrail_watch_current{resource="services"}'), 0);
  assert.equal(page.get('podtrail_cached_objects{resource="pods"}'), 3);
  assert.equal(page.get('podtrail_recorder_waiting_facts'), 7);
  assert.equal(page.get('podtrail_recorder_committed_facts_total'), 1);
  assert.equal(page.get('podtrail_recorder_lag_seconds_bucket{le="0.25"}'), 1);
  assert.equal(page.get('podtrail_recorder_lag_seconds_bucket{le="0.5"}'), 2);
  assert.equal(page.get('podtrail_store_append_seconds_sum'), 0.004);
  assert.equal(page.get('podtrail_store_failures_total'), 1);
  assert.equal(page.get('podtrail_watch_gaps_total{resource="services",reason="expired"}'), 1);
  assert.equal(page.get('podtrail_watch_gaps_total{resource="pods",reason="expired"}'), 0);
  assert.equal(page.get('podtrail_node_lease_reads_total{result="forbidden"}'), 1);
  assert.equal(page.get('podtrail_node_lease_reads_total{result="renewed"}'), 0);
  assert.equal(page.get('podtrail_watch_restarts_total{resource="pods"}'), 1);
  assert.equal(page.get('podtrail_watch_errors_total{resource="podtrackers"}'), 1);
  assert.equal(page.get('podtrail_handler_failures_total{resource="namespaces",handler="podtracker"}'), 1);
  assert.equal(page.get('podtrail_handler_failures_total{resource="pods",handler="recorder"}'), 0);
  assert.equal(page.get('podtrail_relists_total{resource="pods",reason="expired"}'), 1);
  assert.equal(page.get('podtrail_store_removed_records_total'), 5);
  assert.equal(page.get(`podtrail_build_info{version="1.2.3",node="${process.versions.node}"}`), 1);
  assert.ok((page.get('process_resident_memory_bytes') ?? 0) > 0);
});

test('requests are counted by verb, kind and code; names and namespaces never become labels', async () => {
  const kinds: Readonly<Record<string, string>> = {
    '/api/v1/pods?limit=500&resourceVersion=': 'list pods',
    '/api/v1/namespaces/shop/pods?watch=true&timeoutSeconds=300': 'watch pods',
    '/api/v1/namespaces/shop/pods/cart-1': 'get pods',
    '/api/v1/namespaces/shop/pods/cart-1/status': 'get pods/status',
    '/api/v1/namespaces/kube-system': 'get namespaces',
    '/api/v1/namespaces': 'list namespaces',
    '/apis/coordination.k8s.io/v1/namespaces/a/leases/b': 'get leases',
    '/version': 'get other',
    '/apis': 'get other',
  };
  for (const [path, expected] of Object.entries(kinds)) {
    const { verb, resource } = describeRequest('GET', path);
    assert.equal(`${verb} ${resource}`, expected, path);
  }
  assert.deepEqual(describeRequest('PATCH', '/api/v1/nodes/n1/status'), { verb: 'patch', resource: 'nodes/status' });
  const registry = newRegistry('1');
  const observe = requestMetrics(registry);
  observe({ method: 'GET', path: '/api/v1/namespaces/shop/pods/cart-1', status: 404, durationMs: 12, attempt: 1 });
  observe({ method: 'GET', path: '/api/v1/pods', status: 0, durationMs: 12, attempt: 1 });
  const page = await scrape(registry);
  assert.equal(page.get('podtrail_api_requests_total{verb="get",resource="pods",code="404"}'), 1);
  assert.equal(page.get('podtrail_api_requests_total{verb="list",resource="pods",code="0"}'), 1);
  assert.doesNotMatch(await registry.metrics(), /cart-1|shop/);
});

test('the page is served at /metrics and nowhere else, and only to be read', async () => {
  const server = await serveMetrics({ host: '127.0.0.1', port: 0, registry: newRegistry('1') });
  const url = `http://127.0.0.1:${server.port}`;
  try {
    const page = await fetch(`${url}/metrics?x=1`);
    assert.equal(page.status, 200);
    assert.match(page.headers.get('content-type') ?? '', /^text\/plain; version=0\.0\.4/);
    assert.match(await page.text(), /^podtrail_build_info\{/m);
    assert.equal((await fetch(`${url}/metrics`, { method: 'POST', body: 'x' })).status, 405);
    for (const path of ['/', '/constructor', '/metrics/'])
      assert.equal((await fetch(`${url}${path}`)).status, 404, path);
    await assert.rejects(serveMetrics({ host: '127.0.0.1', port: server.port, registry: newRegistry('1') }), {
      code: 'cannot-listen',
      message: `127.0.0.1:${server.port} is already in use`,
    });
  } finally {
    await server.close();
  }
});

test('docs/metrics.md lists every metric of ours, and no other', async () => {
  const registry = newRegistry('1');
  new RecorderMetrics(registry).watch({ status: STATUS }, new ManualClock());
  requestMetrics(registry);
  new MoveMetrics(registry).watch({ waiting: 0 });
  new HistoryMetrics(registry).watch(
    { asking: 0, waiting: 0 },
    { connections: 0, streams: 0, unreadBytes: 0 },
    { waiting: 0 },
  );
  const nothing = { read: 0, taken: 0, unknown: 0, expired: 0, ahead: 0, over: 0, damaged: 0, dropped: 0 };
  const counts = { answers: new Map(), damagedBodies: 0 };
  watchAudit(registry, { bytes: 0 }, () => ({ followed: nothing, counts }));
  const served = (await registry.getMetricsAsJSON())
    .map(({ name }) => name)
    .filter((name) => name.startsWith('podtrail_'));
  const page = await readFile(new URL('../../../../docs/metrics.md', import.meta.url), 'utf8');
  const reported = [...page.matchAll(/^\| `(podtrail_\w+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(reported.sort(), served.sort());
});

test('the alerts that we give away ask for metrics and labels that are there', async () => {
  const rules = await readFile(new URL('../../../../deploy/examples/prometheus/rules.yaml', import.meta.url), 'utf8');
  const page = await readFile(new URL('../../../../docs/metrics.md', import.meta.url), 'utf8');
  const asked = [...rules.matchAll(/podtrail_[a-z_]+/g)].map(([name]) => name.replace(/_bucket$/, ''));
  assert.ok(asked.length > 5);
  for (const name of asked) assert.ok(page.includes(`| \`${name}\` |`), name);
  const causes = [...rules.matchAll(/cause=~?"([^"]+)"/g)].flatMap(([, list]) => (list ?? '').split('|'));
  for (const cause of causes) assert.ok(CAUSES.includes(cause as never), cause);
});

test('moves are counted by closed lists: a kind that Kubernetes does not have is "other", and nobody is named', async () => {
  const registry = newRegistry('1');
  const metrics = new MoveMetrics(registry);
  const moved = (cause: Cause, kind: string | undefined) =>
    metrics.departed({
      verdict: { cause, certainty: 'certain', sentence: '', evidence: [] },
      departure: { pod: { name: 'cart-1', workload: kind && { kind, name: 'cart', inferred: false } } } as never,
    });
  moved('Evicted', 'Deployment');
  moved('Evicted', 'Deployment');
  moved('Taint', 'Rollout');
  moved('Taint', undefined);
  metrics.replaced({ downtimeMs: 7_000 });
  metrics.replaced({ downtimeMs: undefined });
  metrics.reused({ betweenMs: undefined });
  metrics.reused({ betweenMs: 0 });
  metrics.uncounted('addresses', 3);
  const page = await scrape(registry);
  assert.equal(page.get('podtrail_pod_moves_total{cause="Evicted",kind="Deployment"}'), 2);
  assert.equal(page.get('podtrail_pod_moves_total{cause="Taint",kind="other"}'), 1);
  assert.equal(page.get('podtrail_pod_moves_total{cause="Taint",kind="none"}'), 1);
  assert.equal(page.get('podtrail_pod_moves_total{cause="NodeGone",kind="StatefulSet"}'), 0, 'from the beginning');
  assert.equal([...page.keys()].filter((series) => series.startsWith('podtrail_pod_moves_total')).length, 31 * 8);
  assert.equal(page.get('podtrail_pod_reschedule_seconds_bucket{le="5"}'), 0);
  assert.equal(page.get('podtrail_pod_reschedule_seconds_bucket{le="10"}'), 1);
  assert.equal(page.get('podtrail_address_reuses_total'), 2);
  assert.equal(page.get('podtrail_address_reuse_seconds_bucket{le="0"}'), 1);
  assert.equal(page.get('podtrail_address_reuse_seconds_count'), 1);
  assert.equal(page.get('podtrail_moves_uncounted_total{what="addresses"}'), 3);
  assert.doesNotMatch(await registry.metrics(), /cart/);
});
