// Now and then compares the cache with a consistent listing of metadata, because a server's watch cache can lose an
// event and no stream shows it. What differs is read once more, one by one, and corrected.
import { type Clock, sleep } from '../clock.ts';
import type { ObjectCodec } from '../codec/codec.ts';
import { acceptHeader } from '../codec/content-type.ts';
import { metadataCodec } from '../codec/metadata-codec.ts';
import { isNotFound } from '../errors.ts';
import { objectPath } from '../objects/group-version-resource.ts';
import type { Cacheable } from '../objects/kube-object.ts';
import { keyOf, splitKey } from '../objects/object-key.ts';
import { jitter, type Random } from '../random.ts';
import type { Transport } from '../transport/transport.ts';
import type { Collection } from './collection.ts';
import { isContradicted } from './contradiction.ts';
import { listAll } from './paged-listing.ts';
import type { ReflectionTarget } from './reflection-target.ts';
import { isStale } from './version-order.ts';

export interface ConsistencyCheckOptions<T extends Cacheable> extends Collection {
  readonly transport: Transport;
  readonly codec: ObjectCodec<T>;
  readonly target: ReflectionTarget<T>;
  readonly everyMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly onChecked?: ((outcome: CheckOutcome) => void) | undefined;
  /**
   * The listing shows an object as it was before what is held of it: etcd was restored from a backup, since the last
   * comparison that found nothing (wall clock).
   */
  readonly onBroken?: ((since: number | undefined) => void) | undefined;
}

/** What a comparison with a watch that is not open found. */
export interface ComparedAside {
  readonly version: string;
  /** What is not newer than the watch's version is not as it is held. */
  readonly isBroken: boolean;
  /** Held and not listed, UIDs by key: their deletion is still to be delivered. */
  readonly missing: ReadonlyMap<string, string>;
}

export type CheckOutcome =
  | {
      readonly kind: 'compared';
      readonly resourceVersion: string;
      readonly objects: number;
      readonly corrected: number;
    }
  /** Not compared: the watch did not reach the listing's version in time, or a relist made the question moot. */
  | { readonly kind: 'skipped'; readonly why: 'watch-behind' | 'relisted' }
  /** The versions are those of another history: the collection is listed again. */
  | { readonly kind: 'broken'; readonly resourceVersion: string }
  | { readonly kind: 'failed'; readonly error: unknown };

const PAGE_SIZE = 2000;
/** Bookmarks come about once a minute; without one in this time nothing certain can be said. */
const LONGEST_WAIT_FOR_WATCH_MS = 120_000;

interface Running {
  /** Keys that the watch changed since the listing began: the watch knows better. */
  readonly touched: Set<string>;
  isRelisted: boolean;
  listed: string | undefined;
  caughtUp: (() => void) | undefined;
}

export class ConsistencyCheck<T extends Cacheable> {
  readonly #options: ConsistencyCheckOptions<T>;
  #running: Running | undefined;
  #reached: string | undefined;
  /** Wall clock of the last comparison that found nothing, or of the last listing. */
  #agreedAt: number | undefined;

  constructor(options: ConsistencyCheckOptions<T>) {
    this.#options = options;
  }

  start(signal: AbortSignal): void {
    void this.#loop(signal);
  }

  /** The watch changed this object. */
  touched(object: T): void {
    if (this.#running !== undefined) this.#running.touched.add(keyOf(object));
  }

  /** The watch has delivered everything up to this version. */
  reached(version: string): void {
    this.#reached = version;
    const running = this.#running;
    if (running?.listed !== undefined && isStale(running.listed, version)) running.caughtUp?.();
  }

  /** The cache holds a new listing: the watch goes on from its version, which may be lower than before (a rewind). */
  relisted(version: string): void {
    this.#reached = version;
    this.#agreedAt = this.#options.clock.now();
    if (this.#running !== undefined) this.#running.isRelisted = true;
    this.#running?.caughtUp?.();
  }

  async #loop(signal: AbortSignal): Promise<void> {
    const { clock, random, everyMs } = this.#options;
    for (;;) {
      try {
        await sleep(clock, jitter(random, everyMs, 0.1), signal);
      } catch {
        return;
      }
      const outcome = await this.#checkOnce(signal).catch((error): CheckOutcome => ({ kind: 'failed', error }));
      this.#running = undefined;
      if (!signal.aborted) this.#report(outcome);
    }
  }

  #report(outcome: CheckOutcome): void {
    try {
      this.#options.onChecked?.(outcome);
    } catch {
      // A log or a metric that throws must not end the checks.
    }
  }

  /** While no watch is open, so that nothing held changes: does what is listed continue what was delivered up to `known`? */
  async compareAside(known: string, signal: AbortSignal): Promise<ComparedAside> {
    const { version, listing } = await this.#list(signal);
    const held = new Map<string, Cacheable>();
    for (const [key, object] of this.#options.target.held()) held.set(key, object);
    let isBroken = false;
    for (const [key, object] of listing) if (isContradicted(object, held.get(key), known)) isBroken = true;
    const missing = new Map<string, string>();
    for (const [key, { metadata }] of held) if (!listing.has(key)) missing.set(key, metadata.uid ?? '');
    return { version, isBroken, missing };
  }

  async #list(signal: AbortSignal): Promise<{ readonly version: string; readonly listing: Map<string, Cacheable> }> {
    const listing = new Map<string, Cacheable>();
    const version = await listAll(
      {
        transport: this.#options.transport,
        collection: this.#options,
        codec: metadataCodec,
        accept: acceptHeader(metadataCodec, 'list'),
        pageSize: PAGE_SIZE,
        signal,
        onObject: ({ metadata: { name, namespace, uid, resourceVersion } }) => {
          const object = { metadata: { name, namespace, uid, resourceVersion } };
          listing.set(keyOf(object), object);
        },
      },
      () => listing.clear(),
    );
    return { version, listing };
  }

  async #checkOnce(signal: AbortSignal): Promise<CheckOutcome> {
    const running: Running = { touched: new Set(), isRelisted: false, listed: undefined, caughtUp: undefined };
    this.#running = running;
    const before = this.#reached;
    const begunAt = this.#options.clock.now();
    const { version, listing } = await this.#list(signal);
    running.listed = version;
    const reached = await this.#untilReached(running, version, signal);
    if (running.isRelisted) return { kind: 'skipped', why: 'relisted' };
    if (!reached) return { kind: 'skipped', why: 'watch-behind' };
    const suspects = this.#compare(listing, running);
    // What was held before the listing was asked for cannot have been newer than what it shows.
    if (before !== undefined && isStale(before, version) && this.#isUndone(listing, suspects)) {
      this.#options.onBroken?.(this.#agreedAt);
      return { kind: 'broken', resourceVersion: version };
    }
    let corrected = 0;
    for (const key of suspects) {
      // Under a selector an object may exist and no longer match: what the listing lacks is gone from here.
      const truth = this.#hasSelector && !listing.has(key) ? undefined : await this.#read(key, signal);
      if (running.isRelisted) return { kind: 'skipped', why: 'relisted' };
      if (running.touched.has(key)) continue;
      this.#options.target.correct(key, truth);
      corrected++;
    }
    if (corrected === 0) this.#agreedAt = begunAt;
    return { kind: 'compared', resourceVersion: version, objects: listing.size, corrected };
  }

  get #hasSelector(): boolean {
    return this.#options.labelSelector !== undefined || this.#options.fieldSelector !== undefined;
  }

  async #untilReached(running: Running, version: string, signal: AbortSignal): Promise<boolean> {
    if (this.#reached !== undefined && isStale(version, this.#reached)) return true;
    const waited = new AbortController();
    const reached = new Promise<boolean>((resolve) => {
      running.caughtUp = () => resolve(true);
    });
    const tooLong = sleep(
      this.#options.clock,
      LONGEST_WAIT_FOR_WATCH_MS,
      AbortSignal.any([signal, waited.signal]),
    ).then(
      () => false,
      () => false,
    );
    const outcome = await Promise.race([reached, tooLong]);
    waited.abort();
    return outcome;
  }

  #isUndone(listing: ReadonlyMap<string, Cacheable>, suspects: readonly string[]): boolean {
    const wanted = new Set(suspects);
    for (const [key, { metadata }] of this.#options.target.held()) {
      const listed = wanted.has(key) ? listing.get(key)?.metadata : undefined;
      if (listed === undefined || listed.uid !== metadata.uid) continue;
      const isSame = listed.resourceVersion === metadata.resourceVersion;
      if (!isSame && isStale(listed.resourceVersion ?? '', metadata.resourceVersion ?? '')) return true;
    }
    return false;
  }

  #compare(listing: ReadonlyMap<string, Cacheable>, running: Running): string[] {
    const suspects: string[] = [];
    const held = new Set<string>();
    for (const [key, object] of this.#options.target.held()) {
      held.add(key);
      const listed = listing.get(key)?.metadata;
      const same = listed?.uid === object.metadata.uid && listed?.resourceVersion === object.metadata.resourceVersion;
      if (!same && !running.touched.has(key)) suspects.push(key);
    }
    for (const key of listing.keys()) if (!held.has(key) && !running.touched.has(key)) suspects.push(key);
    return suspects;
  }

  async #read(key: string, signal: AbortSignal): Promise<T | undefined> {
    const { namespace, name } = splitKey(key);
    const path = objectPath(this.#options.resource, name, { namespace });
    try {
      const request = { method: 'GET', path, headers: { accept: 'application/json' } } as const;
      const { body } = await this.#options.transport.request(request, { signal });
      return this.#options.codec.fromJson(JSON.parse(body.toString('utf8')));
    } catch (error) {
      if (isNotFound(error)) return undefined;
      throw error;
    }
  }
}
