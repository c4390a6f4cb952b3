import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, ConnectionError, type KubeObject, seededRandom } from '@podtrail/machinery';
import { aPod, ManualClock, MemoryResourceClient } from '@podtrail/machinery/testing';
import { HourlyConfigMaps, type HourlyConfigMapsOptions, type HourlyNews } from './hourly-config-maps.ts';
import { NEW_SHARD_BYTES } from './shard-plan.ts';
import { FedInformer } from './testing/fed-informer.ts';

const TEN = Date.UTC(2026, 10, 15, 10);
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const OURS = { app: 'pod-ashiato', type: 'pod-node-mapping', 'app.kubernetes.io/managed-by': 'podtrail' };

/** A collection of ConfigMaps as the server has them, and what a podtrail beside it does. */
class Stage {
  readonly clock: ManualClock;
  readonly server: MemoryResourceClient;
  readonly news: HourlyNews[] = [];

  constructor(at = TEN) {
    this.clock = new ManualClock(at);
    this.server = new MemoryResourceClient({ apiVersion: 'v1', kind: 'ConfigMap', now: () => this.clock.now() });
  }

  /** A process of its own: nothing but the server is shared with the one before. */
  process(options: Partial<HourlyConfigMapsOptions> = {}) {
    const pods = new FedInformer(this.clock);
    const hourly = new HourlyConfigMaps({
      configMaps: this.server,
      listNames: (selector) => this.names(selector),
      clock: this.clock,
      random: seededRandom(1),
      onNews: (news) => void this.news.push(news),
      ...options,
    });
    hourly.follow(pods, (pod) => !pod.metadata.name.startsWith('other-'));
    return { pods, hourly };
  }

  async names(selector: string): Promise<string[]> {
    const wanted = selector.split(',').map((part) => part.split('='));
    const { items } = await this.server.list();
    const matching = items.filter(({ metadata }) => wanted.every(([k = '', v]) => metadata.labels?.[k] === v));
    return matching.map(({ metadata }) => metadata.name ?? '');
  }

  data(name: string): Record<string, string> | undefined {
    return this.server.peek(name)?.['data'] as Record<string, string> | undefined;
  }

  /** What was asked of the server since the last call of this, but listings. */
  calls(): string[] {
    const calls = this.server.calls.filter(({ verb }) => verb !== 'list').map(({ verb, name }) => `${verb} ${name}`);
    this.server.calls.length = 0;
    return calls;
  }

  async seed(name: string, data: Record<string, string>, labels: Record<string, string> = OURS, more = {}) {
    await this.server.create({ metadata: { name, labels }, data, ...more } as KubeObject);
    this.server.calls.length = 0;
  }
}

const on = (name: string, node: string) => aPod(name).inNamespace('shop').onNode(node);

test('one ConfigMap for the hour, with its labels and one entry for each pod on a node', async () => {
  const stage = new Stage();
  const { pods, hourly } = stage.process();
  pods.list(on('a', 'n1'), on('b', 'n2'), aPod('waiting'), on('other-x', 'n1'));
  assert.deepEqual(await hourly.flush(), { writes: 1, entries: 2 });
  assert.deepEqual(stage.server.peek('pod-ashiato-2026111510')?.metadata.labels, OURS);
  assert.deepEqual(stage.data('pod-ashiato-2026111510'), { shop_a: 'n1', shop_b: 'n2' });
  assert.deepEqual(stage.calls(), ['create pod-ashiato-2026111510']);
});

test('a flush without news asks nothing; one with news patches only what changed, as it was read', async () => {
  const stage = new Stage();
  const { pods, hourly } = stage.process();
  pods.list(on('a', 'n1'), on('b', 'n2'));
  await hourly.flush();
  stage.calls();
  pods.change(on('a', 'n1').withAnnotations({ noise: '1' }));
  assert.deepEqual(await hourly.flush(), { writes: 0, entries: 0 });
  assert.equal(stage.server.calls.length, 0);
  const version = stage.server.peek('pod-ashiato-2026111510')?.metadata.resourceVersion;
  pods.add(on('c', 'n3'));
  await hourly.flush();
  const [call] = stage.server.calls;
  assert.deepEqual(call?.body, {
    kind: 'merge',
    body: { metadata: { resourceVersion: version }, data: { shop_c: 'n3' } },
  });
  assert.deepEqual(stage.calls(), ['patch pod-ashiato-2026111510']);
});

test('a pod that is gone stays in its hour; one that moved has its last node', async () => {
  const stage = new Stage();
  const { pods, hourly } = stage.process();
  pods.list(on('web-0', 'n1'), on('gone', 'n1'));
  pods.delete(on('gone', 'n1'));
  // Lived between two flushes.
  pods.add(on('short', 'n2'));
  pods.delete(on('short', 'n2'));
  await hourly.flush();
  pods.delete(on('web-0', 'n1'));
  pods.add(on('web-0', 'n2').withUid('another life'));
  await hourly.flush();
  assert.deepEqual(stage.data('pod-ashiato-2026111510'), { 'shop_web-0': 'n2', shop_gone: 'n1', shop_short: 'n2' });
});

test('the hour ends by UTC: the next has what is there and what comes, the last gets what was seen before its end', async () => {
  const stage = new Stage(TEN + 59 * MINUTE);
  const { pods, hourly } = stage.process();
  pods.list(on('stays', 'n1'), on('goes', 'n1'));
  await hourly.flush();
  pods.add(on('late', 'n1'));
  pods.delete(on('goes', 'n1'));
  await stage.clock.advance(MINUTE);
  pods.add(on('early', 'n2'));
  stage.calls();
  await hourly.flush();
  assert.deepEqual(stage.calls(), ['patch pod-ashiato-2026111510', 'create pod-ashiato-2026111511']);
  assert.deepEqual(stage.data('pod-ashiato-2026111510'), { shop_stays: 'n1', shop_goes: 'n1', shop_late: 'n1' });
  assert.deepEqual(stage.data('pod-ashiato-2026111511'), { shop_stays: 'n1', shop_late: 'n1', shop_early: 'n2' });
});

test('a pod that is deleted in the first moment of an hour was there in it; one whose delete nobody saw was not', async () => {
  const stage = new Stage(TEN + 59 * MINUTE);
  const { pods, hourly } = stage.process();
  pods.list(on('a', 'n1'), on('b', 'n1'), on('c', 'n1'));
  await hourly.flush();
  await stage.clock.advance(MINUTE);
  pods.delete(on('a', 'n1'));
  await hourly.flush();
  await stage.clock.advance(HOUR);
  pods.list(on('b', 'n1'));
  await hourly.flush();
  assert.deepEqual(Object.keys(stage.data('pod-ashiato-2026111511') ?? {}).sort(), ['shop_a', 'shop_b', 'shop_c']);
  assert.deepEqual(Object.keys(stage.data('pod-ashiato-2026111512') ?? {}), ['shop_b']);
});

test('a pod whose end is the first that is seen in an hour was there when the hour began', async () => {
  const stage = new Stage(TEN + 59 * MINUTE);
  const { pods, hourly } = stage.process();
  pods.list(on('job', 'n1'));
  await hourly.flush();
  await stage.clock.advance(MINUTE);
  pods.change(on('job', 'n1').inPhase('Succeeded'));
  await hourly.flush();
  assert.deepEqual(stage.data('pod-ashiato-2026111511'), { shop_job: 'n1' });
});

test('a pod that has ended is in the hours in which it ran', async () => {
  const stage = new Stage(TEN);
  const { pods, hourly } = stage.process();
  const ended = (name: string, at: number) => {
    const pod = on(name, 'n1').inPhase('Succeeded');
    const build = pod.build.bind(pod);
    const finishedAt = new Date(at).toISOString();
    pod.build = () => {
      const json = build();
      Object.assign(json['status'] as object, {
        containerStatuses: [{ name: 'c', state: { terminated: { exitCode: 0, finishedAt } } }],
      });
      return json;
    };
    return pod;
  };
  pods.list(ended('yesterday', TEN - 24 * HOUR), ended('just-now', TEN + 1000), on('job', 'n1'));
  pods.change(on('job', 'n1').inPhase('Succeeded'));
  await hourly.flush();
  assert.deepEqual(Object.keys(stage.data('pod-ashiato-2026111510') ?? {}).sort(), ['shop_job', 'shop_just-now']);
  await stage.clock.advance(HOUR);
  await hourly.flush();
  assert.equal(stage.data('pod-ashiato-2026111511'), undefined);
});

test('exact after a restart: what an earlier process stored is kept, whoever is there now or not', async () => {
  const stage = new Stage();
  const first = stage.process();
  first.pods.list(on('a', 'n1'), on('b', 'n1'));
  await first.hourly.flush();
  const second = stage.process();
  second.pods.list(on('b', 'n2'), on('c', 'n3'));
  stage.calls();
  await second.hourly.flush();
  assert.deepEqual(stage.calls(), ['get pod-ashiato-2026111510', 'patch pod-ashiato-2026111510']);
  assert.deepEqual(stage.data('pod-ashiato-2026111510'), { shop_a: 'n1', shop_b: 'n2', shop_c: 'n3' });
  const third = stage.process();
  third.pods.list(on('b', 'n2'), on('c', 'n3'));
  assert.deepEqual(await third.hourly.flush(), { writes: 0, entries: 0 });
});

const LIMIT = { limitBytes: NEW_SHARD_BYTES + 200 };

test('fault 24: an hour that outgrows one ConfigMap goes on in -1, -2, and only shards that changed are written', async () => {
  const stage = new Stage();
  const { pods, hourly } = stage.process(LIMIT);
  const many = Array.from({ length: 20 }, (_, i) => on(`pod-${i}`, 'n1'));
  pods.list(...many);
  await hourly.flush();
  const names = (await stage.names('app=pod-ashiato')).sort();
  assert.ok(names.length > 2 && names.every((name) => /^pod-ashiato-2026111510(-\d+)?$/.test(name)), names.join());
  const union = Object.assign({}, ...names.map((name) => stage.data(name))) as object;
  assert.equal(Object.keys(union).length, 20);
  assert.deepEqual(
    stage.news.map(({ kind }) => kind),
    names.slice(1).map(() => 'sharded'),
  );
  stage.calls();
  const [, , name] = names;
  const key = Object.keys(stage.data(name ?? '') ?? {})[0] ?? '';
  pods.change(on(key.replace('shop_', ''), 'n2'));
  await hourly.flush();
  assert.deepEqual(stage.calls(), [`patch ${name}`]);
  // A restart finds all of them.
  const next = stage.process(LIMIT);
  next.pods.list();
  next.pods.add(on('new', 'n1'));
  await next.hourly.flush();
  const after = Object.assign({}, ...(await stage.names('app=pod-ashiato')).map((n) => stage.data(n))) as object;
  assert.equal(Object.keys(after).length, 21);
});

test('somebody else wrote meanwhile: the shard is read again and nothing of theirs is lost', async () => {
  const stage = new Stage();
  const { pods, hourly } = stage.process();
  pods.list(on('a', 'n1'));
  await hourly.flush();
  await stage.server.patch('pod-ashiato-2026111510', { kind: 'merge', body: { data: { shop_theirs: 'n9' } } });
  pods.add(on('b', 'n1'));
  const flushed = hourly.flush();
  await stage.clock.untilPending();
  await stage.clock.advance(1000);
  await flushed;
  assert.deepEqual(stage.data('pod-ashiato-2026111510'), { shop_a: 'n1', shop_theirs: 'n9', shop_b: 'n1' });
});

test('a shard that was deleted by hand is written again in full', async () => {
  const stage = new Stage();
  const { pods, hourly } = stage.process();
  pods.list(on('a', 'n1'));
  await hourly.flush();
  await stage.server.delete('pod-ashiato-2026111510');
  pods.add(on('b', 'n1'));
  const flushed = hourly.flush();
  await stage.clock.untilPending();
  await stage.clock.advance(1000);
  await flushed;
  assert.deepEqual(stage.data('pod-ashiato-2026111510'), { shop_a: 'n1', shop_b: 'n1' });
});

test('what somebody deleted or edited is put right within ten minutes, though no pod changed; till then nothing is asked', async () => {
  const stage = new Stage();
  const { pods, hourly } = stage.process();
  pods.list(on('a', 'n1'), on('b', 'n1'));
  await hourly.flush();
  await stage.server.patch('pod-ashiato-2026111510', { kind: 'merge', body: { data: { shop_a: null, shop_b: 'no' } } });
  stage.calls();
  await stage.clock.advance(10 * MINUTE - 1);
  await hourly.flush();
  assert.deepEqual(stage.calls(), []);
  await stage.clock.advance(1);
  assert.deepEqual(await hourly.flush(), { writes: 1, entries: 2 });
  assert.deepEqual(stage.data('pod-ashiato-2026111510'), { shop_a: 'n1', shop_b: 'n1' });
  await stage.server.delete('pod-ashiato-2026111510');
  await stage.clock.advance(10 * MINUTE);
  await hourly.flush();
  assert.deepEqual(stage.data('pod-ashiato-2026111510'), { shop_a: 'n1', shop_b: 'n1' });
});

test('fault 23: a storm of conflicts ends the flush after a few tries, and the next one goes on', async () => {
  const stage = new Stage();
  const { pods, hourly } = stage.process();
  pods.list(on('a', 'n1'));
  await hourly.flush();
  pods.add(on('b', 'n1'));
  const conflict = new ApiError(409, { reason: 'Conflict', message: 'somebody was faster' }, undefined);
  stage.server.failNext('patch', conflict, 6);
  stage.calls();
  const flushed = assert.rejects(hourly.flush(), conflict);
  await stage.clock.untilPending();
  await stage.clock.advance(10_000);
  await flushed;
  assert.equal(stage.calls().filter((call) => call.startsWith('patch')).length, 6);
  await hourly.flush();
  assert.deepEqual(stage.data('pod-ashiato-2026111510'), { shop_a: 'n1', shop_b: 'n1' });
});

test('a write whose answer was lost is looked at before anything is written again', async () => {
  const stage = new Stage();
  const { pods, hourly } = stage.process();
  pods.list(on('a', 'n1'));
  stage.server.loseReplyOfNext('create');
  await assert.rejects(hourly.flush(), ConnectionError);
  stage.calls();
  assert.deepEqual(await hourly.flush(), { writes: 0, entries: 0 });
  assert.deepEqual(stage.calls(), ['get pod-ashiato-2026111510']);
});

test('a ConfigMap of that name without our labels is somebody else’s: it is left alone', async () => {
  const stage = new Stage();
  await stage.seed('pod-ashiato-2026111510', { their: 'data' }, {});
  const { pods, hourly } = stage.process();
  pods.list(on('a', 'n1'));
  const flushed = hourly.flush();
  await stage.clock.untilPending();
  await stage.clock.advance(1000);
  await flushed;
  assert.deepEqual(stage.data('pod-ashiato-2026111510'), { their: 'data' });
  assert.deepEqual(stage.data('pod-ashiato-2026111510-1'), { shop_a: 'n1' });
  assert.deepEqual(stage.news[0], { kind: 'name-taken', name: 'pod-ashiato-2026111510' });
});

test('an hour of pod-ashiato itself, without our label, is continued; one that is immutable is not written', async () => {
  const labels = { app: 'pod-ashiato', type: 'pod-node-mapping' };
  const stage = new Stage();
  await stage.seed('pod-ashiato-2026111510', { shop_old: 'n1' }, labels);
  await stage.seed('pod-ashiato-2026111511', { shop_old: 'n1' }, labels, { immutable: true });
  const { pods, hourly } = stage.process();
  pods.list(on('a', 'n1'));
  await hourly.flush();
  assert.deepEqual(stage.data('pod-ashiato-2026111510'), { shop_old: 'n1', shop_a: 'n1' });
  await stage.clock.advance(HOUR);
  await hourly.flush();
  assert.deepEqual(stage.data('pod-ashiato-2026111511-1'), { shop_a: 'n1' });
});

test('fault 30: keys such as __proto__ in a shard are entries like any other', async () => {
  const stage = new Stage();
  const odd = JSON.parse('{"__proto__":"n1","constructor":"n2","toString":"n3"}') as Record<string, string>;
  await stage.seed('pod-ashiato-2026111510', odd);
  const { pods, hourly } = stage.process();
  pods.list(aPod('constructor').inNamespace('toString').onNode('n4'));
  await hourly.flush();
  const data = stage.data('pod-ashiato-2026111510') ?? {};
  assert.deepEqual(Object.entries(data).sort(), [
    ['__proto__', 'n1'],
    ['constructor', 'n2'],
    ['toString', 'n3'],
    ['toString_constructor', 'n4'],
  ]);
});

async function agedStage(): Promise<Stage> {
  const stage = new Stage();
  await stage.seed('pod-ashiato-2026111507', {});
  await stage.seed('pod-ashiato-2026111507-1', {});
  await stage.seed('pod-ashiato-2026111508', {});
  await stage.seed('pod-ashiato-2026111406', {}, { app: 'pod-ashiato', type: 'pod-node-mapping' });
  await stage.seed('keep-me', {});
  return stage;
}

test('retention deletes what we made for hours that ended long enough ago, as it was read, and nothing else', async () => {
  const stage = await agedStage();
  const { pods, hourly } = stage.process({ retentionMs: 2 * HOUR });
  pods.list(on('a', 'n1'));
  await hourly.flush();
  assert.deepEqual(stage.news, [{ kind: 'expired', names: ['pod-ashiato-2026111507', 'pod-ashiato-2026111507-1'] }]);
  const left = ['keep-me', 'pod-ashiato-2026111406', 'pod-ashiato-2026111508', 'pod-ashiato-2026111510'];
  assert.deepEqual((await stage.server.list()).items.map(({ metadata }) => metadata.name).sort(), left);
  stage.calls();
  await stage.clock.advance(HOUR);
  await hourly.flush();
  assert.ok(stage.calls().includes('delete pod-ashiato-2026111508'));
});

test('fault 21: with a clock that is far from the server’s, retention deletes nothing', async () => {
  const stage = await agedStage();
  const { pods, hourly } = stage.process({ retentionMs: 2 * HOUR });
  stage.server.interceptNext('create', (call) => {
    // The server's clock is that of the stage; ours jumps while it stamps.
    assert.equal(call.name, 'pod-ashiato-2027111510');
    stage.clock.jumpWall(-365 * 24 * HOUR);
  });
  stage.clock.jumpWall(365 * 24 * HOUR);
  pods.list(on('a', 'n1'));
  await hourly.flush();
  assert.deepEqual(stage.news, []);
});

test('retention that is refused is reported and does not fail the flush', async () => {
  const stage = await agedStage();
  const { pods, hourly } = stage.process({ retentionMs: 2 * HOUR });
  pods.list(on('a', 'n1'));
  const forbidden = new ApiError(403, { reason: 'Forbidden', message: 'no' }, undefined);
  stage.server.failNext('delete', forbidden);
  assert.deepEqual(await hourly.flush(), { writes: 1, entries: 1 });
  assert.deepEqual(stage.news, [{ kind: 'not-expired', error: forbidden }]);
});

test('while nothing can be written, hours wait; after three the oldest is given up and said', async () => {
  const stage = new Stage();
  const { pods, hourly } = stage.process();
  pods.list(on('a', 'n1'));
  const down = new ConnectionError('refused', 'connection refused');
  stage.server.failNext('create', down, 4);
  for (let i = 0; i < 4; i++) {
    await assert.rejects(hourly.flush(), down);
    if (i < 3) await stage.clock.advance(HOUR);
  }
  assert.deepEqual(stage.news, [{ kind: 'given-up', name: 'pod-ashiato-2026111510', pods: 1 }]);
  await hourly.flush();
  for (const hour of ['11', '12', '13']) assert.deepEqual(stage.data(`pod-ashiato-20261115${hour}`), { shop_a: 'n1' });
});
