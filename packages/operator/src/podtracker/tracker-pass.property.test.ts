// Any sequence of changes, refusals, lost answers and foreign writes: once the server works again, every selected pod
// and node is listed once, with the right values.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, type PodView, seededRandom } from '@podtrail/machinery';
import { packNode, packPod, packPodEntry } from './packed-entry.ts';
import { sliceView } from './slice-view.ts';
import { Collections, nodeView, podView, Scene } from './testing/tracker-fixture.ts';
import type { Tracked } from './tracked.ts';
import { TrackerPass } from './tracker-pass.ts';

const signal = new AbortController().signal;

for (const seed of [1, 2, 3, 5, 8, 13, 21, 1008, 1010, 1041]) {
  test(`whatever happens between passes and within them, all is listed in the end (seed ${seed})`, async () => {
    await new World(seed).live();
  });
}

class World {
  readonly #random: () => number;
  readonly #scene = new Scene();
  readonly #collections = new Collections();
  readonly #pods = new Map<string, PodView>();
  readonly #seed: number;

  constructor(seed: number) {
    this.#seed = seed;
    this.#random = seededRandom(seed);
  }

  async live(): Promise<void> {
    const { trackers, slices } = this.#collections;
    for (let i = 0; i < 125; i++) this.#scene.nodeViews.set(`n${i}`, nodeView(`n${i}`));
    const tracked = await this.#collections.create('t', {}, this.#scene);
    const pass = new TrackerPass({ clock: this.#scene.clock, trackers, slices });
    for (let round = 0; round < 40; round++) {
      // Sizes around the limits of status and slices, and far from them.
      this.#change(tracked, [0, 60, 85, 99, 101, 130, 320][this.#pick(7)] as number);
      for (let i = this.#pick(4); i > 0; i--) this.#disturb();
      slices.interceptNext('patch', () => this.#change(tracked, this.#pods.size));
      for (let i = this.#pick(3); i > 0; i--) await this.#run(pass, tracked);
      if (this.#chance(0.3)) await this.#foreignWrite();
      if (this.#chance(0.5)) await this.#deliver(tracked);
      if (round % 4 === 3) await this.#settle(pass, tracked, round);
    }
  }

  /** To about this many pods, and some of them otherwise. */
  #change(tracked: Tracked, size: number): void {
    for (const [uid, pod] of this.#pods) {
      if (this.#pods.size <= size && !this.#chance(0.02)) continue;
      this.#pods.delete(uid);
      this.#scene.remove(pod, tracked);
    }
    for (let i = 0; this.#pods.size < size && i < 1_000; i++) this.#put(tracked, this.#pick(100_000));
    for (const pod of [...this.#pods.values()].slice(0, this.#pick(5))) {
      this.#put(tracked, Number(pod.metadata.name.slice(1)));
    }
    const node = `n${this.#pick(130)}`;
    this.#scene.nodeViews.set(node, nodeView(node, `${this.#pick(3)}`));
    tracked.seeNode(node);
  }

  #put(tracked: Tracked, number: number): void {
    const node = this.#chance(0.2) ? 'n0' : `n${this.#pick(130)}`;
    const pod = podView(`p${number}`, { ip: `10.0.0.${this.#pick(250)}`, node });
    this.#pods.set(pod.metadata.uid, pod);
    this.#scene.add(pod, tracked);
  }

  #disturb(): void {
    const client = this.#chance(0.7) ? this.#collections.slices : this.#collections.trackers;
    const verb = (['create', 'patch', 'delete', 'get'] as const)[this.#pick(4)] as
      | 'create'
      | 'patch'
      | 'delete'
      | 'get';
    if (this.#chance(0.3)) client.loseReplyOfNext(verb);
    else {
      const [status, reason] = (
        [
          [500, ''],
          [409, 'Conflict'],
          [404, 'NotFound'],
          [403, 'Forbidden'],
        ] as const
      )[this.#pick(4)] as [number, string];
      // Only a server that lost an object says that it is not there.
      if (status !== 404) client.failNext(verb, new ApiError(status, { reason, message: 'disturbed' }, undefined));
    }
  }

  async #foreignWrite(): Promise<void> {
    const { slices, trackers } = this.#collections;
    const { items } = await slices.list().catch(() => ({ items: [] }));
    const slice = items[this.#pick(items.length)];
    const name = slice?.metadata.name ?? '';
    const [uid] = Object.keys(slice?.entries ?? {});
    const kind = this.#pick(4);
    try {
      if (kind === 0 && slice !== undefined) await slices.delete(name);
      else if (kind === 1 && uid !== undefined)
        await slices.patch(name, { kind: 'merge', body: { entries: { [uid]: { ip: '6.6.6.6' } } } });
      else if (kind === 2 && uid !== undefined && slice?.entries?.[uid] !== undefined) {
        const labels = { 'podtrail.dev/tracker': 't', 'podtrail.dev/holds': 'pods' };
        await slices.create({
          metadata: { name: `stray-${this.#pick(1e9)}`, labels },
          entries: { [uid]: slice.entries[uid] },
        });
      } else
        await trackers.patch('t', { kind: 'merge', body: { metadata: { labels: { foreign: `${this.#pick(9)}` } } } });
    } catch {
      // Disturbed itself.
    }
  }

  /** What the informer would deliver: everything that is there, and what is not there any more. */
  async #deliver(tracked: Tracked): Promise<void> {
    const { items } = await this.#collections.slices.list();
    const there = new Set(items.map(({ metadata }) => metadata.uid));
    for (const book of [tracked.books.pods, tracked.books.nodes]) {
      for (const slice of [...book.slices.values()])
        if (!there.has(slice.metadata.uid)) tracked.loseSlice(slice, false);
    }
    for (const slice of items) tracked.learnSlice(sliceView(slice));
    const tracker = this.#collections.trackers.peek('t');
    if (tracker !== undefined) tracked.learnTracker(tracker);
  }

  async #run(pass: TrackerPass, tracked: Tracked) {
    await this.#scene.clock.advance(60_000);
    return await pass.run(tracked, signal);
  }

  async #settle(pass: TrackerPass, tracked: Tracked, round: number): Promise<void> {
    const where = `seed ${this.#seed}, round ${round}`;
    // Injected faults that nobody met yet are used up on the way.
    for (let i = 0; i < 40; i++) {
      await this.#deliver(tracked).catch(() => {});
      await this.#run(pass, tracked);
    }
    this.#collections.forgetCalls();
    await this.#run(pass, tracked);
    const { items } = await this.#collections.slices.list();
    const status = this.#collections.trackers.peek('t')?.status;
    const listed = [
      ...Object.entries(status?.pods ?? {}),
      ...items.flatMap(({ entries }) => Object.entries(entries ?? {})),
    ];
    const wanted = [...this.#pods].map(([uid, pod]) => [uid, packPod(pod)]);
    assert.deepEqual(listed.map(([uid, entry]) => [uid, packPodEntry(entry)]).sort(), wanted.sort(), where);
    const nodes = [
      ...Object.entries(status?.nodes ?? {}),
      ...items.flatMap((slice) => Object.entries(slice.nodes ?? {})),
    ];
    const hosts = [...new Set([...this.#pods.values()].map(({ spec }) => spec.nodeName))].flatMap((name) => {
      const node = this.#scene.nodeViews.get(name);
      return node === undefined ? [] : [[name, packNode(node)]];
    });
    const packed = nodes.map(([name, { nodeIP, capacity, allocatable }]) => [
      name,
      JSON.stringify({ nodeIP, capacity, allocatable }),
    ]);
    assert.deepEqual(packed.sort(), hosts.sort(), where);
    assert.deepEqual(status?.counts, { pods: wanted.length, nodes: hosts.length, slices: items.length }, where);
    for (const [entries, holds] of [
      [wanted.length, 'entries'],
      [hosts.length, 'nodes'],
    ] as const) {
      const slices = items.filter((slice) => slice[holds] !== undefined).length;
      assert.ok(slices <= 2 * Math.ceil(entries / 100), `${entries} ${holds} in ${slices} slices, ${where}`);
    }
    for (const { metadata, entries = {}, nodes: held = {} } of items) {
      const size = Object.keys(entries).length + Object.keys(held).length;
      assert.ok(size > 0 && size <= 100, `${metadata.name} holds ${size}, ${where}`);
    }
    assert.deepEqual(this.#collections.written, [], `nothing is written when nothing changed, ${where}`);
  }

  #chance(of: number): boolean {
    return this.#random() < of;
  }

  #pick(below: number): number {
    return Math.floor(this.#random() * below);
  }
}
