// Keeps the ConfigMaps of each hour: which pod was on which node. Follows an informer in memory; only `flush` talks to
// the API, with one write for each shard that changed, and none if nothing did. It may be killed at any time: the next
// one reads the shards of the hour and goes on.
import {
  type Clock,
  type HandlerRegistration,
  type Informer,
  isAlreadyExists,
  isConflict,
  isNotFound,
  isObjectDelta,
  jitter,
  type Lister,
  type PodView,
  type Random,
  type ResourceClient,
  sleep,
  systemClock,
  systemRandom,
} from '@podtrail/machinery';
import type { ListNames } from './config-map-names.ts';
import { HOUR_MS, parseShardName, shardName, startOfHour } from './hour.ts';
import { HourEntries, statesIn } from './pod-hours.ts';
import { deleteExpired } from './retention.ts';
import {
  changesHands,
  newShardObject,
  type Owners,
  readShard,
  SHARD_SELECTOR,
  type StoredShard,
  shardPatch,
} from './shard-objects.ts';
import { planShards, SHARD_LIMIT_BYTES, type ShardWrite } from './shard-plan.ts';

export interface HourlyConfigMapsOptions {
  /** The ConfigMaps of one namespace. */
  readonly configMaps: ResourceClient;
  readonly listNames: ListNames;
  readonly clock?: Clock;
  readonly random?: Random;
  /** Own ConfigMaps of hours that ended longer ago are deleted. Undefined: never. */
  readonly retentionMs?: number | (() => number) | undefined;
  /** The PodTrackers that asked for them, asked at each write. Default: nobody's, also what had been a tracker's. */
  readonly owners?: () => Owners;
  /** Lower it for tests only. */
  readonly limitBytes?: number;
  readonly onNews?: (news: HourlyNews) => void;
}

/** What a person may want to know. */
export type HourlyNews =
  /** An hour got a shard more. */
  | { readonly kind: 'sharded'; readonly name: string }
  | { readonly kind: 'expired'; readonly names: readonly string[] }
  /** Retention could not be done; tried again in the next hour. */
  | { readonly kind: 'not-expired'; readonly error: unknown }
  /** Somebody else's ConfigMap has the name: it is left alone, the next name is taken. */
  | { readonly kind: 'name-taken'; readonly name: string }
  /** An hour could not be written for so long that it was given up. */
  | { readonly kind: 'given-up'; readonly name: string; readonly pods: number };

export interface FlushReport {
  readonly writes: number;
  /** Entries that were new or changed. */
  readonly entries: number;
}

interface Hour {
  readonly entries: HourEntries;
  /** As on the server; undefined until read, and after any write whose outcome is not certain. */
  shards: Map<number, StoredShard> | undefined;
  /** Monotonic; when they were last read. */
  readAt: number;
  /** Indexes whose names are somebody else's. */
  readonly taken: Set<number>;
}

/** Hours that wait to be written; more would be memory without a bound. */
const MOST_WAITING_HOURS = 3;
const MOST_TRIES = 6;
/** The shards of the present hour are read this often: somebody may have deleted or edited one. */
const LOOK_EVERY_MS = 600_000;
const FIRST_PAUSE_MS = 20;
const FIELD_MANAGER = 'podtrail-footprints';

export class HourlyConfigMaps {
  readonly #options: HourlyConfigMapsOptions;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #limit: number;
  readonly #hours = new Map<number, Hour>();
  #pods: { readonly lister: Lister<PodView>; readonly matches: (pod: PodView) => boolean } | undefined;
  #flushing: Promise<unknown> = Promise.resolve();
  /** The hour in which expired ConfigMaps were last looked for. */
  #swept: number | undefined;

  constructor(options: HourlyConfigMapsOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#limit = options.limitBytes ?? SHARD_LIMIT_BYTES;
  }

  /**
   * Takes note of every matching pod from now on; to be called once. The handler is synchronous, so that no change can
   * lie between the cache and what is noted.
   */
  follow(
    pods: Pick<Informer<PodView>, 'addHandler' | 'lister'>,
    matches: (pod: PodView) => boolean = () => true,
  ): HandlerRegistration {
    this.#pods = { lister: pods.lister, matches };
    return pods.addHandler({
      name: 'hourly ConfigMaps',
      onDelta: (delta) => {
        if (!isObjectDelta(delta)) return;
        const { entries } = this.#hourAt(delta.observedAt);
        for (const pod of statesIn(delta)) if (matches(pod)) entries.saw(pod);
      },
    });
  }

  /** What matches may have changed: takes note of every pod in the cache that does now. */
  lookAgain(): void {
    const { entries } = this.#hourAt(this.#clock.now());
    if (this.#pods === undefined) return;
    for (const pod of this.#pods.lister) if (this.#pods.matches(pod)) entries.saw(pod);
  }

  /** Writes what is new. Calls follow one another; a failed one leaves everything to the next. */
  flush(signal?: AbortSignal): Promise<FlushReport> {
    const flushed = this.#flushing.then(() => this.#flush(signal));
    this.#flushing = flushed.catch(() => undefined);
    return flushed;
  }

  async #flush(signal: AbortSignal | undefined): Promise<FlushReport> {
    // An hour in which nothing happens has its ConfigMap too.
    const present = this.#hourAt(this.#clock.now());
    if (this.#clock.monotonic() - present.readAt >= LOOK_EVERY_MS) present.shards = undefined;
    let report: FlushReport = { writes: 0, entries: 0 };
    for (const [start, hour] of [...this.#hours].sort(([a], [b]) => a - b)) {
      const { writes, entries } = await this.#write(hour, signal);
      report = { writes: report.writes + writes, entries: report.entries + entries };
      if (hour !== present && !hour.entries.hasNews) this.#hours.delete(start);
    }
    await this.#sweep(present, signal);
    return report;
  }

  #hourAt(at: number): Hour {
    const start = startOfHour(at);
    const known = this.#hours.get(start);
    if (known !== undefined) return known;
    const hour: Hour = { entries: new HourEntries(at), shards: undefined, readAt: 0, taken: new Set() };
    this.#hours.set(start, hour);
    // What is there when the hour begins was there in it.
    if (this.#pods !== undefined) {
      const { lister, matches } = this.#pods;
      for (const pod of lister) if (matches(pod)) hour.entries.saw(pod);
    }
    this.#giveUpOldest();
    return hour;
  }

  #giveUpOldest(): void {
    if (this.#hours.size <= MOST_WAITING_HOURS) return;
    const oldest = Math.min(...this.#hours.keys());
    const hour = this.#hours.get(oldest);
    this.#hours.delete(oldest);
    const pods = hour?.entries.all.size ?? 0;
    this.#report({ kind: 'given-up', name: shardName(oldest, 0), pods });
  }

  async #write(hour: Hour, signal: AbortSignal | undefined): Promise<FlushReport> {
    const report = { writes: 0, entries: 0 };
    if (hour.shards !== undefined && !hour.entries.hasNews && this.#othersOf(hour.shards).length === 0) return report;
    const attempt = async () => {
      const wanted = await this.#wanted(hour, signal);
      const shards = hour.shards ?? new Map<number, StoredShard>();
      const carryOut = async (write: ShardWrite) => {
        shards.set(write.index, await this.#writeShard(hour, write, shards.get(write.index), signal));
        report.writes++;
        report.entries += write.set.size;
      };
      try {
        for (const write of planShards([...shards.values()], wanted, this.#limit)) await carryOut(write);
        // A tracker that went takes with it what is still its own, though others have entries in it.
        for (const { index } of this.#othersOf(shards)) await carryOut(untouched(index));
      } catch (error) {
        // Whether or not it was carried out: the server knows, and is asked.
        hour.shards = undefined;
        throw error;
      }
    };
    for (let tries = 1, pause = FIRST_PAUSE_MS; ; tries++, pause *= 2) {
      try {
        await attempt();
        return report;
      } catch (error) {
        if (!isConflict(error) && !(error instanceof Outdated)) throw error;
        if (tries >= MOST_TRIES) throw error instanceof Outdated ? error.cause : error;
        await sleep(this.#clock, jitter(this.#random, pause, 0.5), signal);
      }
    }
  }

  /** Those that do not belong to the trackers of now. */
  #othersOf(shards: ReadonlyMap<number, StoredShard>): StoredShard[] {
    const owners = this.#options.owners?.();
    return [...shards.values()].filter((shard) => changesHands(shard, owners));
  }

  /** What is new; everything, where the shards had to be read first. */
  async #wanted(hour: Hour, signal: AbortSignal | undefined): Promise<ReadonlyMap<string, string>> {
    if (hour.shards !== undefined) return hour.entries.takeNews();
    const shards = await this.#read(hour, signal);
    // From here on without a pause: what is seen later is news for the next flush.
    hour.shards = shards;
    hour.readAt = this.#clock.monotonic();
    hour.entries.takeNews();
    return new Map(hour.entries.all);
  }

  async #read(hour: Hour, signal: AbortSignal | undefined): Promise<Map<number, StoredShard>> {
    const { configMaps, listNames } = this.#options;
    const shards = new Map<number, StoredShard>();
    for (const name of await listNames(SHARD_SELECTOR, signal)) {
      if (parseShardName(name)?.start !== hour.entries.start) continue;
      try {
        const shard = readShard(await configMaps.get(name, { signal }));
        if (shard !== undefined) shards.set(shard.index, shard);
      } catch (error) {
        // Deleted since it was named.
        if (!isNotFound(error)) throw error;
      }
    }
    for (const index of hour.taken) {
      if (!shards.has(index)) shards.set(index, placeholder(index));
    }
    return shards;
  }

  async #writeShard(
    hour: Hour,
    write: ShardWrite,
    stored: StoredShard | undefined,
    signal: AbortSignal | undefined,
  ): Promise<StoredShard> {
    const { configMaps } = this.#options;
    const name = shardName(hour.entries.start, write.index);
    const options = { signal, fieldManager: FIELD_MANAGER };
    if (stored === undefined) {
      const object = newShardObject(hour.entries.start, write, this.#options.owners?.());
      const created = await configMaps
        .create(object, options)
        .catch((error) => this.#notCreated(hour, write, error, signal));
      if (write.index > 0) this.#report({ kind: 'sharded', name });
      return readShard(created) ?? placeholder(write.index);
    }
    const patch = { kind: 'merge' as const, body: shardPatch(write, stored, this.#options.owners?.()) };
    const patched = await configMaps.patch(name, patch, options).catch((error) => {
      // Somebody deleted it: the same as somebody having changed it.
      throw isNotFound(error) ? new Outdated(error) : error;
    });
    return readShard(patched) ?? placeholder(write.index);
  }

  /** Either an earlier create of ours came through after all, or the name is somebody else's: the selector decides. */
  async #notCreated(
    hour: Hour,
    { index }: ShardWrite,
    error: unknown,
    signal: AbortSignal | undefined,
  ): Promise<never> {
    if (!isAlreadyExists(error)) throw error;
    const name = shardName(hour.entries.start, index);
    if (!(await this.#options.listNames(SHARD_SELECTOR, signal)).includes(name)) {
      hour.taken.add(index);
      this.#report({ kind: 'name-taken', name });
    }
    throw new Outdated(error);
  }

  /** Once an hour. */
  async #sweep(present: Hour, signal: AbortSignal | undefined): Promise<void> {
    const { retentionMs, configMaps, listNames } = this.#options;
    const { start } = present.entries;
    if (retentionMs === undefined || this.#swept === start) return;
    // Our clock decides what is deleted: only while the server's, by which it stamped this hour's shard, agrees.
    const stamps = [...(present.shards?.values() ?? [])].flatMap(({ createdAt }) => createdAt ?? []);
    if (!stamps.some((at) => at >= start - HOUR_MS && at < start + 2 * HOUR_MS)) return;
    this.#swept = start;
    try {
      const before = this.#clock.now() - (typeof retentionMs === 'function' ? retentionMs() : retentionMs);
      const names = await deleteExpired({ configMaps, listNames, before, signal });
      if (names.length > 0) this.#report({ kind: 'expired', names });
    } catch (error) {
      this.#report({ kind: 'not-expired', error });
    }
  }

  #report(news: HourlyNews): void {
    this.#options.onNews?.(news);
  }
}

/** What we believed of the shards is no longer so: read them again. */
class Outdated extends Error {
  constructor(cause: unknown) {
    super('the shards are not as they were read', { cause });
  }
}

/** A write that changes nothing but whose the shard is. */
function untouched(index: number): ShardWrite {
  return { index, isNew: false, set: new Map(), remove: new Set() };
}

/** Stands for a ConfigMap that is not to be written. */
function placeholder(index: number): StoredShard {
  const unknown = { resourceVersion: '', createdAt: undefined, belongsTo: '', otherOwners: [] };
  return { index, data: new Map(), besides: 0, frozen: true, ...unknown };
}
