// Evidence that was over its budget, as evidence itself: in which namespace something is missing, since when and until
// when. Counts every drop; records a loss once, and again every few hours while it lasts.
import { type EpochMillis, epochMillis, RESTATED_EVERY_MS, type ReportedEvidence, STILL_LOST } from '@podtrail/history';
import { streamEvidence } from './stream-loss.ts';

interface Flood {
  readonly since: EpochMillis;
  until: EpochMillis;
  /** The time of the last record of it; undefined: there is none yet. */
  recorded: EpochMillis | undefined;
}

/** A flood is over when nothing was dropped for so long. */
const CALM_MS = 60_000;
/** With more than these at once, something is missing everywhere. */
const MOST_NAMESPACES = 100;

export class FloodLoss {
  readonly #resource: string;
  /** By namespace; empty: the whole cluster. */
  readonly #floods = new Map<string, Flood>();
  dropped = 0;

  constructor(resource: string) {
    this.#resource = resource;
  }

  get problem(): string | undefined {
    return this.#floods.size === 0 ? undefined : DESCRIPTION;
  }

  /** Something of this namespace is missing now; empty: of the whole cluster. */
  stands(namespace: string): boolean {
    return this.#floods.has(namespace);
  }

  drop(namespace: string, at: EpochMillis): void {
    this.dropped++;
    const isKnown = this.#floods.has(namespace) || this.#floods.size < MOST_NAMESPACES;
    const where = isKnown ? namespace : '';
    const flood = this.#floods.get(where);
    if (flood === undefined) this.#floods.set(where, { since: at, until: at, recorded: undefined });
    else flood.until = at;
  }

  /** What is to be recorded: floods that began, and those that are over. */
  look(at: EpochMillis): ReportedEvidence[] {
    const found: ReportedEvidence[] = [];
    for (const [namespace, flood] of this.#floods) {
      const about = { resource: this.#resource, namespace, message: DESCRIPTION };
      const { since, until, recorded } = flood;
      if (recorded === undefined) {
        found.push(streamEvidence('stream-lost', { ...about, at: since, reason: 'Flooded' }));
        flood.recorded = since;
      } else if (until - recorded >= RESTATED_EVERY_MS) {
        // Not later than the last drop: the end of the flood comes right after that.
        found.push(streamEvidence('stream-lost', { ...about, at: until, reason: STILL_LOST }));
        flood.recorded = until;
      }
      if (at - flood.until < CALM_MS) continue;
      this.#floods.delete(namespace);
      const end = epochMillis(flood.until + 1);
      found.push(streamEvidence('stream-followed', { ...about, message: '', at: end, reason: 'Calm' }));
    }
    return found;
  }
}

const DESCRIPTION = 'there were more than are kept';
