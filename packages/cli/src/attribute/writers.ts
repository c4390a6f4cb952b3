// The rows as they go out: the same rows in the same order, with our columns behind. What came in as text goes out as
// the same text; only where the format changes is a row written again.
import type { Attribution } from '@podtrail/history/wire';
import { csvField } from '../output/csv.ts';
import { COMMAS, type OurColumns, problemOf } from './columns.ts';
import { type LogLimits, tooLongForCsv, tooManyColumns } from './log-limits.ts';
import { type Members, type Row, rawOf, utf8Of } from './row.ts';
import type { TextHeader } from './text-layout.ts';
import type { TextRows } from './text-rows.ts';

export interface RowWriter {
  /** Before the first row; undefined where there is none. `rows` are the first ones. */
  header(rows: readonly Row[]): { readonly names: readonly string[]; readonly text: string } | undefined;
  row(row: Row, attributions: readonly Attribution[]): string;
}

/** Delimited text to JSON lines: every value of the input is a text. */
export class TextToJson implements RowWriter {
  readonly #source: TextRows;
  readonly #ours: OurColumns;
  #header: TextHeader | undefined;
  #keys: readonly string[] = [];
  #names: readonly (readonly string[])[] = [];

  constructor(source: TextRows, ours: OurColumns) {
    this.#source = source;
    this.#ours = ours;
  }

  header(): undefined {
    return undefined;
  }

  row(row: Row, attributions: readonly Attribution[]): string {
    if (row.blank) return '';
    const { header } = this.#source;
    if (header === undefined) return '';
    if (header !== this.#header) {
      this.#header = header;
      this.#keys = header.names.map((name) => rawOf(JSON.stringify(name)));
      this.#names = this.#ours.names(header.keptNames);
    }
    const fields = row.fields ?? [];
    const members = fields.flatMap((field, i) =>
      header.isKept[i] !== false ? [`${this.#keys[i] ?? `"column_${i + 1}"`}:${JSON.stringify(field)}`] : [],
    );
    const tails = jsonTails(this.#ours, row, attributions, this.#names, header.keptNames);
    return `{${[...members, ...tails].join(',')}}\n`;
  }
}

/** Delimited text to CSV. */
export class TextToCsv implements RowWriter {
  readonly #source: TextRows;
  readonly #ours: OurColumns;
  readonly #tails: TailCache;

  constructor(source: TextRows, ours: OurColumns) {
    this.#source = source;
    this.#ours = ours;
    this.#tails = new TailCache(ours);
  }

  header() {
    const names = this.#source.header?.keptNames ?? [];
    const all = [...names, ...this.#ours.names(names).flat()];
    return { names, text: `${rawOf(all.map(csvField).join(','))}\r\n` };
  }

  row(row: Row, attributions: readonly Attribution[]): string {
    const { header } = this.#source;
    if (row.blank || header === undefined) return '';
    const fields = row.fields ?? [];
    const extra = fields.slice(header.names.length);
    const kept = header.kept.map((i) => fields[i] ?? '');
    if (extra.length > 0) kept.push([kept.pop() ?? '', ...extra].join(' '));
    return `${[...kept.map(plainField), ...attributions.map((one) => this.#tails.of(one))].join(',')}\r\n`;
  }
}

/** A value of the input: it is not ours to make it safe. */
function plainField(text: string): string {
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** JSON lines to JSON lines: ours go before the last brace, so that the input's own text stays, its numbers included. */
export class JsonToJson implements RowWriter {
  readonly #ours: OurColumns;

  constructor(ours: OurColumns) {
    this.#ours = ours;
  }

  header(): undefined {
    return undefined;
  }

  row(row: Row, attributions: readonly Attribution[]): string {
    if (row.blank) return '\n';
    const { members } = row;
    if (members === undefined) {
      const tails = jsonTails(this.#ours, row, attributions, this.#ours.names([]), []);
      return `{"line":${JSON.stringify(row.raw)},${tails.join(',')}}\n`;
    }
    const before = this.#ours.before(Object.keys(members), true);
    const names = Object.keys(members).filter((name) => !before.has(name));
    const text = before.size === 0 ? row.raw : withoutMembers(row.raw, before);
    const tails = jsonTails(this.#ours, row, attributions, this.#ours.names(names), names);
    const body = onOneLine(text.slice(0, text.lastIndexOf('}')));
    return `${body}${names.length === 0 ? '' : ','}${tails.join(',')}}\n`;
  }
}

/**
 * A record may be broken over lines; a row is one. Not by an expression of white space before a line end: in a record
 * of n blanks that would look n² times.
 */
function onOneLine(text: string): string {
  if (!/[\r\n]/.test(text)) return text;
  const lines = text.split(/[\r\n]/);
  const last = lines.length - 1;
  return lines
    .map((line, i) => (i === 0 ? line.trimEnd() : i === last ? line.trimStart() : line.trim()))
    .filter((line, i) => line !== '' || i === 0 || i === last)
    .join(' ');
}

/** JSON lines to CSV: the members of the first object are the columns. */
export class JsonToCsv implements RowWriter {
  readonly #ours: OurColumns;
  readonly #limits: LogLimits;
  readonly #tails: TailCache;
  #columns: ReadonlySet<string> = new Set(['line']);
  /** Rows with members that no column has. */
  cut = 0;

  constructor(ours: OurColumns, limits: LogLimits) {
    this.#ours = ours;
    this.#limits = limits;
    this.#tails = new TailCache(ours);
  }

  header(rows: readonly Row[]) {
    const first = rows.find(({ members }) => members !== undefined && Object.keys(members).length > 0);
    const names = Object.keys(first?.members ?? {});
    if (names.length > this.#limits.mostColumns) throw tooManyColumns(this.#limits);
    const before = this.#ours.before(names, true);
    if (first !== undefined) this.#columns = new Set(names.filter((name) => !before.has(name)));
    const columns = [...this.#columns];
    const all = [...columns, ...this.#ours.names(columns).flat()];
    return { names: columns, text: `${rawOf(all.map(csvField).join(','))}\r\n` };
  }

  row(row: Row, attributions: readonly Attribution[]): string {
    if (row.blank) return '';
    if (row.raw.length > this.#limits.longestConverted) throw tooLongForCsv(this.#limits);
    const columns = [...this.#columns];
    const members = row.members === undefined ? undefined : exactMembers(row.raw);
    if (members !== undefined && this.#isCut(members)) this.cut++;
    // What is no object is kept whole in the first column.
    const fields =
      members === undefined
        ? columns.map((_, i) => (i === 0 ? csvField(row.raw) : ''))
        : columns.map((column) => rawOf(csvField(textOf(members, column))));
    return `${[...fields, ...attributions.map((one) => this.#tails.of(one))].join(',')}\r\n`;
  }

  #isCut(members: Members): boolean {
    const others = Object.keys(members).filter((key) => !this.#columns.has(key));
    if (others.length === 0) return false;
    const before = this.#ours.before(Object.keys(members), true);
    return others.some((key) => !before.has(key));
  }
}

/** The members of all ends, and what is wrong with the first of them that something is wrong with. */
function jsonTails(
  ours: OurColumns,
  row: Row,
  attributions: readonly Attribution[],
  names: readonly (readonly string[])[],
  taken: readonly string[],
): string[] {
  const bad = row.asked.findIndex(({ kind }) => kind === 'malformed');
  return attributions.map((attribution, i) => {
    const asked = row.asked[i];
    const problem = i === bad && asked?.kind === 'malformed' ? problemOf(utf8Of(asked.problem), taken) : undefined;
    return rawOf(ours.members(attribution, names[i] ?? [], problem));
  });
}

/** Numbers as they are written: 64-bit ids do not fit into a number of JavaScript. */
function exactMembers(raw: string): Members {
  return JSON.parse(utf8Of(raw), (_, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? rawJson.rawJSON(context.source) : value,
  ) as Members;
}

function withoutMembers(raw: string, names: ReadonlySet<string>): string {
  const kept = Object.entries(exactMembers(raw)).filter(([name]) => !names.has(name));
  return rawOf(JSON.stringify(Object.fromEntries(kept)));
}

/** Newer than the types that come with the compiler. */
const rawJson = JSON as unknown as { rawJSON(text: string): { readonly rawJSON: string } };

function textOf(members: Members | undefined, column: string): string {
  const value = members !== undefined && Object.hasOwn(members, column) ? members[column] : undefined;
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Many rows have one holder: their text is made once. */
class TailCache {
  readonly #ours: OurColumns;
  readonly #known = new WeakMap<Attribution, string>();

  constructor(ours: OurColumns) {
    this.#ours = ours;
  }

  of(attribution: Attribution): string {
    const known = this.#known.get(attribution);
    if (known !== undefined) return known;
    const tail = rawOf(this.#ours.cells(attribution, COMMAS));
    this.#known.set(attribution, tail);
    return tail;
  }
}
