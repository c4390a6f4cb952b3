// The records of a timeline while they come: of each its lane and its times, and, as long as they are few enough to be
// sent, who it was. Whatever is not wanted is left out here, so that nothing that follows counts it.
import type { Span } from '../engines/snapshot.ts';
import { namespaceAt, nodeAt, pickStays, type StayColumns, TIMES } from '../engines/stay-columns.ts';
import { HistoryError } from '../errors.ts';
import type { EpochMillis } from '../model/time.ts';
import { isHolderVisible, type Visibility } from '../query/visibility.ts';
import { IntervalColumns, type IntervalDocuments } from './interval-columns.ts';
import type { Lanes, ShownLanes } from './lanes.ts';
import type { TimelineDocument } from './schemas/index.ts';

export interface GatheredOptions {
  readonly visibility: Visibility;
  readonly span: Span;
  readonly node: string | undefined;
  readonly namespace: string | undefined;
  readonly lanes: Lanes;
}

/** Of more records than this is not kept who they were: about 150 bytes each. */
const MOST_DETAILED = 250_000;
/** 20 bytes each. */
const MOST_RECORDS = 5_000_000;
/** Counts of a density, at most: lanes times columns. */
const MOST_CELLS = 400_000;
const LEAST_COLUMNS = 10;

export class GatheredStays {
  readonly #options: GatheredOptions;
  #lane = new Int32Array(1024);
  /** `at` of the start and of the end, which is NaN while it lasts. */
  #from = new Float64Array(1024);
  #to = new Float64Array(1024);
  #count = 0;
  /** Who they were, in the same order; undefined once there are too many. */
  #details: StayColumns[] | undefined = [];

  constructor(options: GatheredOptions) {
    this.#options = options;
  }

  add(stays: StayColumns): void {
    const { lanes } = this.#options;
    const rows = new Uint32Array(stays.count);
    let taken = 0;
    for (let i = 0; i < stays.count; i++) {
      if (!this.#isWanted(stays, i)) continue;
      if (this.#count === this.#lane.length) this.#grow();
      this.#lane[this.#count] = lanes.of(stays, i);
      this.#from[this.#count] = stays.times[i * TIMES]!;
      this.#to[this.#count++] = stays.times[i * TIMES + 3]!;
      rows[taken++] = i;
    }
    if (this.#count > MOST_DETAILED) this.#details = undefined;
    if (this.#count > MOST_RECORDS) throw tooMany();
    if (taken > 0) this.#details?.push(taken === stays.count ? stays : pickStays(stays, rows.subarray(0, taken)));
  }

  #isWanted(stays: StayColumns, i: number): boolean {
    const { visibility, node, namespace: wanted } = this.#options;
    if (node !== undefined && nodeAt(stays, i) !== node) return false;
    if (wanted === undefined && visibility.kind === 'all') return true;
    const namespace = namespaceAt(stays, i);
    if (wanted !== undefined && namespace !== wanted) return false;
    return isHolderVisible(visibility, { namespace }, { notBefore: stays.times[i * TIMES + 1] as EpochMillis });
  }

  /** Undefined: there are more. In the order of lanes, then of time. */
  intervals({ places }: ShownLanes, most: number): IntervalDocuments | undefined {
    if (this.#details === undefined) return undefined;
    const order = this.#inOrder(places, most);
    if (order === undefined) return undefined;
    const [chunkOf, starts] = chunksOf(this.#details, this.#count);
    const columns = new IntervalColumns(this.#options.span.from);
    for (const at of order) {
      const chunk = chunkOf[at]!;
      columns.add(places[this.#lane[at]!]!, this.#details[chunk]!, at - starts[chunk]!);
    }
    return columns.build();
  }

  noIntervals(): IntervalDocuments {
    return new IntervalColumns(0).build();
  }

  /** Of the lanes that are shown; undefined: there are more than `most`. */
  #inOrder(places: Int32Array, most: number): Uint32Array | undefined {
    const found = new Uint32Array(Math.min(this.#count, most));
    let count = 0;
    for (let at = 0; at < this.#count; at++) {
      if (places[this.#lane[at]!]! < 0) continue;
      if (count === most) return undefined;
      found[count++] = at;
    }
    const place = (at: number) => places[this.#lane[at]!]!;
    return found.subarray(0, count).sort((a, b) => place(a) - place(b) || this.#from[a]! - this.#from[b]!);
  }

  /** How many there were in each lane at a time; empty where intervals are given. `known`: how far what lasts is known to. */
  density({ documents, places }: ShownLanes, isDense: boolean, known: number, buckets: number) {
    const { from, to } = this.#options.span;
    const lanes = documents.length;
    const columns = Math.max(LEAST_COLUMNS, Math.min(buckets, Math.floor(MOST_CELLS / Math.max(1, lanes))));
    const bucketMs = Math.max(1, Math.ceil((to - from) / columns));
    const found = { bucketMs, lane: [] as number[], bucket: [] as number[], count: [] as number[] };
    if (!isDense) return found;
    // One more where one begins, one less behind its end: then each costs the same, however long it lasted.
    const steps = new Int32Array(lanes * (columns + 1));
    for (let i = 0; i < this.#count; i++) {
      const place = places[this.#lane[i]!]!;
      const [start, end] = [this.#from[i]!, this.#to[i]!];
      const last = Math.min(Number.isNaN(end) ? known : end, to) - 1;
      if (place < 0 || last < from) continue;
      const first = Math.max(start, from);
      const row = place * (columns + 1);
      steps[row + Math.floor((first - from) / bucketMs)]! += 1;
      steps[row + Math.floor((Math.max(first, last) - from) / bucketMs) + 1]! -= 1;
    }
    for (let lane = 0; lane < lanes; lane++) {
      let count = 0;
      for (let bucket = 0; bucket < columns; bucket++) {
        count += steps[lane * (columns + 1) + bucket]!;
        if (count === 0) continue;
        found.lane.push(lane);
        found.bucket.push(bucket);
        found.count.push(count);
      }
    }
    return found;
  }

  /** When they began and ended, of all lanes. */
  histogram(bucketMs: number, buckets: number): TimelineDocument['histogram'] {
    const { from, to } = this.#options.span;
    const arrivals = new Array<number>(buckets).fill(0);
    const departures = new Array<number>(buckets).fill(0);
    for (let i = 0; i < this.#count; i++) {
      const [start, end] = [this.#from[i]!, this.#to[i]!];
      if (start >= from && start < to) arrivals[Math.floor((start - from) / bucketMs)]! += 1;
      if (end >= from && end < to) departures[Math.floor((end - from) / bucketMs)]! += 1;
    }
    return { bucketMs, departures, arrivals };
  }

  #grow(): void {
    const [lane, from, to] = [this.#lane, this.#from, this.#to];
    this.#lane = new Int32Array(lane.length * 2);
    this.#from = new Float64Array(from.length * 2);
    this.#to = new Float64Array(to.length * 2);
    this.#lane.set(lane);
    this.#from.set(from);
    this.#to.set(to);
  }
}

function tooMany(): HistoryError {
  return new HistoryError('span-too-long', `more than ${MOST_RECORDS} records lie within the span`, {
    hint: 'ask for a shorter span, or for one node or namespace.',
  });
}

/** Of each record its chunk, and of each chunk its first record. */
function chunksOf(chunks: readonly StayColumns[], count: number): readonly [Uint32Array, Uint32Array] {
  const chunkOf = new Uint32Array(count);
  const starts = new Uint32Array(chunks.length);
  let at = 0;
  for (const [chunk, stays] of chunks.entries()) {
    starts[chunk] = at;
    chunkOf.fill(chunk, at, at + stays.count);
    at += stays.count;
  }
  return [chunkOf, starts];
}
