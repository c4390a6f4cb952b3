// How delimited text is laid out: its delimiter, where its names come from, and which columns are asked about. From a
// format, or from the columns that the command line names.
import { UsageError } from '../errors.ts';
import type { Cells, OurColumns } from './columns.ts';
import type { FlowColumns } from './formats/format.ts';
import { headerTooLong, type LogLimits, tooManyColumns } from './log-limits.ts';

export interface TextLayout extends Cells {
  /** Where the names are: in the first line, in a line that begins with `#fields`, or here. */
  readonly header: 'line' | 'directive' | readonly string[];
  readonly ours: OurColumns;
  /** Throws UsageError when a column is missing. */
  columns(names: readonly string[]): FlowColumns;
}

/** Where everything is in the records of one input. */
export class TextHeader {
  readonly names: readonly string[];
  readonly ends: readonly { readonly column: number; readonly sent: boolean | number }[];
  readonly start: number;
  readonly end: number | undefined;
  readonly lasted: number | undefined;
  readonly coarseMs: number;
  /** Places of the columns that go out; the others are of an earlier run. */
  readonly kept: readonly number[];
  /** By column. */
  readonly isKept: readonly boolean[];
  /** What is kept is at the beginning. */
  readonly isKeptFirst: boolean;

  constructor(names: readonly string[], layout: TextLayout, limits: LogLimits) {
    if (names.length > limits.mostColumns) throw tooManyColumns(limits);
    if (names.reduce((sum, { length }) => sum + length, 0) > limits.longestHeader) throw headerTooLong(limits);
    const { ends, start, end, lasted, coarseMs = 0 } = layout.columns(names);
    const place = (name: string | undefined) => (name === undefined ? undefined : names.indexOf(name));
    this.names = names;
    this.ends = ends.map(({ column, sent }) => ({
      column: names.indexOf(column),
      sent: typeof sent === 'string' ? names.indexOf(sent) : sent,
    }));
    this.start = names.indexOf(start);
    this.end = place(end);
    this.lasted = place(lasted);
    this.coarseMs = end === undefined ? 0 : coarseMs;
    const before = layout.ours.before(names);
    this.kept = names.flatMap((name, i) => (before.has(name) ? [] : [i]));
    this.isKept = names.map((name) => !before.has(name));
    this.isKeptFirst = this.kept.every((column, i) => column === i);
  }

  get keptNames(): readonly string[] {
    return this.kept.map((i) => this.names[i] as string);
  }

  get isWindow(): boolean {
    return this.end !== undefined || this.lasted !== undefined;
  }
}

/** The column of a name that the command line gives. */
export function checkedColumn(names: readonly string[], name: string, flag: string): string {
  const found = names.indexOf(name);
  if (found === -1) {
    const parts = name.split(',').map((part) => part.trim());
    const isList = parts.length > 1 && parts.every((part) => names.includes(part));
    const advice = isList ? `; write ${parts.map((part) => `${flag} ${part}`).join(' ')}` : '';
    throw new UsageError(`${flag} ${name}: the input has no such column`, `it has ${listed(names)}${advice}.`);
  }
  if (names.indexOf(name, found + 1) !== -1) {
    throw new UsageError(
      `${flag} ${name}: the input has this column twice`,
      'name all columns with --columns, each differently, and leave the header line out.',
    );
  }
  return name;
}

/** What stands in the place of a header may be anything: a person reads so much of it. */
const MOST_LISTED = 20;
const LONGEST_LISTED = 64;

/** The names of columns, for a sentence. */
export function listed(names: readonly string[]): string {
  const short = names
    .slice(0, MOST_LISTED)
    .map((name) => (name.length > LONGEST_LISTED ? `${name.slice(0, LONGEST_LISTED)}…` : name));
  const more = names.length - short.length;
  return `${short.join(', ')}${more === 0 ? '' : ` and ${more} more`}`;
}
