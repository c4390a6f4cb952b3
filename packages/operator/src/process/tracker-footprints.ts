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
import { HourlyConfigMaps, type HourlyNews } from '../footprints/hourly-config-maps.ts';
import { placeOf } from '../podtracker/footprint-places.ts';
import type { FootprintReports, FootprintsState } from '../podtracker/footprint-reports.ts';
import { Selection } from '../podtracker/selection.ts';
import { parseAge } from './age.ts';
import { FootprintTrouble, isTrouble } from './footprint-trouble.ts';
import { LeftHours, type SweptHours } from './left-hours.ts';
import { type Log, problemOf } from './log.ts';
import { Thinning } from './thinning.ts';

export interface TrackerFootprintsOptions {
  readonly client: Pick<Client, 'configMaps' | 'table'>;
  readonly pods: Informer<PodView>;
  readonly namespaces: Informer<MetadataOnlyView>;
  readonly trackers: Informer<PodTracker>;
  readonly clock: Clock;
  readonly random: Random;
  readonly isLeader: () => boolean;
  readonly events: Pick<EventRecorder, 'record'>;
  /** Told how it goes, for the status of the trackers. */
  readonly reports: FootprintReports;
  readonly log: Log;
  /** Takes footprint lines. */
  readonly write: (lines: string) => Promise<void>;
  readonly intervalMs: number;
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
  readonly trouble: FootprintTrouble;
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
  readonly #left: LeftHours;
  /** By namespace. */
  readonly #notStored = new Thinning();
  #looking: Timer | undefined;
  /** Set while this replica leads. */
  #leading: AbortSignal | undefined;

  constructor(options: TrackerFootprintsOptions) {
    this.#options = options;
    const { client, clock, isLeader } = options;
    const fenced = (namespace?: string) => fencedClient(client.configMaps(namespace), isLeader);
    this.#left = new LeftHours({
      ...{ client: { configMaps: fenced, table: client.table.bind(client) }, clock },
      trackers: () => options.trackers.lister,
      hasNamespace: (name) => this.#hasNamespace(name),
      onSwept: (swept) => this.#tellSwept(swept),
      onEmptied: (tracker, namespace) => options.reports.setEmptied(tracker, namespace),
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
        if (delta.kind === 'added') this.#targets.get(object.metadata.name)?.trouble.hurry();
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
    // Status changes far more often than what was asked for. The generation does not tell: through v1alpha1 a spec may
    // change without it.
    const isSame = known?.uid === uid && deletionTimestamp === undefined && isDeepStrictEqual(known.spec, tracker.spec);
    if (!isGone && isSame) return;
    if (isGone && known?.uid !== uid) return;
    const asker = isGone ? undefined : askerOf(tracker);
    if (known === undefined && asker === undefined) return;
    if (asker === undefined) this.#askers.delete(name);
    else this.#askers.set(name, asker);
    this.#settle();
    if (asker?.namespace !== undefined) this.#targets.get(asker.namespace)?.configMaps.lookAgain();
  }

  /** What status has forgotten, or is written to again, need not be told of. */
  #clearEmptied({ metadata, spec, status }: PodTracker, isGone: boolean): void {
    const remembered = new Set(status?.configMaps?.map(({ namespace }) => namespace));
    const now = placeOf(spec)?.namespace;
    this.#options.reports.clearEmptied(metadata.uid ?? '', (namespace) => {
      return isGone || namespace === now || !remembered.has(namespace);
    });
  }

  #tellSwept({ namespace, ...swept }: SweptHours): void {
    const { log } = this.#options;
    if ('names' in swept) {
      log.info('ConfigMaps of old hours were deleted', { namespace, names: swept.names });
      return;
    }
    const times = this.#notStored.again(`left ${namespace}`);
    const message = 'ConfigMaps that a tracker left could not be looked for; trying again in an hour';
    if (times !== undefined) log.warn(message, { namespace, times, problem: problemOf(swept.error) });
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
      if (lines && !this.#lines.has(name)) this.#lines.set(name, this.#tellLines(name));
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
    const trouble = new FootprintTrouble(namespace, clock, intervalMs);
    let dropped = false;
    const hourly = new HourlyConfigMaps({
      configMaps: fencedClient(client.configMaps(namespace), () => isLeader() && !dropped),
      listNames: configMapNames(client, namespace),
      retentionMs: () => longest(this.#askersOf(namespace)),
      owners: () => this.#askersOf(namespace),
      ...{ clock, random },
      onNews: (news) => this.#tellNews(namespace, news),
    });
    const matches = (pod: PodView) => this.#askersOf(namespace).some((asker) => this.#selects(asker, pod));
    const registration = hourly.follow(pods, matches);
    const flush = async (signal?: AbortSignal) => {
      if (dropped || trouble.isWaiting) return { writes: 0, entries: 0 };
      try {
        const report = await hourly.flush(signal);
        if (!dropped) this.#tellStored(namespace, trouble);
        return report;
      } catch (error) {
        if (!dropped && isTrouble(error, signal)) this.#tellNotStored(namespace, trouble, error);
        return { writes: 0, entries: 0 };
      }
    };
    return {
      configMaps: { flush, lookAgain: () => hourly.lookAgain() },
      trouble,
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

  #tellLines(name: string): Rounds {
    const matches = (pod: PodView) => {
      const asker = this.#askers.get(name);
      return asker !== undefined && this.#selects(asker, pod);
    };
    const format = (footprint: object) => `${JSON.stringify({ tracker: name, ...footprint })}\n`;
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

  #tellNews(namespace: string, news: HourlyNews): void {
    if (!this.#options.isLeader()) return;
    const { log } = this.#options;
    switch (news.kind) {
      case 'sharded':
        log.info('the hour got another ConfigMap', { namespace, name: news.name });
        this.#record(namespace, {
          type: 'Normal',
          reason: 'ConfigMapSharded',
          note: `The footprints of this hour continue in the ConfigMap ${namespace}/${news.name}`,
        });
        break;
      case 'expired':
        log.info('ConfigMaps of old hours were deleted', { namespace, names: news.names });
        break;
      case 'not-expired': {
        const problem = problemOf(news.error);
        log.warn('ConfigMaps of old hours could not be deleted; trying again in an hour', { namespace, problem });
        break;
      }
      case 'name-taken':
        log.warn('a ConfigMap of that name is not ours; taking the next name', { namespace, name: news.name });
        break;
      case 'given-up':
        log.error('an hour could not be written for so long that it was given up', { namespace, ...news });
        break;
    }
  }

  #tellStored(namespace: string, trouble: FootprintTrouble): void {
    if (trouble.over()) this.#options.log.info('the hourly ConfigMaps are written again', { namespace });
    this.#notStored.over(namespace);
    this.#report(namespace, { kind: 'working' });
  }

  #tellNotStored(namespace: string, trouble: FootprintTrouble, error: unknown): void {
    const state = trouble.again(error, this.#hasNamespace(namespace));
    const isKnown = state?.kind === 'failing';
    const times = this.#notStored.again(namespace);
    if (times !== undefined) {
      const message = 'the hourly ConfigMaps could not be written; trying again';
      const why = isKnown ? { why: state.message } : {};
      this.#options.log.error(message, { namespace, times, ...why, problem: problemOf(error) });
    }
    if (!isKnown) return;
    this.#report(namespace, state);
    // The event is told each time: it counts what repeats, and goes when nobody renews it.
    this.#record(namespace, { type: 'Warning', reason: 'Degraded', note: state.message });
  }

  #report(namespace: string, state: FootprintsState): void {
    const names = this.#askersOf(namespace).map(({ name }) => name);
    this.#options.reports.set(namespace, state, names);
  }

  #hasNamespace(name: string): boolean {
    return this.#options.namespaces.lister.get(name) !== undefined;
  }

  #record(namespace: string, event: Omit<Parameters<EventRecorder['record']>[0], 'regarding'>): void {
    for (const { name, uid } of this.#askersOf(namespace)) {
      const regarding = { apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', name, uid };
      this.#options.events.record({ regarding, action: 'Footprints', ...event });
    }
  }
}

/** Where several trackers share ConfigMaps, the one that keeps them longest decides. */
function longest(askers: readonly Asker[]): number {
  const ages = askers.map(({ retentionMs }) => retentionMs);
  return ages.length === 0 ? Number.POSITIVE_INFINITY : Math.max(...ages);
}

/** Undefined if it asks for none, or is being deleted: what is removed with it must not come back. */
function askerOf({ metadata, spec }: PodTracker): Asker | undefined {
  const { name = '', uid = '' } = metadata;
  const { log: lines = false } = spec.footprints ?? {};
  const { namespace, retention = '' } = placeOf(spec) ?? {};
  if (metadata.deletionTimestamp !== undefined || (!lines && namespace === undefined)) return undefined;
  const retentionMs = parseAge(retention) ?? Number.POSITIVE_INFINITY;
  return { name, uid, spec, selection: new Selection(spec), namespace, retentionMs, lines };
}
