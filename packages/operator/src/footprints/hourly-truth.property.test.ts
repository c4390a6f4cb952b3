// Invariant 13 in the small: whatever pods do, however the hours fall, whoever else writes and however often the process
// is started again, the union of an hour's shards is which pod was on which node in that hour.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, ConnectionError, type KubeObject, type Random, seededRandom } from '@podtrail/machinery';
import { aPod, ManualClock, MemoryResourceClient } from '@podtrail/machinery/testing';
import { HOUR_MS, parseShardName, startOfHour } from './hour.ts';
import { HourlyConfigMaps } from './hourly-config-maps.ts';
import { readShard } from './shard-objects.ts';
import { NEW_SHARD_BYTES, type Shard, shardBytes, unionOf } from './shard-plan.ts';
import { FedInformer } from './testing/fed-informer.ts';

const SEED = Number(process.env['PODTRAIL_SEED'] ?? 20261115);
const RUNS = 40;
const STEPS = 160;
const LIMIT = NEW_SHARD_BYTES + 150;
/** What somebody else adds to a full shard is not ours to prevent. */
const MEDDLED_BYTES = 64;
const CONFLICT = new ApiError(409, { reason: 'Conflict', message: 'somebody was faster' }, undefined);

interface Life {
  readonly name: string;
  readonly uid: string;
  node: string;
  ended: boolean;
}

class World {
  readonly clock = new ManualClock(Date.UTC(2026, 10, 15, 10, 30));
  readonly server = new MemoryResourceClient({ now: () => this.clock.now() });
  readonly lives = new Map<string, Life>();
  /** By hour, by key: the last node. */
  readonly truth = new Map<number, Map<string, string>>();
  readonly #random: Random;
  #process: { readonly pods: FedInformer; readonly hourly: HourlyConfigMaps };
  #uids = 0;

  constructor(random: Random) {
    this.#random = random;
    this.#process = this.#start();
  }

  async step(): Promise<void> {
    const roll = this.#random();
    if (roll < 0.3) this.#come();
    else if (roll < 0.5) this.#schedule();
    else if (roll < 0.6) this.#end();
    else if (roll < 0.7) this.#go();
    else if (roll < 0.8) await this.#pass(this.#random() < 0.3 ? HOUR_MS * this.#random() : 60_000);
    else if (roll < 0.93) await this.flush();
    else if (roll < 0.97) await this.#meddle();
    else {
      // In order, as SIGTERM does it: with a last flush.
      await this.flushAll();
      this.#process = this.#start();
    }
  }

  /** Some of the writes fail, some succeed without anybody hearing of it: the next flush makes it good. */
  async flush(): Promise<boolean> {
    const verb = this.#random() < 0.5 ? 'create' : 'patch';
    if (this.#random() < 0.1) this.server.loseReplyOfNext(verb);
    if (this.#random() < 0.1) this.server.failNext(verb, CONFLICT);
    return await this.#flush();
  }

  /** Until it is in; what was injected earlier and not met yet may still come up. */
  async flushAll(): Promise<void> {
    while (!(await this.#flush()));
  }

  async #flush(): Promise<boolean> {
    const flushed = this.#process.hourly.flush().then(
      () => true,
      (error) => {
        assert.ok(error instanceof ConnectionError, String(error));
        return false;
      },
    );
    let over = false;
    void flushed.finally(() => (over = true));
    // Only the pause after a conflict waits for the clock, some milliseconds.
    while (!over) await this.clock.advance(100);
    return await flushed;
  }

  async unions(): Promise<Map<number, Map<string, string>>> {
    const shards = new Map<number, Shard[]>();
    for (const object of (await this.server.list()).items) {
      const { start } = parseShardName(object.metadata.name ?? '') ?? { start: -1 };
      const shard = readShard(object);
      assert.ok(shard !== undefined && shardBytes(shard) <= LIMIT + MEDDLED_BYTES);
      shards.set(start, [...(shards.get(start) ?? []), shard]);
    }
    return new Map([...shards].map(([start, of]) => [start, unionOf(of)]));
  }

  #start() {
    const pods = new FedInformer(this.clock);
    const hourly = new HourlyConfigMaps({
      configMaps: this.server,
      listNames: async () => (await this.server.list()).items.map(({ metadata }) => metadata.name ?? ''),
      clock: this.clock,
      random: this.#random,
      limitBytes: LIMIT,
    });
    hourly.follow(pods);
    pods.list(...[...this.lives.values()].map(podOf));
    return { pods, hourly };
  }

  #come(): void {
    const name = `pod-${Math.floor(this.#random() * 60)}`;
    if (this.lives.has(name)) return;
    const life: Life = { name, uid: `uid-${this.#uids++}`, node: '', ended: false };
    this.lives.set(name, life);
    this.#process.pods.add(podOf(life));
  }

  #schedule(): void {
    const life = this.#pick(({ node }) => node === '');
    if (life === undefined) return;
    life.node = `n${'o'.repeat(Math.floor(this.#random() * 60))}${Math.floor(this.#random() * 9)}`;
    this.#process.pods.change(podOf(life));
    this.#note(life);
  }

  #end(): void {
    const life = this.#pick(({ node, ended }) => node !== '' && !ended);
    if (life === undefined) return;
    life.ended = true;
    this.#process.pods.change(podOf(life));
  }

  #go(): void {
    const life = this.#pick(() => true);
    if (life === undefined) return;
    this.lives.delete(life.name);
    this.#process.pods.delete(podOf(life));
  }

  async #pass(ms: number): Promise<void> {
    const before = startOfHour(this.clock.now());
    await this.clock.advance(ms);
    // The process looks at the hour with every round, far more often than hours pass.
    if (startOfHour(this.clock.now()) !== before) await this.flush();
    for (const life of this.lives.values()) if (life.node !== '' && !life.ended) this.#note(life);
  }

  /** Somebody writes into a shard. */
  async #meddle(): Promise<void> {
    const { items } = await this.server.list();
    const object: KubeObject | undefined = items[Math.floor(this.#random() * items.length)];
    if (object === undefined) return;
    const annotations = { touched: String(this.#random()) };
    const patch = { kind: 'merge', body: { metadata: { annotations } } } as const;
    // What was injected may hit this one.
    await this.server.patch(object.metadata.name ?? '', patch).catch(() => undefined);
  }

  #pick(where: (life: Life) => boolean): Life | undefined {
    const found = [...this.lives.values()].filter(where);
    return found[Math.floor(this.#random() * found.length)];
  }

  #note({ name, node }: Life): void {
    const start = startOfHour(this.clock.now());
    const hour = this.truth.get(start) ?? new Map<string, string>();
    this.truth.set(start, hour.set(`shop_${name}`, node));
  }
}

function podOf({ name, uid, node, ended }: Life) {
  const pod = aPod(name).inNamespace('shop').withUid(uid);
  if (node !== '') pod.onNode(node);
  return pod.inPhase(ended ? 'Succeeded' : 'Running');
}

test('Invariant: the union of the shards of an hour is which pod was on which node in that hour', async () => {
  console.log(`hours: seed ${SEED}`);
  let hours = 0;
  let shards = 0;
  for (let run = 0; run < RUNS; run++) {
    const world = new World(seededRandom(SEED + run));
    for (let i = 0; i < STEPS; i++) await world.step();
    await world.flushAll();
    const unions = await world.unions();
    assert.deepEqual(sorted(unions), sorted(world.truth), `run ${run}`);
    hours += unions.size;
    shards += (await world.server.list()).items.length;
  }
  assert.ok(hours > 2 * RUNS && shards > 1.2 * hours, `${hours} hours, ${shards} shards`);
});

function sorted(hours: ReadonlyMap<number, ReadonlyMap<string, string>>) {
  return [...hours]
    .filter(([, entries]) => entries.size > 0)
    .sort(([a], [b]) => a - b)
    .map(([start, entries]) => [new Date(start).toISOString(), [...entries].sort()]);
}
