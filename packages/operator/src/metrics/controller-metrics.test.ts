import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { test } from 'node:test';
import { Controller, DONE, type EventCounts } from '@podtrail/machinery';
import { ManualClock } from '@podtrail/machinery/testing';
import { Registry } from 'prom-client';
import { electionMetrics, passMetrics, queueMetrics, watchControllers } from './controller-metrics.ts';

const EVENT_COUNTS: EventCounts = {
  ...{ written: 3, repeated: 0, spam: 1, queueFull: 0, invalid: 0, forbidden: 0, namespaceTerminating: 0 },
  ...{ rejected: 0, gaveUp: 0, tooLate: 0 },
};
const STATE = {
  caches: () => [{ resource: 'podtrackers', synced: true, current: false, objects: 7 }],
  writes: () => ({ slices: 5, conflicts: 2 }),
  events: () => EVENT_COUNTS,
};

test('passes and queues are counted under the name of their controller', async () => {
  const registry = new Registry();
  const clock = new ManualClock();
  let failures = 1;
  const controller = new Controller({
    name: 'podtracker',
    clock,
    metrics: passMetrics(registry)('podtracker'),
    queueMetrics: queueMetrics(registry),
    reconcile: () => {
      if (failures-- > 0) throw new TypeError('bug');
      return DONE;
    },
  });
  const stop = new AbortController();
  const running = controller.run({ stop: stop.signal, abort: stop.signal });
  controller.enqueue('all');
  await clock.advance(5_000);
  stop.abort();
  await running;
  const page = await registry.metrics();
  assert.match(page, /podtrail_controller_passes_total\{controller="podtracker",outcome="done"\} 1/);
  assert.match(page, /podtrail_controller_passes_total\{controller="podtracker",outcome="retry"\} 1/);
  assert.match(page, /podtrail_controller_panics_total\{controller="podtracker"\} 1/);
  assert.match(page, /podtrail_workqueue_adds_total\{queue="podtracker"\} 2/);
  assert.match(page, /podtrail_workqueue_retries_total\{queue="podtracker"\} 1/);
  assert.match(page, /podtrail_workqueue_work_seconds_count\{queue="podtracker"\} 2/);
});

test('leadership, caches, writes and events are what they are when the page is made', async () => {
  const registry = new Registry();
  const election = electionMetrics(registry);
  watchControllers(registry, STATE);
  election.leading(true);
  election.slowPath();
  await registry.metrics();
  const page = await registry.metrics();
  assert.match(page, /^podtrail_leader 1$/m);
  assert.match(page, /^podtrail_leader_slow_renewals_total 1$/m);
  assert.match(page, /podtrail_controller_cache_synced\{resource="podtrackers"\} 1/);
  assert.match(page, /podtrail_controller_cache_current\{resource="podtrackers"\} 0/);
  assert.match(page, /podtrail_controller_cache_objects\{resource="podtrackers"\} 7/);
  assert.match(page, /podtrail_podtracker_writes_total\{what="slices"\} 5/);
  assert.match(page, /podtrail_events_total\{outcome="written"\} 3/);
});

test('docs/operator.md lists every one of these metrics, and no other', async () => {
  const registry = new Registry();
  queueMetrics(registry);
  passMetrics(registry);
  electionMetrics(registry);
  watchControllers(registry, STATE);
  const served = (await registry.getMetricsAsJSON()).map(({ name }) => name);
  const page = await readFile(new URL('../../../../docs/operator.md', import.meta.url), 'utf8');
  // The section on the store's size names metrics of the recorder, which metrics.test.ts holds against docs/metrics.md.
  const section = /^## Metrics$(.*?)^## /ms.exec(page)?.[1] ?? '';
  const reported = [...section.matchAll(/^\| `(podtrail_\w+)` \|/gm)].map(([, name]) => name);
  assert.deepEqual(reported.sort(), served.sort());
});
