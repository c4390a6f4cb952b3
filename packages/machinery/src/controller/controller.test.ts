import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { podCodec } from '../codec/codec.ts';
import type { PodView } from '../codec/pod-view.ts';
import { ApiError, MachineryError } from '../errors.ts';
import { Informer } from '../informer/informer.ts';
import { PODS } from '../objects/group-version-resource.ts';
import { LOW_PRIORITY } from '../queue/ready-order.ts';
import { seededRandom } from '../random.ts';
import { feed } from '../testing/informer-feed.ts';
import { ManualClock, settle } from '../testing/manual-clock.ts';
import type { Transport } from '../transport/transport.ts';
import { Controller, type ControllerOptions, type PassReport, type ReconcileContext } from './controller.ts';
import { DONE, type Outcome, requeueAfter, retry, terminal } from './outcome.ts';

/** The tests feed the informer themselves, in the reflector's place. */
const NO_TRANSPORT = {} as Transport;

function aController(
  reconcile: (key: string, context: ReconcileContext) => unknown,
  options: Partial<ControllerOptions<string>> = {},
) {
  const clock = new ManualClock();
  const reports: PassReport<string>[] = [];
  const passes: string[] = [];
  const metrics: string[] = [];
  const stop = new AbortController();
  const abort = new AbortController();
  const controller = new Controller<string>({
    name: 'test',
    clock,
    random: () => 0,
    reconcile: (key, context) => {
      passes.push(key);
      return reconcile(key, context) as Outcome;
    },
    onFailure: (report) => reports.push(report),
    metrics: {
      reconciled: (kind, seconds) => metrics.push(`${kind} ${seconds}`),
      panicked: () => metrics.push('panic'),
      activeWorkers: (count) => metrics.push(`active ${count}`),
    },
    ...options,
  });
  const start = () => controller.run({ stop: stop.signal, abort: abort.signal });
  return { clock, controller, reports, passes, metrics, stop, abort, start };
}

describe('controller', () => {
  test('keys enqueued before the start are deduplicated and worked on after it', async () => {
    const { controller, passes, stop, start } = aController(() => DONE);
    controller.enqueue('a');
    controller.enqueue('b');
    controller.enqueue('a');
    await settle();
    assert.deepEqual(passes, []);
    assert.equal(controller.queued, 2);
    const ended = start();
    await settle();
    assert.deepEqual(passes, ['a', 'b']);
    stop.abort();
    await ended;
  });

  test('metrics that throw end no worker', async () => {
    const broken = () => {
      throw new Error('no metrics');
    };
    const metrics = { reconciled: broken, panicked: broken, activeWorkers: broken };
    const { controller, passes, stop, start } = aController(() => DONE, { metrics });
    const ended = start();
    controller.enqueue('a');
    await settle();
    controller.enqueue('b');
    await settle();
    assert.deepEqual(passes, ['a', 'b']);
    assert.equal(controller.counts.done, 2);
    stop.abort();
    await ended;
  });

  test('done ends the backoff of a key', async () => {
    const outcomes: Outcome[] = [retry(new Error('1')), retry(new Error('2')), DONE, retry(new Error('3')), DONE];
    const attempts: number[] = [];
    const { clock, controller, reports, stop, start } = aController((_key, context) => {
      attempts.push(context.attempt);
      return outcomes.shift();
    });
    const ended = start();
    controller.enqueue('a');
    await clock.advance(100);
    controller.enqueue('a');
    await clock.advance(100);
    assert.deepEqual(attempts, [0, 1, 2, 0, 1]);
    assert.deepEqual(
      reports.map((r) => r.retryInMs),
      [5, 10, 5],
    );
    assert.deepEqual({ ...controller.counts }, { done: 2, requeue: 0, retry: 3, terminal: 0, aborted: 0, panics: 0 });
    stop.abort();
    await ended;
  });

  test('requeue looks again after its time, without counting a failure', async () => {
    const { clock, controller, passes, reports, stop, start } = aController(() => requeueAfter(1000));
    const ended = start();
    controller.enqueue('a');
    await clock.advance(999);
    assert.equal(passes.length, 1);
    await clock.advance(2001);
    assert.equal(passes.length, 4);
    assert.deepEqual(reports, []);
    assert.equal(controller.counts.requeue, 4);
    stop.abort();
    await ended;
    assert.equal(clock.pending, 0);
  });

  test('a failing key is retried with backoff a number of times and then slowly, for ever', async () => {
    const { clock, controller, reports, stop, start } = aController(() => retry(new Error('no')), {
      maxFastRetries: 3,
      slowRetryMs: 60_000,
    });
    const ended = start();
    controller.enqueue('a');
    await clock.advance(10 * 60_000);
    assert.deepEqual(
      reports.slice(0, 6).map((r) => r.retryInMs),
      [5, 10, 20, 60_000, 60_000, 60_000],
    );
    assert.equal(reports.length, 13);
    stop.abort();
    await ended;
  });

  test('slow retries are jittered, so that keys which failed together come back apart', async () => {
    const { clock, controller, reports, stop, start } = aController(() => retry(new Error('no')), {
      maxFastRetries: 0,
      slowRetryMs: 1000,
      random: seededRandom(3),
    });
    const ended = start();
    for (const key of ['a', 'b', 'c']) controller.enqueue(key);
    await clock.advance(0);
    const delays = reports.map((r) => r.retryInMs ?? 0);
    assert.equal(new Set(delays).size, 3);
    assert.ok(delays.every((ms) => ms >= 1000 && ms < 1200));
    stop.abort();
    await ended;
  });

  test('a terminal failure is recorded and counted, and not retried until the key comes again', async () => {
    let broken = true;
    const error = new MachineryError('bad-spec', 'the spec is wrong');
    const { clock, controller, passes, reports, stop, start } = aController(() => (broken ? terminal(error) : DONE));
    const ended = start();
    controller.enqueue('a');
    await clock.advance(3_600_000);
    assert.equal(passes.length, 1);
    assert.equal(controller.counts.terminal, 1);
    assert.equal(controller.terminalFailures.get('a')?.error, error);
    assert.deepEqual(
      reports.map((r) => [r.error, r.retryInMs, r.bug]),
      [[error, undefined, false]],
    );
    broken = false;
    controller.enqueue('a');
    await clock.advance(0);
    assert.equal(controller.terminalFailures.size, 0);
    stop.abort();
    await ended;
  });

  test('terminal failures are remembered up to a bound, the oldest go first', async () => {
    const { clock, controller, stop, start } = aController(() => terminal(new Error('no')));
    const ended = start();
    for (let i = 0; i < 1001; i++) controller.enqueue(`k${i}`);
    while (controller.queued > 0) await clock.advance(0);
    assert.equal(controller.terminalFailures.size, 1000);
    assert.ok(!controller.terminalFailures.has('k0'));
    stop.abort();
    await ended;
  });

  test('fault 15: a reconciler that throws, in whatever way, is retried and other keys go on', async () => {
    const thrown: Record<string, () => unknown> = {
      error: () => Promise.reject(new Error('broken world')),
      bug: () => (undefined as unknown as { x: { y: 1 } }).x.y,
      text: () => {
        throw 'not even an error';
      },
      nothing: () => undefined,
      nonsense: () => ({ kind: 'requeue', afterMs: Number.NaN }),
    };
    const { clock, controller, passes, reports, metrics, stop, start } = aController((key) =>
      (thrown[key] ?? (() => DONE))(),
    );
    const ended = start();
    for (const key of [...Object.keys(thrown), 'good']) controller.enqueue(key);
    await clock.advance(4);
    assert.equal(passes.length, 6);
    assert.deepEqual(
      reports.map((r) => `${r.key} ${r.bug}`),
      ['error false', 'bug true', 'text true', 'nothing true', 'nonsense true'],
    );
    assert.equal(controller.counts.panics, 4);
    assert.equal(metrics.filter((m) => m === 'panic').length, 4);
    await clock.advance(1);
    assert.equal(passes.length, 11);
    stop.abort();
    await ended;
  });

  test('a log that throws does not stop the worker', async () => {
    const { clock, controller, passes, stop, start } = aController(() => retry(new Error('no')), {
      onFailure: () => {
        throw new Error('log full');
      },
    });
    const ended = start();
    controller.enqueue('a');
    await clock.advance(20);
    assert.ok(passes.length > 1);
    assert.ok(controller.counts.panics > 0);
    stop.abort();
    await ended;
  });

  test('a retry after a refusal with Retry-After waits at least that long', async () => {
    const busy = new ApiError(429, { reason: 'TooManyRequests' }, 7000);
    const { clock, controller, reports, stop, start } = aController(() => Promise.reject(busy));
    const ended = start();
    controller.enqueue('a');
    await clock.advance(0);
    assert.equal(reports[0]?.retryInMs, 7000);
    stop.abort();
    await ended;
  });

  test('as many passes run at once as allowed, and never two over one key', async () => {
    const running = new Set<string>();
    let most = 0;
    const gates: (() => void)[] = [];
    const { clock, controller, passes, metrics, stop, start } = aController(
      async (key) => {
        assert.ok(!running.has(key));
        running.add(key);
        most = Math.max(most, running.size);
        await new Promise<void>((resolve) => gates.push(resolve));
        running.delete(key);
        return DONE;
      },
      { concurrency: 3 },
    );
    const ended = start();
    for (const key of ['a', 'b', 'c', 'd']) controller.enqueue(key);
    await settle();
    assert.deepEqual(controller.inFlight, ['a', 'b', 'c']);
    controller.enqueue('a');
    controller.enqueue('a');
    while (gates.length > 0 || controller.queued > 0) {
      gates.shift()?.();
      await settle();
    }
    assert.deepEqual(passes.toSorted(), ['a', 'a', 'b', 'c', 'd']);
    assert.equal(most, 3);
    assert.ok(metrics.includes('active 3'));
    assert.equal(metrics.at(-1), 'active 0');
    stop.abort();
    await ended;
    assert.equal(clock.pending, 0);
  });

  test('a prioritized controller works on live changes before the initial list', async () => {
    const { controller, passes, stop, start } = aController(() => DONE, { prioritized: true });
    controller.enqueue('listed', { priority: LOW_PRIORITY });
    controller.enqueue('live');
    const ended = start();
    await settle();
    assert.deepEqual(passes, ['live', 'listed']);
    stop.abort();
    await ended;
  });

  test('a pass that takes too long is asked to end, and retried once it has', async () => {
    let ends = 0;
    const { clock, controller, passes, reports, stop, start } = aController(
      (_key, { signal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener('abort', () => {
            ends++;
            reject(signal.reason);
          });
        }),
      { passTimeoutMs: 1000 },
    );
    const ended = start();
    controller.enqueue('a');
    await clock.advance(1000);
    assert.equal(ends, 1);
    assert.ok(reports[0]?.error instanceof MachineryError && reports[0].error.code === 'pass-timeout');
    await clock.advance(5);
    assert.equal(passes.length, 2);
    stop.abort();
    await clock.advance(1000);
    await ended;
  });

  test('a pass that ends in time leaves no timer behind', async () => {
    const { clock, controller, stop, start } = aController(() => DONE, { passTimeoutMs: 1000 });
    const ended = start();
    controller.enqueue('a');
    await settle();
    assert.equal(controller.counts.done, 1);
    assert.equal(clock.pending, 0);
    stop.abort();
    await ended;
  });

  test('on stop no new pass begins, those under way end in peace', async () => {
    const { promise: work, resolve: finish } = Promise.withResolvers<Outcome>();
    const { controller, passes, stop, start, clock } = aController(() => work);
    const ended = start();
    controller.enqueue('a');
    controller.enqueue('b');
    controller.enqueue('later', { afterMs: 1000 });
    await settle();
    stop.abort();
    controller.enqueue('c');
    finish(requeueAfter(10));
    await ended;
    assert.deepEqual(passes, ['a']);
    assert.equal(controller.queued, 1);
    assert.equal(clock.pending, 0);
  });

  test('a pass that throws because it was aborted is no failure of its key', async () => {
    const { controller, reports, stop, abort, start } = aController(
      (_key, { signal }) =>
        new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(new TypeError('aborted')))),
    );
    const ended = start();
    controller.enqueue('a');
    await settle();
    stop.abort();
    abort.abort();
    await ended;
    assert.deepEqual(reports, []);
    assert.equal(controller.counts.aborted, 1);
    assert.equal(controller.counts.panics, 0);
  });

  test('durations are reported in seconds, by outcome', async () => {
    const { clock, controller, metrics, stop, start } = aController(
      () => new Promise((resolve) => clock.setTimer(1500, () => resolve(DONE))),
    );
    const ended = start();
    controller.enqueue('a');
    await clock.advance(1500);
    assert.deepEqual(metrics, ['active 1', 'done 1.5', 'active 0']);
    stop.abort();
    await ended;
  });

  test('a followed informer is a source, and each change asks for a pass over the keys before and after', async () => {
    const { controller, passes, stop, start } = aController(() => DONE);
    const informer = new Informer<PodView>({ transport: NO_TRANSPORT, resource: PODS, codec: podCodec });
    controller.follow(informer, ({ spec }) => (spec.nodeName === '' ? [] : spec.nodeName));
    assert.deepEqual(controller.sources, [informer]);
    const pod = (resourceVersion: string, nodeName: string) =>
      podCodec.fromJson({ metadata: { name: 'web', uid: 'u', resourceVersion }, spec: { nodeName } });
    const listing = feed(informer).beginReplace(false);
    listing.add(pod('1', 'listed'));
    listing.commit({ reason: 'start', resourceVersion: '1', previousVersion: undefined, from: undefined, to: 0 });
    const ended = start();
    await settle();
    assert.deepEqual(passes, ['listed']);
    feed(informer).onEvent('MODIFIED', pod('2', 'moved'));
    await settle();
    assert.deepEqual(passes, ['listed', 'listed', 'moved']);
    feed(informer).onEvent('DELETED', pod('3', ''));
    await settle();
    assert.deepEqual(passes, ['listed', 'listed', 'moved'], 'no key, no pass');
    stop.abort();
    await ended;
  });

  test('what a followed informer lists first waits behind live changes', async () => {
    const { controller, passes, stop, start } = aController(() => DONE, { prioritized: true });
    const informer = new Informer<PodView>({ transport: NO_TRANSPORT, resource: PODS, codec: podCodec });
    controller.follow(informer, ({ metadata }) => [metadata.name, `${metadata.name}-too`]);
    const pod = (name: string, resourceVersion: string) =>
      podCodec.fromJson({ metadata: { name, uid: name, resourceVersion } });
    const listing = feed(informer).beginReplace(false);
    listing.add(pod('listed', '1'));
    listing.commit({ reason: 'start', resourceVersion: '1', previousVersion: undefined, from: undefined, to: 0 });
    feed(informer).onEvent('ADDED', pod('live', '2'));
    await settle();
    const ended = start();
    await settle();
    assert.deepEqual(passes, ['live', 'live-too', 'listed', 'listed-too']);
    stop.abort();
    await ended;
  });

  test('a controller starts once', async () => {
    const { stop, start } = aController(() => DONE);
    const ended = start();
    await assert.rejects(start(), (e) => e instanceof MachineryError && e.code === 'already-started');
    stop.abort();
    await ended;
  });
});
