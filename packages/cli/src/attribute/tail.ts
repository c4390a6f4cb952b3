// What is put behind the rows of delimited text that have one answer: our columns, as bytes. Answers are worked out for
// whole windows of time, and most of them no row asks for: the text is made for the first row that does.
import type { Attribution } from '@podtrail/history/wire';
import type { OurColumns } from './columns.ts';
import { rawOf } from './row.ts';
import { usualPlace } from './tally.ts';
import type { TextLayout } from './text-layout.ts';

/** What all tails of an input share. */
export interface TailMaker {
  readonly layout: TextLayout;
  readonly ours: OurColumns;
  readonly counterOf: (attribution: Attribution) => { rows: number } | undefined;
}

export class Tail {
  readonly attribution: Attribution;
  /** As `usualPlace` has it. */
  readonly usual: number;
  readonly #maker: TailMaker;
  #text: string | undefined;
  #counter: { rows: number } | undefined;
  /** The same with another attribution, for rows whose traffic decides. */
  #other: Tail | undefined;

  constructor(attribution: Attribution, maker: TailMaker) {
    this.attribution = attribution;
    this.usual = usualPlace(attribution);
    this.#maker = maker;
  }

  /** Delimiter and our columns; one character a byte. */
  get text(): string {
    return this.#text ?? this.#format();
  }

  /** How many rows had it; undefined where nobody counts. */
  get counter(): { rows: number } | undefined {
    if (this.#text === undefined) this.#format();
    return this.#counter;
  }

  /** What stands behind rows with this attribution instead. */
  with(attribution: Attribution): Tail {
    if (attribution === this.attribution) return this;
    if (this.#other?.attribution !== attribution) this.#other = new Tail(attribution, this.#maker);
    return this.#other;
  }

  #format(): string {
    const { layout, ours, counterOf } = this.#maker;
    this.#counter = counterOf(this.attribution);
    this.#text = inOnePiece(rawOf(`${layout.delimiter}${ours.cells(this.attribution, layout)}`));
    return this.#text;
  }
}

/** A text that was put together keeps its parts, several times its size, until it is first read. */
function inOnePiece(raw: string): string {
  return Buffer.from(raw, 'latin1').toString('latin1');
}
