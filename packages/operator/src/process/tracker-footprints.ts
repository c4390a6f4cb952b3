// Footprints as PodTrackers ask for them: hourly ConfigMaps, one set for each namespace that any tracker names, and a
// JSON line for each pod on request. Follows on every replica, so that a standby knows the hour; writes only in `run`,
// which the leader alone runs.
import { isDeepStrictEqual } from 'node:util';
import {
  type Client,
  type Clock,
  type EventRecorder,
  fencedClient,
  type Informer,
  isObjectDelta,
  type MetadataOnlyView,
  type PodView,
  type Random,
  sleep,
  type Timer,
} from '@podtrail/machinery';
import type { PodTracker } from '../crds/podtracker.ts';
import { configMapNames } from '../footprints/config-map-names.ts';
import { FootprintRounds } from '../footprints/footprint-rounds.ts';
import { HOUR_MS } from '../footprints/hour.ts';
import { HourlyConfigMaps } from '../footprints/hourly-config-maps.ts';
import { jsonLine } from '../json-line.ts';
import { placeOf } from '../podtracker/footprint-places.ts';
import type { FootprintReports } from '../podtracker/footprint-reports.ts';
import { Selection } from '../podtracker/selection.ts';
import { parseAge } from './age.ts';
import { FootprintBackoff, isFailure } from './footprint-backoff.ts';
import { FootprintReporter } from './footprint-reporter.ts';
import { type Log, problemOf } from './log.ts';
import { OrphanedShardSweeper } from './orphaned-shard-sweeper.ts';

export interface TrackerFootprintsOptions {
  readonly client: Pick<Client, 'configMaps' | 'table'>;
  readonly pods: Informer<PodView>;
  readonly namespaces: Informer<MetadataOnlyView>;
  readonly trackers: Informer<PodTracker>;
  readonly clock: Clock;
  readonly random: Random;
  readonly isLeader: () => boolean;
  readonly events: Pick<EventRecorder, 'record'>;
  /** Gets how it goes, for the status of the trackers. */
  readonly reports: FootprintReports;
  readonly log: Log;
  /** Takes footprint lines. */
  readonly write: (lines: string) => Promise<void>;
  readonly intervalMs: number;
  /** The operator's own namespace: where the ConfigMaps of a spec without a namespace are. */
  readonly home: string;
}

/** A tracker that asks for footprints. */
interface Asker {
  readonly name: string;
  readonly uid: string;
  readonly spec: PodTracker['spec'];
  readonly selection: Selection;
  /** Where its ConfigMaps are; undefined if it wants none. */
  readonly namespace: string | undefined;
  readonly retentionMs: number;
  readonly lines: boolean;
}

interface Rounds {
  readonly stop: AbortController;
  readonly ended: Promise<void>;
}

interface Target extends Partial<Rounds> {
  readonly configMaps: Pick<HourlyConfigMaps, 'flush' | 'lookAgain'>;
  readonly backoff: FootprintBackoff;
  /** From now on nothing is written: what is removed with the last tracker must not come back. */
  readonly drop: () => void;
}

const GATHER_MS = 100;

export class TrackerFootprints {
  readonly #options: TrackerFootprintsOptions;
  readonly #askers = new Map<string, Asker>();
  readonly #targets = new Map<string, Target>();
  readonly #lines = new Map<string, Rounds>();
  /** What is being brought to its end. */
  readonly #ending = new Set<Promise<void>>();
  readonly #left: OrphanedShardSweeper;
  readonly #reporter: FootprintReporter;
  #looking: Timer | undefined;
  /** Set while this replica leads. */
  #leading: AbortSignal | undefined;

  constructor(options: TrackerFootprintsOptions) {
    this.#options = options;
    const { client, clock, isLeader, log, events, reports } = options;
    const trackersOf = (namespace: string) => this.#askersOf(namespace);
    this.#reporter = new FootprintReporter({ log, events, reports, trackersOf });
    const fenced = (namespace?: string) => fencedClient(client.configMaps(namespace), isLeader);
    this.#left = new OrphanedShardSweeper({
      ...{ client: { configMaps: fenced, table: client.table.bind(client) }, clock },
      trackers: () => options.trackers.lister,
      home: options.home,
      hasNamespace: (name) => this.#hasNamespace(name),
      onSwept: (swept) => this.#reporter.swept(swept),
      onEmptied: (tracker, namespace) => reports.setEmptied(tracker, namespace),
    });
    options.trackers.addHandler({
      name: 'footprints',
      onDelta: (delta) => {
        if (isObjectDelta(delta)) this.#onTracker(delta.object, delta.kind === 'deleted');
      },
    });
    options.namespaces.addHandler({
      name: 'footprints',
      onDelta: (delta) => {
        if (!isObjectDelta(delta)) return;
        const { object } = delta;
        if (delta.kind === 'added') this.#targets.get(object.metadata.name)?.backoff.hurry();
        const isNews = delta.kind !== 'updated' || !delta.previous.metadata.labels.equals(object.metadata.labels);
        if (isNews && [...this.#askers.values()].some(({ selection }) => selection.dependsOnNamespaceLabels))
          this.#lookSoon();
      },
    });
  }

  /** Writes until the signal aborts, and then once more what has changed since. */
  async run(signal: AbortSignal): Promise<void> {
    const { trackers, namespaces, clock } = this.#options;
    this.#leading = signal;
    this.#settle();
    // What was left before this replica led is looked for at once: hours may have passed.
    await Promise.all([trackers.waitForSync(signal), namespaces.waitForSync(signal)]).catch(() => undefined);
    while (!signal.aborted) {
      await this.#left.sweep(signal);
      await sleep(clock, HOUR_MS, signal).catch(() => undefined);
    }
    const rounds = [...this.#targets.values(), ...this.#lines.values()];
    for (const { stop } of rounds) stop?.abort(signal.reason);
    await Promise.all([...rounds.map(({ ended }) => ended), ...this.#ending]);
  }

  #onTracker(tracker: PodTracker, isGone: boolean): void {
    const { name = '', uid = '', deletionTimestamp } = tracker.metadata;
    this.#clearEmptied(tracker, isGone);
    const known = this.#askers.get(name);
    // Status changes far more often than what was asked for. The generation does not show it: through v1alpha1 a spec may
    // change without it.
    const isSame = known?.uid === uid && deletionTimestamp === undefined && isDeepStrictEqual(known.spec, tracker.spec);
    if (!isGone && isSame) return;
    if (isGone && known?.uid !== uid) return;
    const asker = isGone ? undefined : askerOf(tracker, this.#options.home);
    if (known === undefined && asker === undefined) return;
    if (asker === undefined) this.#askers.delete(name);
    else this.#askers.set(name, asker);
    this.#settle();
    if (asker?.namespace !== undefined) this.#targets.get(asker.namespace)?.configMaps.lookAgain();
  }

  /** What status has forgotten, or is written to again, need not be reported. */
  #clearEmptied({ metadata, spec, status }: PodTracker, isGone: boolean): void {
    const remembered = new Set(status?.configMaps?.map(({ namespace }) => namespace));
    const now = placeOf(spec, this.#options.home)?.namespace;
    this.#options.reports.clearEmptied(metadata.uid ?? '', (namespace) => {
      return isGone || namespace === now || !remembered.has(namespace);
    });
  }

  /** Once for many: at the start every namespace is news. */
  #lookSoon(): void {
    this.#looking ??= this.#options.clock.setTimer(GATHER_MS, () => {
      this.#looking = undefined;
      for (const { configMaps } of this.#targets.values()) configMaps.lookAgain();
    });
  }

  /** Makes and ends what the trackers of now want and no longer want. */
  #settle(): void {
    const wanted = new Set([...this.#askers.values()].flatMap(({ namespace }) => namespace ?? []));
    for (const [namespace, target] of this.#targets) {
      if (wanted.has(namespace)) continue;
      this.#targets.delete(namespace);
      this.#options.reports.forget(namespace);
      target.drop();
      this.#end(target);
    }
    for (const namespace of wanted) {
      if (!this.#targets.has(namespace)) this.#targets.set(namespace, this.#follow(namespace));
    }
    for (const [name, rounds] of this.#lines) {
      if (this.#askers.get(name)?.lines === true) continue;
      this.#lines.delete(name);
      this.#end(rounds);
    }
    if (this.#leading === undefined || this.#leading.aborted) return;
    for (const [namespace, target] of this.#targets) {
      const { configMaps, ended } = target;
      if (ended === undefined) this.#targets.set(namespace, { ...target, ...this.#rounds({ configMaps }) });
    }
    for (const { name, lines } of this.#askers.values()) {
      if (lines && !this.#lines.has(name)) this.#lines.set(name, this.#writeLines(name));
    }
  }

  #end({ stop, ended }: Partial<Rounds>): void {
    stop?.abort();
    if (ended === undefined) return;
    const ending = ended.finally(() => this.#ending.delete(ending));
    this.#ending.add(ending);
  }

  #follow(namespace: string): Target {
    const { client, clock, random, isLeader, pods, intervalMs } = this.#options;
    const backoff = new FootprintBackoff(namespace, clock, intervalMs);
    let dropped = false;
    const hourly = new HourlyConfigMaps({
      configMaps: fencedClient(client.configMaps(namespace), () => isLeader() && !dropped),
      listNames: configMapNames(client, namespace),
      retentionMs: () => longest(this.#askersOf(namespace)),
      owners: () => this.#askersOf(namespace),
      ...{ clock, random },
      onNews: (news) => {
        if (isLeader()) this.#reporter.news(namespace, news);
      },
    });
    const matches = (pod: PodView) => this.#askersOf(namespace).some((asker) => this.#selects(asker, pod));
    const registration = hourly.follow(pods, matches);
    const flush = async (signal?: AbortSignal) => {
      if (dropped || backoff.isWaiting) return { writes: 0, entries: 0 };
      try {
        const report = await hourly.flush(signal);
        if (!dropped) this.#reporter.stored(namespace, backoff.over());
        return report;
      } catch (error) {
        if (!dropped && isFailure(error, signal))
          this.#reporter.notStored(namespace, error, backoff.again(error, this.#hasNamespace(namespace)));
        return { writes: 0, entries: 0 };
      }
    };
    return {
      configMaps: { flush, lookAgain: () => hourly.lookAgain() },
      backoff,
      drop: () => {
        dropped = true;
        registration.remove();
      },
    };
  }

  #askersOf(namespace: string): readonly Asker[] {
    return [...this.#askers.values()].filter((asker) => asker.namespace === namespace);
  }

  #selects({ selection }: Asker, pod: PodView): boolean {
    const { namespace } = pod.metadata;
    return selection.selects(pod, this.#options.namespaces.lister.get(namespace)?.metadata.labels);
  }

  #writeLines(name: string): Rounds {
    const matches = (pod: PodView) => {
      const asker = this.#askers.get(name);
      return asker !== undefined && this.#selects(asker, pod);
    };
    const format = (footprint: object) => jsonLine({ tracker: name, ...footprint });
    const write = async (lines: string) => {
      // A reader that has gone must not end the process.
      await this.#options.write(lines).catch(() => undefined);
    };
    return this.#rounds({ matches, format, write });
  }

  #rounds(
    parts: Pick<ConstructorParameters<typeof FootprintRounds>[0], 'configMaps' | 'matches' | 'format' | 'write'>,
  ): Rounds {
    const { pods, clock, intervalMs, log } = this.#options;
    const stop = new AbortController();
    const rounds = new FootprintRounds({ pods, clock, intervalMs, ...parts });
    const ended = rounds.run(stop.signal).catch((error) => {
      log.error('footprints ended; they begin again with the next leader', { problem: problemOf(error) });
    });
    return { stop, ended };
  }

  #hasNamespace(name: string): boolean {
    return this.#options.namespaces.lister.get(name) !== undefined;
  }
}

/** Where several trackers share ConfigMaps, the one that keeps them longest decides. */
function longest(askers: readonly Asker[]): number {
  const ages = askers.map(({ retentionMs }) => retentionMs);
  return ages.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...ages);
}

/** Undefined if it asks for none, or is being deleted: what is removed with it must not come back. */
function askerOf({ metadata, spec }: PodTracker, home: string): Asker | undefined {
  const { name = '', uid = '' } = metadata;
  const { log: lines = false } = spec.footprints ?? {};
  const { namespace, retention = '' } = placeOf(spec, home) ?? {};
  if (metadata.deletionTimestamp !== undefined || (!lines && namespace === undefined)) return undefined;
  const retentionMs = parseAge(retention) ?? Number.POSITIVE_INFINITY;
  return { name, uid, spec, selection: new Selection(spec), namespace, retentionMs, lines };
}
