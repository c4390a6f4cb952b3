// Rows of delimited text that are on their way together: where each stands in the input, what it asks, and the answers.
// TextToText has two of them and fills them again and again; nothing here reads a row.
import type { AddressWindow } from '@podtrail/history/wire';
import type { Tail } from './tail.ts';

export const ROWS_AT_ONCE = 8192;

/** A row that does not go out as it came, or about which nothing can be asked. */
export class UnusualRow {
  readonly text: string;
  readonly problem: string | undefined;
  /** False for a comment: it goes out alone. */
  readonly isRow: boolean;

  constructor(text: string, isRow: boolean, problem?: string) {
    this.text = text;
    this.isRow = isRow;
    this.problem = problem;
  }
}

export class RowBatch {
  readonly starts = new Uint32Array(ROWS_AT_ONCE);
  readonly ends = new Uint32Array(ROWS_AT_ONCE);
  readonly froms = new Float64Array(ROWS_AT_ONCE);
  readonly tos = new Float64Array(ROWS_AT_ONCE);
  /** Undefined for a row that goes out as it came. */
  readonly unusual: (UnusualRow | undefined)[] = new Array(ROWS_AT_ONCE).fill(undefined);
  /** For each end of each row; undefined where its tail is known without asking. */
  readonly asked: (AddressWindow<Tail> | undefined)[];
  readonly tails: (Tail | undefined)[];
  /** 1 where the row shows that the end sent something. */
  readonly sent: Uint8Array;
  /** What is wrong with an end of a row, by its place in `tails`. */
  readonly problems = new Map<number, string>();
  rows = 0;
  /** What starts and ends are places in. */
  bytes: Buffer = Buffer.alloc(0);
  /** The ledger is being read for it. */
  reading: Promise<void> = Promise.resolve();

  constructor(ends: number) {
    this.asked = new Array(ROWS_AT_ONCE * ends).fill(undefined);
    this.tails = new Array(ROWS_AT_ONCE * ends).fill(undefined);
    this.sent = new Uint8Array(ROWS_AT_ONCE * ends);
  }
}
