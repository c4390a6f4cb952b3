// The intervals of a timeline as columns, with each holder once and each text that repeats once: a hundred thousand of
// them are a third of what one object for each would be. Built by GatheredStays from the columns of the engines.
import { hasWorkloadAt, isHostNetworkAt, kindAt, SHARED, type StayColumns, TIMES } from '../engines/stay-columns.ts';
import { NOT_KNOWN_YET } from '../model/time.ts';
import type { TimelineDocument } from './schemas/index.ts';

export type IntervalDocuments = Pick<TimelineDocument, 'texts' | 'holders' | 'ips' | 'intervals'>;

export class IntervalColumns {
  /** Epoch milliseconds: what starts and ends are counted from. */
  readonly #base: number;
  readonly #texts = new Numbered();
  /** Of each chunk: the numbers here of its texts. */
  readonly #numbers = new Map<StayColumns, Int32Array>();
  readonly #ips = new Numbered();
  readonly #uids = new Numbered();
  readonly #holders = {
    ...{ name: [] as string[], kind: [] as number[], namespace: [] as number[], node: [] as number[] },
    ...{ workloadKind: [] as number[], workload: [] as number[], hostNetwork: [] as number[] },
  };
  readonly #intervals = {
    ...{ lane: [] as number[], holder: [] as number[], start: [] as number[], end: [] as (number | null)[] },
    ...{ startEarlier: [] as number[], startLater: [] as (number | null)[] },
    ...{ endEarlier: [] as (number | null)[], endLater: [] as (number | null)[], ip: [] as number[] },
  };

  constructor(base: number) {
    this.#base = base;
  }

  /** In the order of lanes, then of starts. */
  add(lane: number, stays: StayColumns, row: number): void {
    const { times, ips } = stays;
    const intervals = this.#intervals;
    const at = row * TIMES;
    const [start, end, endNotAfter] = [times[at]!, times[at + 3]!, times[at + 5]!];
    intervals.lane.push(lane);
    intervals.holder.push(this.#holder(stays, row));
    intervals.start.push(start - this.#base);
    intervals.startEarlier.push(start - times[at + 1]!);
    intervals.startLater.push(times[at + 2]! >= NOT_KNOWN_YET ? null : times[at + 2]! - start);
    const isOpen = Number.isNaN(end);
    intervals.end.push(isOpen ? null : end - this.#base);
    intervals.endEarlier.push(isOpen ? null : end - times[at + 4]!);
    intervals.endLater.push(isOpen || endNotAfter >= NOT_KNOWN_YET ? null : endNotAfter - end);
    const ip = ips[row];
    if (ip !== undefined) intervals.ip.push(this.#ips.of(ip));
  }

  build(): IntervalDocuments {
    return {
      texts: this.#texts.all,
      holders: { ...this.#holders, uid: this.#uids.all },
      ips: this.#ips.all,
      intervals: this.#intervals,
    };
  }

  #holder(stays: StayColumns, row: number): number {
    const holders = this.#holders;
    const place = this.#uids.of(stays.uids[row]!);
    if (place < holders.name.length) return place;
    const isOwned = hasWorkloadAt(stays, row);
    holders.name.push(stays.names[row]!);
    holders.kind.push(this.#texts.of(kindAt(stays, row)));
    holders.namespace.push(this.#shared(stays, row, 0));
    holders.node.push(this.#shared(stays, row, 1));
    holders.workloadKind.push(isOwned ? this.#shared(stays, row, 2) : -1);
    holders.workload.push(isOwned ? this.#shared(stays, row, 3) : -1);
    if (isHostNetworkAt(stays, row)) holders.hostNetwork.push(place);
    return place;
  }

  /** A text that a chunk has once is looked up once. */
  #shared(stays: StayColumns, row: number, which: number): number {
    const { texts, shared } = stays;
    let known = this.#numbers.get(stays);
    if (known === undefined) this.#numbers.set(stays, (known = new Int32Array(texts.length).fill(-1)));
    const text = shared[row * SHARED + which]!;
    if (known[text] === -1) known[text] = this.#texts.of(texts[text]!);
    return known[text]!;
  }
}

/** Texts by the number of their first coming. */
class Numbered {
  readonly all: string[] = [];
  readonly #known = new Map<string, number>();

  of(text: string): number {
    let number = this.#known.get(text);
    if (number === undefined) {
      number = this.all.push(text) - 1;
      this.#known.set(text, number);
    }
    return number;
  }
}
