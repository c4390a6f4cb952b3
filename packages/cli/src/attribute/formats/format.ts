// What a kind of flow log says about a row: the addresses of its ends, when, and which of them were seen to send. One
// file for each kind; ../choose-format.ts lists them. A format never asks the ledger and never writes.
import type { Members } from '../row.ts';

/** One end of a flow, as the log spells it. */
export interface FlowEnd {
  /** Undefined: the row has no such address, and that is in order (NODATA, an event without a connection). */
  readonly address: string | undefined;
  /**
   * The row itself shows that this end sent something: it is the source, or it answered. Evidence that somebody had the
   * address then; a source that a client may make up (X-Forwarded-For) is none.
   */
  readonly sent: boolean;
}

export interface Flow {
  /** In the order of the format's `ends`. */
  readonly ends: readonly FlowEnd[];
  readonly start: string | number | undefined;
  /** The last instant of it; undefined: the start is an instant. */
  readonly end?: string | number | undefined;
  /** Instead of `end`: how long it lasted, in milliseconds. */
  readonly lasted?: number | undefined;
  /** The row that goes out, where it is not the record itself: a record that holds many flows makes one of each. */
  readonly members?: Members;
}

interface Named {
  /** As for --format. */
  readonly name: string;
  /** For the help, after the name. */
  readonly summary: string;
  /** Names of the ends: `src` puts `src_` before our columns. */
  readonly ends: readonly string[];
  /** From the first characters of the input, one for each byte. */
  sniff(beginning: string): boolean;
}

/** Records are JSON objects. */
export interface JsonFormat extends Named {
  readonly kind: 'json';
  /** The member that holds the records where one document holds them all. */
  readonly wrapper?: string;
  /** Undefined when the record is none of this format. */
  flows(record: Members): readonly Flow[] | undefined;
}

/** Records are lines of text that no delimiter takes apart. */
export interface LineFormat extends Named {
  readonly kind: 'line';
  /** Undefined when the line is none of this format. */
  parse(line: string): Members | undefined;
  flows(record: Members): readonly Flow[] | undefined;
}

/** Where the columns of delimited text are. */
export interface FlowColumns {
  /** `sent`: as FlowEnd has it; a name: whether that column has a number above 0. */
  readonly ends: readonly { readonly column: string; readonly sent: boolean | string }[];
  readonly start: string;
  readonly end?: string | undefined;
  /** Instead of `end`: a column with seconds. */
  readonly lasted?: string | undefined;
  /** Milliseconds by which an end that is cut to a coarser unit may be later. */
  readonly coarseMs?: number;
}

/** Records are lines of delimited text. */
export interface TextFormat extends Named {
  readonly kind: 'text';
  readonly delimiter: string;
  /** Fields in double quotes, as RFC 4180 has them. */
  readonly hasQuotes: boolean;
  /** What stands for an empty field. */
  readonly empty: string;
  /** Where the names are: in the first line, in a line that begins with `#fields`, or known from the first line's shape. */
  header(firstLine: string): 'line' | 'directive' | readonly string[];
  /** Undefined when the columns that it needs are not there. */
  columns(names: readonly string[]): FlowColumns | undefined;
}

export type Format = JsonFormat | LineFormat | TextFormat;

/** A member that is text and not empty. */
export function textOf(record: Members, name: string): string | undefined {
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  return typeof value === 'string' && value !== '' && value !== '-' ? value : undefined;
}

/** A member that is a text or a number: times are both. */
export function timeOf(record: Members, name: string): string | number | undefined {
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  return typeof value === 'number' ? value : textOf(record, name);
}

/** A member that is an object; an empty one when it is not. */
export function objectOf(record: Members, name: string): Members {
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Members) : {};
}

/** Numbers are texts in some exports. */
export function countOf(record: Members, name: string): number {
  const value = Object.hasOwn(record, name) ? Number(record[name]) : 0;
  return Number.isFinite(value) ? value : 0;
}
