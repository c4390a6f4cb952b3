// All placements or tenures that touch a span, a chunk at a time: first the head's rows, the newest first, then week after
// week, the newest first. What is to be read is found once (by the head's index, by the postings of a week), and remembered
// while the reading goes on; a chunk is small enough that others are answered in between.
import type { Placement, Tenure } from '../../model/records.ts';
import type { Span } from '../snapshot.ts';
import { StayColumnsBuilder, type StayKind, type StaysChunk } from '../stay-columns.ts';
import type { ClusterEntry } from './head/head.ts';
import type { HeadReader } from './head/head-read.ts';
import type { WeekEntry } from './head/layout.ts';
import type { IndexEntry } from './head/secondary-index.ts';
import { WEEK_MS, weekStart } from './week/week.ts';
import type { Weeks } from './week/weeks.ts';

/** Rows of the head, or lives of a week, that are read for one chunk: about 10 ms. */
const AT_ONCE = 4_000;

export interface StayReadingOptions {
  readonly reader: HeadReader;
  readonly weeks: Weeks;
  readonly cluster: ClusterEntry;
  readonly kind: StayKind;
  readonly span: Span;
  /** Whether it touches the span and has not expired. */
  readonly isWanted: (stay: Tenure | Placement) => boolean;
}

export class StayReading {
  readonly #options: StayReadingOptions;
  readonly #sources: readonly WeekEntry[];
  #rows: readonly IndexEntry[] | undefined;
  #lives: { readonly file: string; readonly ordinals: Uint32Array } | undefined;

  constructor(options: StayReadingOptions) {
    this.#options = options;
    const { from, to } = options.span;
    const mayTouch = ({ week, reach }: WeekEntry) => weekStart(week) + WEEK_MS > from && reach < to;
    this.#sources = options.cluster.weeks.filter(mayTouch).reverse();
  }

  /** `after` is "SOURCE:PLACE": 0 is the head, then the weeks; the place is the first that was not read. */
  chunk(after: string | undefined): StaysChunk {
    const [source = 0, place = 0] = (after ?? '').split(':').map(Number);
    const next = source === 0 ? this.#headChunk(place) : this.#weekChunk(source, place);
    if (next.isMore) return { stays: next.stays, next: `${source}:${place + AT_ONCE}` };
    return { stays: next.stays, next: source < this.#sources.length ? `${source + 1}:0` : undefined };
  }

  #headChunk(place: number) {
    const { reader, cluster, kind, span, isWanted } = this.#options;
    this.#rows ??= reader.staysWithin(kind, cluster.number, span);
    const builder = new StayColumnsBuilder(AT_ONCE);
    for (const row of reader.rows.rows(kind, this.#rows.slice(place, place + AT_ONCE))) {
      const { placement, tenures } = reader.rows.life(row);
      const [tenure] = tenures;
      if (kind === 'placement' && placement !== undefined && isWanted(placement))
        builder.add(placement.pod, placement.start, placement.end);
      if (kind === 'tenure' && tenure !== undefined && isWanted(tenure))
        builder.add(tenure.holder, tenure.start, tenure.end, tenure.ip);
    }
    return { stays: builder.build(), isMore: place + AT_ONCE < this.#rows.length };
  }

  #weekChunk(source: number, place: number) {
    const { reader, weeks, cluster, kind, span, isWanted } = this.#options;
    const entry = this.#sources[source - 1]!;
    const week = weeks.open(entry);
    if (this.#lives?.file !== entry.file) {
      const ordinals = week.livesWithin(kind === 'placement' ? 'node' : 'ip', span.from, span.to);
      this.#lives = { file: entry.file, ordinals };
    }
    const { ordinals } = this.#lives;
    const builder = new StayColumnsBuilder(AT_ONCE);
    // The head's version of a record wins.
    const isPlaced = kind === 'placement' ? reader.placementsKnown(cluster.number) : undefined;
    const isHeld = kind === 'tenure' ? reader.tenuresKnown(cluster.number) : undefined;
    week.eachLife(ordinals.subarray(place, place + AT_ONCE), (record) => {
      if (isPlaced !== undefined) {
        const placement = record.placement();
        if (placement !== undefined && isWanted(placement) && !isPlaced(placement))
          builder.add(placement.pod, placement.start, placement.end);
        return;
      }
      for (const tenure of record.tenures()) {
        if (isWanted(tenure) && isHeld?.(tenure) === false)
          builder.add(tenure.holder, tenure.start, tenure.end, tenure.ip);
      }
    });
    return { stays: builder.build(), isMore: place + AT_ONCE < ordinals.length };
  }
}
