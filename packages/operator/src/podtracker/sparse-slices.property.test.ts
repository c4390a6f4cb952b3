// Slices that are compacted, as somebody sees them who reads between any two writes: nobody is missing, nobody is
// listed with two values; and what that costs.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Outcome, type PodView, seededRandom } from '@podtrail/machinery';
import type { PodEntry } from '../crds/tracked-entries.ts';
import { packPod, packPodEntry } from './packed-entry.ts';
import { Collections, nodeView, podView, Scene } from './testing/tracker-fixture.ts';
import type { Tracked } from './tracked.ts';
import { TrackerPass } from './tracker-pass.ts';

const { signal } = new AbortController();

/** Looks at everything after each write that was carried out. */
class Reader {
  readonly #collections: Collections;
  /** Listed and still there: nobody may miss them. */
  readonly settled = new Map<string, PodView>();
  doubles = 0;

  constructor(collections: Collections) {
    this.#collections = collections;
  }

  watching<T extends object>(client: T): T {
    return new Proxy(client, {
      get: (target, key) => {
        const method = Reflect.get(target, key, target);
        if (typeof method !== 'function') return method;
        return async (...words: unknown[]) => {
          const answer = await method.apply(target, words);
          await this.#look();
          return answer;
        };
      },
    });
  }

  async listed(): Promise<Map<string, PodEntry[]>> {
    const { items } = await this.#collections.slices.list();
    const status = this.#collections.trackers.peek('t')?.status;
    const found = new Map<string, PodEntry[]>();
    for (const entries of [status?.pods ?? {}, ...items.map((slice) => slice.entries ?? {})]) {
      for (const [uid, entry] of Object.entries(entries)) found.set(uid, [...(found.get(uid) ?? []), entry]);
    }
    return found;
  }

  async #look(): Promise<void> {
    const listed = await this.listed();
    for (const [uid, pod] of this.settled) assert.ok(listed.has(uid), `${pod.metadata.name} is in no slice`);
    for (const [uid, entries] of listed) {
      if (entries.length > 1) this.doubles++;
      const values = new Set(entries.map((entry) => packPodEntry(entry)));
      assert.ok(entries.length <= 2 && values.size === 1, `${uid} is listed ${entries.length} times: ${[...values]}`);
    }
  }
}

for (const seed of [1, 2, 3]) {
  test(`while most pods end and others come, no reader misses anybody; in the end few slices are left (seed ${seed})`, async () => {
    const random = seededRandom(seed);
    const scene = new Scene();
    const collections = new Collections();
    const reader = new Reader(collections);
    const pods = new Map<string, PodView>();
    scene.nodeViews.set('n1', nodeView('n1'));
    let number = 0;
    const put = (tracked?: Tracked, known?: PodView) => {
      const name = known?.metadata.name ?? `p${number++}`;
      const pod = podView(name, { ip: `10.${Math.floor(random() * 250)}.0.1` });
      pods.set(pod.metadata.uid, pod);
      scene.add(pod, ...(tracked === undefined ? [] : [tracked]));
    };
    for (let i = 0; i < 600; i++) put();
    const tracked = await collections.create('t', {}, scene);
    const pass = new TrackerPass({
      ...{ clock: scene.clock, trackers: reader.watching(collections.trackers) },
      slices: reader.watching(collections.slices),
    });
    let outcome: Outcome = await pass.run(tracked, signal);
    const next = async () => {
      const afterMs = outcome.kind === 'requeue' ? outcome.afterMs : 1_000;
      await scene.clock.advance(afterMs);
      outcome = await pass.run(tracked, signal);
      reader.settled.clear();
      for (const [uid, entries] of await reader.listed()) {
        const pod = pods.get(uid);
        if (pod !== undefined && entries.length > 0) reader.settled.set(uid, pod);
      }
    };
    const end = (uid: string) => {
      const pod = pods.get(uid) as PodView;
      pods.delete(uid);
      reader.settled.delete(uid);
      scene.remove(pod, tracked);
    };
    await next();
    let changes = 0;
    collections.forgetCalls();
    for (let round = 0; round < 60; round++) {
      for (const uid of [...pods.keys()]) {
        if (pods.size > 130 && random() < 0.08) {
          end(uid);
          changes++;
        }
      }
      for (let i = Math.floor(random() * 4); i > 0; i--) {
        // Some within a write: the plan was made from what was before.
        const act = () =>
          put(tracked, random() < 0.5 ? [...pods.values()][Math.floor(random() * pods.size)] : undefined);
        if (random() < 0.5) act();
        else collections.slices.interceptNext(random() < 0.5 ? 'patch' : 'delete', act);
        changes++;
      }
      await next();
    }
    // What changed within a write is delivered to the next pass, as the controller would.
    for (let last = 3; last > 0; last = outcome.kind === 'requeue' ? 3 : last - 1) await next();
    const { items } = await collections.slices.list();
    assert.ok(items.length <= 2 * Math.ceil(pods.size / 100), `${pods.size} pods in ${items.length} slices`);
    const listed = await reader.listed();
    assert.equal(listed.size, pods.size);
    for (const [uid, pod] of pods) assert.deepEqual(listed.get(uid)?.map(packPodEntry), [packPod(pod)]);
    assert.ok(reader.doubles > 0, 'something was moved');
    const bytes = collections.slices.calls.reduce((sum, { body }) => sum + JSON.stringify(body ?? '').length, 0);
    assert.ok(bytes / changes < 600, `${Math.round(bytes / changes)} bytes for each change`);
    collections.forgetCalls();
    await next();
    assert.equal(outcome.kind, 'done');
    assert.deepEqual(collections.written, [], 'nothing is written when nothing changed');
  });
}
