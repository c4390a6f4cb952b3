// Reports how the footprints of trackers go: to the log, as events on the trackers, and for their status. Decides
// nothing.
import type { EventRecorder } from '@podtrail/machinery';
import type { HourlyNews } from '../footprints/hourly-config-maps.ts';
import type { FootprintReports, FootprintsState } from '../podtracker/footprint-reports.ts';
import { type Log, problemOf } from './log.ts';
import { LogSampler } from './log-sampler.ts';
import type { SweptShards } from './orphaned-shard-sweeper.ts';

export interface FootprintReporterOptions {
  readonly log: Log;
  readonly events: Pick<EventRecorder, 'record'>;
  readonly reports: FootprintReports;
  /** The trackers whose ConfigMaps are there. */
  readonly trackersOf: (namespace: string) => readonly { readonly name: string; readonly uid: string }[];
}

export class FootprintReporter {
  readonly #options: FootprintReporterOptions;
  readonly #failures = new LogSampler();

  constructor(options: FootprintReporterOptions) {
    this.#options = options;
  }

  news(namespace: string, news: HourlyNews): void {
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
        this.#record(namespace, {
          type: 'Warning',
          reason: 'HourGivenUp',
          note: `${namespace}/${news.name} could not be written for hours: what it lacks is in the ledger only`,
        });
        break;
    }
  }

  stored(namespace: string, hadFailed: boolean): void {
    if (hadFailed) this.#options.log.info('the hourly ConfigMaps are written again', { namespace });
    this.#failures.over(namespace);
    this.#report(namespace, { kind: 'working' });
  }

  /** `state`: what to say of it in status; undefined while that is too early. */
  notStored(namespace: string, error: unknown, state: FootprintsState | undefined): void {
    const isKnown = state?.kind === 'failing';
    const times = this.#failures.again(namespace);
    if (times !== undefined) {
      const message = 'the hourly ConfigMaps could not be written; trying again';
      const why = isKnown ? { why: state.message } : {};
      this.#options.log.error(message, { namespace, times, ...why, problem: problemOf(error) });
    }
    if (!isKnown) return;
    this.#report(namespace, state);
    // The event is recorded each time: it counts what repeats, and expires when it is not renewed.
    this.#record(namespace, { type: 'Warning', reason: 'Degraded', note: state.message });
  }

  /** What trackers left behind was looked for. */
  swept({ namespace, ...swept }: SweptShards): void {
    const { log } = this.#options;
    if ('names' in swept) {
      log.info('ConfigMaps of old hours were deleted', { namespace, names: swept.names });
      return;
    }
    const times = this.#failures.again(`left ${namespace}`);
    const message = 'ConfigMaps that a tracker left could not be looked for; trying again in an hour';
    if (times !== undefined) log.warn(message, { namespace, times, problem: problemOf(swept.error) });
  }

  #report(namespace: string, state: FootprintsState): void {
    const { reports, trackersOf } = this.#options;
    const names = trackersOf(namespace).map(({ name }) => name);
    reports.set(namespace, state, names);
  }

  #record(namespace: string, event: Omit<Parameters<EventRecorder['record']>[0], 'regarding'>): void {
    for (const { name, uid } of this.#options.trackersOf(namespace)) {
      const regarding = { apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', name, uid };
      this.#options.events.record({ regarding, action: 'Footprints', ...event });
    }
  }
}
