// What a person should know of the store's room before it comes to the worst: a warning from four fifths of the limit on,
// with a forecast; what was removed at the limit; a disk that others fill; changes that were only counted. Each kind is
// reported once an hour at most, with what came together since. `record` and the operator write it to their logs.
import type { RoomKept } from '@podtrail/history';
import type { Clock } from '@podtrail/machinery';
import type { StoredBatch } from './commit-queue.ts';
import type { RecorderListener } from './recorder-listener.ts';

type Fields = Readonly<Record<string, string | number | undefined>>;
export type ReportRoom = (message: string, fields: Fields) => void;

export const WARN_AT = 0.8;
const HOUR_MS = 3_600_000;
const DAY_MS = 86_400_000;
/** How far back growth is measured, and the least that says anything. */
const LOOK_BACK_MS = 6 * HOUR_MS;
const LEAST_MS = 600_000;
/** With less than this free the next thing that is written may not find room: a share of the volume, and a size. */
const LEAST_FREE = 0.03;
const LEAST_FREE_BYTES = 1_073_741_824;

export class RoomReport implements RecorderListener {
  readonly #clock: Clock;
  readonly #report: ReportRoom;
  readonly #reportedAt = new Map<string, number>();
  #samples: { readonly at: number; readonly bytes: number }[] = [];
  #removedChanges = 0;
  #removedOfCauses = 0;
  #removedRecords = 0;
  #suppressed = new Map<string, string>();

  constructor(clock: Clock, report: ReportRoom) {
    this.#clock = clock;
    this.#report = report;
  }

  stored({ batch }: StoredBatch): void {
    for (const fact of batch.facts) {
      if (fact.kind !== 'change' || fact.change.suppressed === undefined) continue;
      const { uid, namespace, name } = fact.change.pod;
      this.#suppressed.set(uid, `${namespace}/${name}`);
    }
  }

  roomKept(kept: RoomKept): void {
    const { bytes, limitBytes, volume, ballastBytes } = kept;
    this.#sample(bytes);
    for (const [kind, removed] of Object.entries(kept.removedOfKinds)) {
      if (kind === 'change') this.#removedChanges += removed;
      else this.#removedOfCauses += removed;
    }
    this.#removedRecords += kept.removedRecords;
    if (limitBytes !== undefined) {
      const fields = { bytes, limitBytes };
      if (this.#removedChanges > 0 && this.#isDue('changes')) {
        const message = 'the store is close to its limit: its oldest annotation changes were removed';
        this.#report(message, { ...fields, removed: this.#removedChanges });
        this.#removedChanges = 0;
      }
      if (this.#removedOfCauses > 0 && this.#isDue('causes')) {
        const message = 'the store is close to its limit: the oldest evidence for causes was removed';
        this.#report(message, { ...fields, removed: this.#removedOfCauses });
        this.#removedOfCauses = 0;
      }
      if (this.#removedRecords > 0 && this.#isDue('records')) {
        const message = 'the store reached its limit: its oldest records were removed, answers about them are unknown';
        this.#report(message, { ...fields, removed: this.#removedRecords });
        this.#removedRecords = 0;
      }
      if (bytes >= limitBytes * WARN_AT && this.#isDue('limit')) {
        const percent = Math.round((100 * bytes) / limitBytes);
        const message =
          'the store will reach its limit; then its oldest records go, annotation changes before all else';
        this.#report(message, { ...fields, percent, daysLeft: this.#daysUntil(limitBytes) });
      }
    }
    if (volume !== undefined && isNearlyFull(volume) && this.#isDue('disk')) {
      const message = 'the disk of the store is nearly full; when it is full, recording stops';
      this.#report(message, { freeBytes: volume.freeBytes, volumeBytes: volume.bytes, ballastBytes });
    }
    if (this.#suppressed.size > 0 && this.#isDue('suppressed')) {
      const [pod] = this.#suppressed.values();
      const message = 'annotation changes were counted and not recorded: the budget of the hour is used up';
      this.#report(message, { pods: this.#suppressed.size, pod });
      this.#suppressed = new Map();
    }
  }

  #isDue(kind: string): boolean {
    const now = this.#clock.monotonic();
    const last = this.#reportedAt.get(kind);
    if (last !== undefined && now - last < HOUR_MS) return false;
    this.#reportedAt.set(kind, now);
    return true;
  }

  #sample(bytes: number): void {
    const at = this.#clock.monotonic();
    this.#samples = this.#samples.filter((sample) => at - sample.at <= LOOK_BACK_MS);
    this.#samples.push({ at, bytes });
  }

  /** At the growth of the last hours; undefined while that is not known, or nothing grows. */
  #daysUntil(limitBytes: number): number | undefined {
    const first = this.#samples[0];
    const last = this.#samples.at(-1);
    if (first === undefined || last === undefined || last.at - first.at < LEAST_MS) return undefined;
    const days = daysLeft(last.bytes, limitBytes, last.bytes - first.bytes, last.at - first.at);
    return days === undefined ? undefined : Math.round(days * 10) / 10;
  }
}

export function isNearlyFull({ bytes, freeBytes }: NonNullable<RoomKept['volume']>): boolean {
  return freeBytes < Math.min(bytes * LEAST_FREE, LEAST_FREE_BYTES);
}

/** How long until a store that grew by so much in that time reaches its limit. */
export function daysLeft(bytes: number, limitBytes: number, grownBytes: number, inMs: number): number | undefined {
  if (grownBytes <= 0 || inMs <= 0) return undefined;
  return Math.max(0, ((limitBytes - bytes) / grownBytes) * (inMs / DAY_MS));
}
