import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@podtrail/machinery';
import { aPod, ManualClock, settle } from '@podtrail/machinery/testing';
import { FedInformer } from '../footprints/testing/fed-informer.ts';
import type { AnnotationReport } from './annotation-report.ts';
import {
  type AnnotationFailure,
  type AnnotationSummary,
  AnnotationWatcher,
  type AnnotationWatcherOptions,
} from './annotation-watcher.ts';

function stage(options: Partial<AnnotationWatcherOptions> = {}) {
  const clock = new ManualClock();
  const pods = new FedInformer(clock);
  const stop = new AbortController();
  const reported: AnnotationReport[] = [];
  const starts: AnnotationSummary[] = [];
  const failures: AnnotationFailure[] = [];
  const watcher = new AnnotationWatcher({
    ...{ pods, clock, random: seededRandom(1) },
    emit: (report) => void reported.push(report),
    onStart: (summary) => void starts.push(summary),
    onFailure: (failure) => void failures.push(failure),
    ...options,
  });
  const running = watcher.run(stop.signal);
  const end = async () => {
    stop.abort();
    await running;
  };
  /** "UPDATED web +a=1 ~b=1>2 -c=3" */
  const story = () =>
    reported.map(({ event, pod, changes }) => [event, pod.metadata.name, ...changes.map(shown)].join(' '));
  return { clock, pods, stop, watcher, reported, starts, failures, running, end, story };
}

function shown(change: AnnotationReport['changes'][number]): string {
  if (change.change === 'added') return `+${change.key}=${change.after}`;
  if (change.change === 'removed') return `-${change.key}=${change.before}`;
  return `~${change.key}=${change.before}>${change.after}`;
}

const web = (annotations: Record<string, string>) => aPod('web').withAnnotations(annotations);

test('the start is a count from the cache; then what is added, changed, removed', async () => {
  const { pods, starts, story, end } = stage();
  pods.list(web({ a: '1', b: '1' }), aPod('plain'));
  await settle();
  assert.deepEqual(starts, [{ pods: 2, annotated: 1 }]);
  pods.change(web({ b: '2', c: '3' }));
  await settle();
  pods.add(aPod('new').withAnnotations({ x: 'y' }));
  await settle();
  pods.delete(web({ b: '2', c: '3' }));
  await settle();
  assert.deepEqual(story(), ['UPDATED web -a=1 ~b=1>2 +c=3', 'ADDED new +x=y', 'DELETED web -b=2 -c=3']);
  await end();
});

test('what is there at the start is reported as ADDED only when asked for', async () => {
  const { pods, story, end } = stage({ initial: true });
  pods.list(web({ a: '1' }), aPod('plain'));
  await settle();
  assert.deepEqual(story(), ['ADDED web +a=1', 'ADDED plain']);
  await end();
});

test('changes of anything but annotations are not reported', async () => {
  const { pods, story, end } = stage();
  pods.list(web({ a: '1' }));
  await settle();
  pods.change(web({ a: '1' }).inPhase('Failed').withIp('10.0.0.1'));
  await settle();
  assert.deepEqual(story(), []);
  await end();
});

test('a name that went over to another pod is reported as gone and come', async () => {
  const { pods, story, end } = stage();
  pods.list(web({ a: '1' }));
  await settle();
  pods.add(web({ a: '2' }).withUid('another'));
  await settle();
  assert.deepEqual(story(), ['DELETED web -a=1', 'ADDED web +a=2']);
  await end();
});

test('with keys only those count, at the start too, and pods without them come and go unsaid', async () => {
  const { pods, starts, story, end } = stage({ keys: ['prometheus.io/*'] });
  pods.list(web({ 'prometheus.io/scrape': 'true', noise: '1' }), aPod('b').withAnnotations({ noise: '1' }));
  await settle();
  assert.deepEqual(starts, [{ pods: 2, annotated: 1 }]);
  pods.change(web({ 'prometheus.io/scrape': 'true', noise: '2' }));
  pods.add(aPod('c').withAnnotations({ noise: '1' }));
  await settle();
  pods.change(web({ noise: '2' }));
  pods.delete(aPod('b').withAnnotations({ noise: '1' }));
  await settle();
  assert.deepEqual(story(), ['UPDATED web -prometheus.io/scrape=true']);
  await end();
});

test('what kubectl last applied is left out, as in the ledger, unless a key asks for it', async () => {
  const applied = 'kubectl.kubernetes.io/last-applied-configuration';
  const all = stage();
  const named = stage({ keys: ['kubectl.kubernetes.io/*'] });
  for (const { pods, clock } of [all, named]) {
    pods.list(web({ [applied]: '{"a":1}' }));
    await settle();
    pods.change(web({ [applied]: '{"a":2}' }));
    await clock.advance(10);
    pods.change(web({ [applied]: '{"a":3}', a: '1' }));
    await clock.advance(10);
  }
  assert.deepEqual(all.starts, [{ pods: 1, annotated: 0 }]);
  assert.deepEqual(all.story(), ['UPDATED web +a=1']);
  assert.deepEqual(all.reported[0]?.annotations, [['a', '1']]);
  assert.deepEqual(named.story(), [
    `UPDATED web ~${applied}={"a":1}>{"a":2}`,
    `UPDATED web ~${applied}={"a":2}>{"a":3}`,
  ]);
  await all.end();
  await named.end();
});

test('fault 30: keys such as constructor and __proto__, and a value of 256 KiB', async () => {
  const { pods, story, reported, end } = stage();
  const large = 'v'.repeat(262_000);
  pods.list(web({}));
  await settle();
  pods.change(web(JSON.parse(`{"__proto__":"1","constructor":"2","toString":"3","large":"${large}"}`)));
  await settle();
  assert.equal(story()[0], `UPDATED web +__proto__=1 +constructor=2 +large=${large} +toString=3`);
  assert.equal(reported[0]?.annotations.length, 4);
  await end();
});

test('a report that cannot be reported is tried three times more, later and later, then given up; the others go on', async () => {
  let broken = 0;
  const reported: string[] = [];
  const { clock, pods, failures, end } = stage({
    emit: ({ pod, changes }) => {
      if (pod.metadata.name === 'bad' && broken++ < 4) throw new Error('no');
      reported.push([pod.metadata.name, ...changes.map(shown)].join(' '));
    },
  });
  pods.list(aPod('bad'), aPod('good'));
  await settle();
  pods.change(aPod('bad').withAnnotations({ a: '1' }));
  pods.change(aPod('good').withAnnotations({ a: '1' }));
  await settle();
  assert.deepEqual(reported, ['good +a=1']);
  await clock.advance(5000);
  assert.equal(broken, 4);
  const delays = failures.map(({ retryInMs }) => (retryInMs === undefined ? 'given up' : Math.floor(retryInMs / 100)));
  assert.deepEqual(delays, [1, 2, 4, 'given up']);
  pods.change(aPod('bad').withAnnotations({ a: '2' }));
  await settle();
  assert.deepEqual(reported, ['good +a=1', 'bad ~a=1>2']);
  await end();
});

test('asked to stop, it reports what it had seen and then ends', async () => {
  let ready = Promise.withResolvers<void>();
  const reported: string[] = [];
  const { pods, stop, watcher, running } = stage({
    emit: async ({ pod }) => {
      reported.push(pod.metadata.name);
      await ready.promise;
    },
  });
  pods.list();
  await settle();
  for (const name of ['a', 'b', 'c']) pods.add(aPod(name).withAnnotations({ x: '1' }));
  await settle();
  assert.deepEqual([reported, watcher.waiting], [['a'], 3]);
  stop.abort();
  pods.add(aPod('later').withAnnotations({ x: '1' }));
  ready.resolve();
  ready = Promise.withResolvers<void>();
  ready.resolve();
  await running;
  assert.deepEqual(reported, ['a', 'b', 'c']);
});

test('a burst of changes of one pod is reported as one, against what was reported before', async () => {
  const ready = Promise.withResolvers<void>();
  const reported: string[] = [];
  const { pods, end } = stage({
    emit: async ({ changes }) => {
      reported.push(changes.map(shown).join(' '));
      if (reported.length === 1) await ready.promise;
    },
  });
  pods.list(web({ n: '0' }));
  await settle();
  for (const n of ['1', '2', '3', '4']) pods.change(web({ n }));
  await settle();
  for (const n of ['5', '6']) pods.change(web({ n }));
  ready.resolve();
  await settle();
  assert.deepEqual(reported, ['~n=0>4', '~n=4>6']);
  await end();
});
