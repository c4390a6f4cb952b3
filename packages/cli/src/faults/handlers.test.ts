import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Batch } from '@podtrail/history';
import { ApiError, type HandlerFailure, isObjectDelta, type PodView } from '@podtrail/machinery';
import { FaultStage } from '../testing/fault-stage.ts';
import { FollowedSandbox } from '../testing/followed-sandbox.ts';
import { RecordedSandbox } from '../testing/recorded-sandbox.ts';

test('fault 11: of 50,000 events that come while the store is slow none is dropped, and few of them wait', async (t) => {
  const stage = await FaultStage.start(t, { server: { historyLimit: 100_000 } });
  stage.pod('web', { annotations: { n: '-1' } });
  let open = Promise.withResolvers<void>();
  open.resolve();
  const append = async (batch: Batch, store: (batch: Batch) => Promise<void>) => {
    await open.promise;
    await store(batch);
  };
  // All of them are changes of one pod: without a budget that holds them they would only be counted.
  const changeBudgets = { pod: 1e9, namespace: 1e9 };
  const recorded = await RecordedSandbox.start(stage, { append, changeBudgets });
  const listings = stage.podListings.length;
  open = Promise.withResolvers<void>();
  // Also when something below fails: the recorder ends only when its store does.
  stage.atEnd(async () => open.resolve());
  const total = 50_000;
  let most = 0;
  for (let n = 0; n < total; n++) {
    stage.annotate('web', { n: String(n) });
    if (n % 500 !== 499) continue;
    await stage.clock.advance(5);
    most = Math.max(most, recorded.recorder.status.waitingFacts);
  }
  assert.ok(most >= 10_000, `the store was never behind: ${most} facts`);
  assert.ok(most < 15_000, `${most} facts waited in memory`);
  assert.equal(recorded.recorder.status.current, false, 'and it says that it is behind');
  open.resolve();
  await recorded.current();
  const recordedChanges = (await recorded.changes()).map(({ after }) => Number(after?.text)).sort((a, b) => a - b);
  assert.equal(recordedChanges.length, total + 1);
  assert.deepEqual([recordedChanges[0], recordedChanges.at(-1)], [-1, total - 1]);
  assert.equal(stage.podListings.length, listings, 'no relist');
  assert.equal((await recorded.stretches()).length, 1, 'no gap');
});

test('fault 15: a handler that throws is tried again and counted; another one, the cache and the version go on', async (t) => {
  const stage = await FaultStage.start(t);
  const failures: HandlerFailure<PodView>[] = [];
  const pods = await FollowedSandbox.start(stage, { onHandlerFailure: (failure) => void failures.push(failure) });
  await stage.until('it is listed', () => pods.informer.synced);
  const handled: string[] = [];
  const bad = pods.informer.addHandler({
    name: 'bad',
    onDelta(delta) {
      if (!isObjectDelta(delta)) return;
      const { name } = delta.object.metadata;
      if (name === 'poison' || (name === 'hiccup' && !failures.some(({ delta: failed }) => failed === delta))) {
        throw new Error('no');
      }
      handled.push(name);
    },
  });
  for (const name of ['hiccup', 'poison', 'fine']) stage.pod(name);
  await stage.until('the others are notified', () => pods.story.includes('added fine'));
  assert.deepEqual(pods.names, ['fine', 'hiccup', 'poison']);
  assert.equal(pods.informer.lastVersion, stage.api.resourceVersion);
  await stage.until('the bad one is through', () => bad.waiting === 0);
  assert.deepEqual(handled, ['hiccup', 'fine'], 'tried again in its place in the order; given up after its attempts');
  assert.deepEqual(
    failures.map(({ handler, delta, attempt, givenUp }) => [
      ...[handler, isObjectDelta(delta) && delta.object.metadata.name, attempt, givenUp],
    ]),
    [
      ['bad', 'hiccup', 1, false],
      ['bad', 'poison', 1, false],
      ['bad', 'poison', 2, false],
      ['bad', 'poison', 3, true],
    ],
  );
  assert.equal(bad.failures, 4);
  assert.equal(stage.podWatches.length, 1, 'one watch, from the beginning to the end');
});

test('fault 15: whoever follows the caches of the recorder and throws is reported; the recorder goes on', async (t) => {
  const stage = await FaultStage.start(t);
  const failures: string[] = [];
  const recorded = await RecordedSandbox.start(stage, {
    listener: {
      handlerFailed: (resource, { handler, attempt, givenUp }) =>
        void failures.push(`${resource} ${handler} ${attempt}${givenUp ? ' given up' : ''}`),
    },
  });
  recorded.recorder.caches?.pods.addHandler({
    name: 'bad',
    onDelta(delta) {
      if (isObjectDelta(delta) && delta.object.metadata.name === 'poison') throw new Error('no');
    },
  });
  stage.pod('poison', { ip: '10.0.0.7' });
  await stage.until('it is given up', () => failures.some((text) => text.endsWith('given up')));
  assert.deepEqual(failures.slice(0, 3), ['pods bad 1', 'pods bad 2', 'pods bad 3 given up']);
  await recorded.current();
  assert.equal(await recorded.says('10.0.0.7'), 'held poison');
});

test('fault 30: keys that every object has, and 256 KiB of annotations, come whole from the server into the ledger', async (t) => {
  const stage = await FaultStage.start(t);
  const recorded = await RecordedSandbox.start(stage);
  const client = await stage.connect();
  const names = ['constructor', 'toString', 'hasOwnProperty'];
  const large = 'x'.repeat(256 * 1024 - names.length - names.join('').length - 'large'.length);
  const annotations = { ...Object.fromEntries(names.map((name) => [name, 'v'])), large };
  const create = (given: Record<string, string>) => {
    const spec = { containers: [{ name: 'main', image: 'registry.example/main:1' }] };
    const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web', annotations: given }, spec };
    return answered(stage, client.pods('default').create(pod));
  };
  const refusal = (words: RegExp) => (error: unknown) =>
    error instanceof ApiError && error.status === 422 && words.test(error.message);
  await assert.rejects(create({ ...annotations, large: `${large}x` }), refusal(/more than 262144 bytes/));
  await assert.rejects(create(JSON.parse('{"__proto__":"v"}')), refusal(/must start and end with an alphanumeric/));
  await create(annotations);
  await recorded.current();
  const kept = new Map((await recorded.changes()).map(({ key, after }) => [key, after]));
  assert.deepEqual([...kept.keys()].sort(), [...names, 'large'].sort());
  for (const name of names) assert.equal(kept.get(name)?.text, 'v');
  const { text = '', sha256 = '' } = kept.get('large') ?? {};
  assert.ok(text.length <= 4096 && text.length > 0, `${text.length} characters of it are kept`);
  assert.match(sha256, /^[0-9a-f]{64}$/);
});

test('fault 30: the key __proto__ of a ConfigMap goes to the server and comes back', async (t) => {
  const stage = await FaultStage.start(t);
  const maps = (await stage.connect()).configMaps('default');
  const data = JSON.parse('{"__proto__":"p","constructor":"c"}');
  const read = async () => JSON.stringify(((await answered(stage, maps.get('one'))) as { data?: unknown })['data']);
  await answered(stage, maps.create({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'one' }, data }));
  assert.equal(await read(), JSON.stringify(data));
  const body = JSON.parse('{"data":{"__proto__":"q"}}');
  await answered(stage, maps.patch('one', { kind: 'merge', body }));
  assert.equal(await read(), '{"__proto__":"q","constructor":"c"}');
});

/** Lets time pass while the answer is on its way. */
async function answered<T>(stage: FaultStage, call: Promise<T>): Promise<T> {
  let isHere = false;
  const here = () => {
    isHere = true;
  };
  call.then(here, here);
  await stage.until('there is an answer', () => isHere);
  return await call;
}
