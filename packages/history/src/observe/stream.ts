// What is known of one stream of events: how far it has come, and since when nothing untold can have happened. A frame
// may have been under way for long (a stalled connection delivers late), so its arrival proves little about time; what
// proves more are the times that events mention, and the server's own version asked for aside (a probe).
import { type EpochMillis, earliest, epochMillis, latest } from '../model/time.ts';
import { compareVersions } from '../model/version-order.ts';
import type { WrongTime } from './clock-correction.ts';

/** A stream that is silent for longer is given up: no frame has been under way for longer than this. */
export const LONGEST_DELIVERY_MS = 75_000;

const MOST_PROBES = 1000;

export class Stream {
  /** Counts lives of etcd as this stream has noticed them. */
  epoch: number;
  /** Invariant: every event up to this version has been delivered. */
  version: string | undefined;
  /** Everything that was written until then has been delivered. Undefined when nothing is known. */
  watermark: EpochMillis | undefined;
  /** Of the last listing, to know it again. */
  listed: { readonly version: string; readonly at: EpochMillis } | undefined;
  #deliveredAt: EpochMillis | undefined;
  /** The server's version at an instant, in order; those that the stream has not reached yet. */
  #probes: { readonly version: string; readonly at: EpochMillis }[] = [];

  constructor(epoch: number, version: string | undefined, watermark: EpochMillis | undefined) {
    this.epoch = epoch;
    this.version = version;
    this.watermark = watermark;
  }

  /** Order is by (epoch, resourceVersion), never by time: what is not newer has been delivered. */
  isOld(version: string): boolean {
    return this.version !== undefined && compareVersions(version, this.version) <= 0;
  }

  /** The version was the server's newest at `at`: whatever is newer was written later. */
  probed(version: string, at: EpochMillis): void {
    if (this.version !== undefined && compareVersions(version, this.version) <= 0) this.#advance(at);
    else this.#probes.push({ version, at });
    // A stream without bookmarks never passes them; the latest say most.
    if (this.#probes.length > MOST_PROBES) this.#probes.shift();
  }

  /** A frame is here. Call before its own times are taken in: returns what was not yet so when it was written. */
  delivered(version: string, at: EpochMillis, isEvent: boolean): EpochMillis | undefined {
    // Delivered once more: the frame before it is not the one that it repeats.
    if (!isEvent && this.#deliveredAt !== undefined && at <= this.#deliveredAt && this.isOld(version))
      return this.watermark;
    this.#deliveredAt = latest(this.#deliveredAt, at);
    // An event was written after the probes that gave a lower version, and perhaps before one that gave its own.
    const written = this.#passed(version, isEvent ? -1 : 0);
    if (this.version === undefined || compareVersions(version, this.version) > 0) this.version = version;
    this.#passed(version, 0);
    return written;
  }

  #passed(version: string, most: -1 | 0): EpochMillis | undefined {
    for (let next = this.#probes[0]; next !== undefined; next = this.#probes[0]) {
      const order = compareVersions(next.version, version);
      if (order > 0 || (order === 0 && most < 0)) break;
      this.#advance(next.at);
      this.#probes.shift();
    }
    return this.watermark;
  }

  /** Something already delivered was written no earlier than this. */
  mentioned(time: EpochMillis | undefined): void {
    this.#advance(time);
  }

  /** A listing took the place of whatever events there were. */
  restart(version: string, at: EpochMillis): void {
    this.version = version;
    this.listed = { version, at };
    this.#deliveredAt = at;
    this.#probes = [];
    this.#advance(epochMillis(at - LONGEST_DELIVERY_MS));
  }

  /** What its times were taken from was a wrong clock after `since`. */
  correct({ since, at }: WrongTime): void {
    this.watermark = earliest(this.watermark, this.watermark && since);
    this.#deliveredAt = earliest(this.#deliveredAt, this.#deliveredAt && at);
    if (this.listed !== undefined && this.listed.at > at) this.listed = { ...this.listed, at };
    this.#probes = [];
  }

  #advance(time: EpochMillis | undefined): void {
    this.watermark = latest(this.watermark, time);
  }
}
