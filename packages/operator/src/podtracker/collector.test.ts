import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, type ObjectMeta } from '@podtrail/machinery';
import { ManualClock, MemoryResourceClient } from '@podtrail/machinery/testing';
import type { PodTracker } from '../crds/podtracker.ts';
import type { PodTrackerSlice } from '../crds/podtracker-slice.ts';
import { Collector } from './collector.ts';
import { type SliceView, sliceView } from './slice-view.ts';
import { aTracker } from './testing/tracker-fixture.ts';

const { signal } = new AbortController();
const forbidden = new ApiError(403, { reason: 'Forbidden', message: 'no' }, undefined);
const noSuchKind = new ApiError(404, { message: 'the server could not find the requested resource' }, undefined);

/** A server with slices and ConfigMaps, and a collector beside it. */
class Stage {
  readonly clock = new ManualClock();
  readonly trackers = new MemoryResourceClient<PodTracker>({ kind: 'PodTracker' });
  readonly slices = new MemoryResourceClient<PodTrackerSlice>({ kind: 'PodTrackerSlice' });
  readonly configMaps = new MemoryResourceClient({ kind: 'ConfigMap' });
  readonly events: string[] = [];
  readonly namespaces: string[] = [];
  readonly collector = new Collector({
    home: 'podtrail',
    clock: this.clock,
    trackers: this.trackers,
    slices: this.slices,
    configMaps: (namespace) => {
      this.namespaces.push(namespace);
      const list = async () => (await this.configMaps.list()).items.map(({ metadata }) => metadata);
      return { client: this.configMaps, list };
    },
    events: { record: ({ reason, note }) => void this.events.push(`${reason}: ${note}`) },
  });

  async slice(name: string): Promise<SliceView> {
    return sliceView(await this.slices.create({ metadata: { name } } as PodTrackerSlice));
  }

  async configMap(name: string, ...owners: string[]): Promise<void> {
    const ownerReferences = owners.map((uid) => ({
      apiVersion: 'podtrail.dev/v1',
      kind: 'PodTracker',
      name: uid,
      uid,
    }));
    const metadata: ObjectMeta = owners.length === 0 ? { name } : { name, ownerReferences };
    await this.configMaps.create({ metadata });
  }

  /** A tracker with ConfigMaps in `books` was deleted. Its UID is `uid-NAME`. */
  depart(name: string): void {
    const configMaps = { enabled: true, namespace: 'books', retention: '48h' };
    this.collector.note(aTracker(name, { footprints: { log: false, configMaps } }));
  }

  async left(): Promise<string[]> {
    const lists = [await this.slices.list(), await this.configMaps.list()];
    return lists.flatMap(({ items }) => items.map(({ metadata }) => metadata.name ?? ''));
  }
}

test('slices of a tracker that the server does not have are removed, however many', async () => {
  const stage = new Stage();
  const slices: SliceView[] = [];
  for (let i = 0; i < 50; i++) slices.push(await stage.slice(`t-${i}`));
  await stage.collector.collect('t', slices, signal);
  assert.deepEqual(await stage.left(), []);
});

test('where the server has a tracker of that name, its slices stay: it adopts them', async () => {
  const stage = new Stage();
  await stage.trackers.create({ ...aTracker('t'), metadata: { name: 't' } });
  await stage.collector.collect('t', [await stage.slice('t-0')], signal);
  assert.deepEqual(await stage.left(), ['t-0']);
});

test('a slice that was written since it was seen stays, and that is reported', async () => {
  const stage = new Stage();
  const slice = await stage.slice('t-0');
  await stage.slices.patch('t-0', { kind: 'merge', body: { metadata: { labels: { a: 'b' } } } });
  await assert.rejects(stage.collector.collect('t', [slice], signal), { status: 409 });
  assert.deepEqual(await stage.left(), ['t-0']);
});

test('fault 25: where the definitions are gone, and slices with them, ConfigMaps are still removed', async () => {
  const stage = new Stage();
  const slice = await stage.slice('t-0');
  await stage.configMap('hour', 'uid-t');
  stage.depart('t');
  stage.trackers.failNext('get', noSuchKind);
  stage.slices.failNext('delete', noSuchKind);
  await stage.collector.collect('t', [slice], signal);
  assert.equal(stage.configMaps.peek('hour'), undefined);
  assert.deepEqual(stage.namespaces, ['books']);
});

test("of a tracker that named no namespace they are removed from the operator's own", async () => {
  const stage = new Stage();
  await stage.configMap('hour', 'uid-t');
  stage.collector.note(aTracker('t', { footprints: { log: false, configMaps: { enabled: true } } }));
  await stage.collector.collect('t', [], signal);
  assert.deepEqual([await stage.left(), stage.namespaces], [[], ['podtrail']]);
});

test('only ConfigMaps that deleted trackers alone own are removed', async () => {
  const stage = new Stage();
  await stage.configMap('its own', 'uid-t');
  await stage.configMap('of its successor', 'uid-t-new');
  await stage.configMap('shared', 'uid-t', 'uid-other');
  await stage.configMap('of nobody');
  stage.depart('t');
  await stage.collector.collect('t', [], signal);
  assert.deepEqual(await stage.left(), ['of its successor', 'shared', 'of nobody']);
});

test('what two trackers shared goes with the second of them', async () => {
  const stage = new Stage();
  await stage.configMap('shared', 'uid-a', 'uid-b');
  stage.depart('a');
  await stage.collector.collect('a', [], signal);
  assert.deepEqual(await stage.left(), ['shared']);
  stage.depart('b');
  await stage.collector.collect('b', [], signal);
  assert.deepEqual(await stage.left(), []);
});

test('what is refused for slices does not keep ConfigMaps, and is reported so that it is tried again', async () => {
  const stage = new Stage();
  const slice = await stage.slice('t-0');
  await stage.configMap('hour', 'uid-t');
  stage.depart('t');
  stage.slices.failNext('delete', forbidden);
  await assert.rejects(stage.collector.collect('t', [slice], signal), { status: 403 });
  assert.deepEqual(await stage.left(), ['t-0']);
});

test('what cannot be removed within a minute is left to the garbage collector, and that is reported once', async () => {
  const stage = new Stage();
  await stage.configMap('hour', 'uid-t');
  stage.depart('t');
  stage.configMaps.failNext('delete', forbidden);
  await assert.rejects(stage.collector.collect('t', [], signal), { status: 403 });
  assert.deepEqual(stage.events, []);
  await stage.clock.advance(60_001);
  await stage.collector.collect('t', [], signal);
  await stage.collector.collect('t', [], signal);
  assert.deepEqual(stage.events, ['CleanupIncomplete: Its ConfigMaps in books are left to the garbage collector: no']);
  assert.deepEqual(await stage.left(), ['hour']);
});

test('a standby that leads an hour later says nothing of what others have done, and asks for nothing', async () => {
  const stage = new Stage();
  stage.depart('t');
  await stage.clock.advance(3_600_000);
  await stage.collector.collect('t', [], signal);
  assert.deepEqual([stage.events, stage.namespaces], [[], []]);
});

test('for a tracker that had no ConfigMaps, and in the name of another one, none are asked for', async () => {
  const stage = new Stage();
  stage.collector.note(aTracker('small'));
  stage.depart('t');
  await stage.collector.collect('small', [], signal);
  assert.deepEqual(stage.namespaces, []);
});

test('what is remembered is bounded: a tracker that went minutes ago is forgotten when the next one goes', async () => {
  const stage = new Stage();
  await stage.configMap('shared', 'uid-a', 'uid-b');
  stage.depart('a');
  await stage.clock.advance(120_001);
  stage.depart('b');
  await stage.collector.collect('b', [], signal);
  assert.deepEqual(await stage.left(), ['shared'], 'the garbage collector takes it');
});

test('after a restore of etcd nothing counts as deleted', async () => {
  const stage = new Stage();
  await stage.configMap('hour', 'uid-t');
  stage.depart('t');
  stage.collector.forget();
  await stage.collector.collect('t', [], signal);
  assert.deepEqual(stage.namespaces, []);
  assert.deepEqual(await stage.left(), ['hour']);
});
