// The rows as they go out: the same rows in the same order, with our columns behind. What came in as text goes out as
// the same text; only where the format changes is a row written anew.
import { csvField } from '../output/csv.ts';
import { type Attribution, csvTail, jsonTail, OUR_COLUMNS, ourNames, problemOf } from './columns.ts';
import type { CsvRows } from './csv-rows.ts';
import { type Members, type Row, rawOf, utf8Of } from './row.ts';

export interface RowWriter {
  /** Before the first row; may be nothing. `rows` are the first ones. */
  header(rows: readonly Row[]): string;
  row(row: Row, attribution: Attribution): string;
}

/** CSV to JSON lines: every value of the input is a text. */
export class CsvToJson implements RowWriter {
  readonly #source: CsvRows;
  #keys: readonly string[] | undefined;
  #names: readonly string[] = [];

  constructor(source: CsvRows) {
    this.#source = source;
  }

  header(): string {
    return '';
  }

  row(row: Row, attribution: Attribution): string {
    if (row.blank) return '';
    const { header } = this.#source;
    if (this.#keys === undefined) {
      this.#keys = header.map((name) => rawOf(JSON.stringify(name)));
      this.#names = ourNames((name) => header.includes(name));
    }
    const keys = this.#keys;
    const members = (row.fields ?? []).map((field, i) => `${keys[i] ?? `"column_${i + 1}"`}:${JSON.stringify(field)}`);
    return `{${members.join(',')},${rawOf(
      jsonTail(
        attribution,
        this.#names,
        problemOf(row.problem, (name) => header.includes(name)),
      ),
    )}}\n`;
  }
}

/** JSON lines to JSON lines: ours go before the last brace, so that numbers and spelling of the input stay. */
export class JsonToJson implements RowWriter {
  header(): string {
    return '';
  }

  row(row: Row, attribution: Attribution): string {
    if (row.blank) return '\n';
    const { members } = row;
    if (members === undefined) {
      const tail = jsonTail(
        attribution,
        OUR_COLUMNS,
        problemOf(row.problem, () => false),
      );
      return `{"line":${JSON.stringify(row.raw)},${rawOf(tail)}}\n`;
    }
    const taken = (name: string) => Object.hasOwn(members, name);
    const brace = row.raw.lastIndexOf('}');
    const comma = Object.keys(members).length === 0 ? '' : ',';
    return `${row.raw.slice(0, brace)}${comma}${rawOf(jsonTail(attribution, ourNames(taken), problemOf(row.problem, taken)))}}\n`;
  }
}

/** JSON lines to CSV: the members of the first object are the columns. */
export class JsonToCsv implements RowWriter {
  #columns: readonly string[] = ['line'];
  readonly #tails = new TailCache();
  /** Rows with members that no column has. */
  cut = 0;

  header(rows: readonly Row[]): string {
    const first = rows.find(({ members }) => members !== undefined && Object.keys(members).length > 0);
    if (first?.members !== undefined) this.#columns = Object.keys(first.members);
    const columns = this.#columns;
    const names = ourNames((name) => columns.includes(name));
    return `${rawOf([...columns, ...names].map(csvField).join(','))}\r\n`;
  }

  row(row: Row, attribution: Attribution): string {
    if (row.blank) return '';
    const columns = this.#columns;
    const members = row.members === undefined ? undefined : exactMembers(row.raw);
    if (members !== undefined && Object.keys(members).some((key) => !columns.includes(key))) this.cut++;
    // What is no object is kept whole in the first column.
    const fields =
      members === undefined
        ? columns.map((_, i) => (i === 0 ? csvField(row.raw) : ''))
        : columns.map((column) => rawOf(csvField(textOf(members, column))));
    return `${fields.join(',')},${this.#tails.of(attribution)}\r\n`;
  }
}

/** Numbers as they are spelled: 64-bit ids do not fit into a number of JavaScript. */
function exactMembers(raw: string): Members {
  return JSON.parse(utf8Of(raw), (_, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined ? rawJson.rawJSON(context.source) : value,
  ) as Members;
}

/** Newer than the types that come with the compiler. */
const rawJson = JSON as unknown as { rawJSON(text: string): { readonly rawJSON: string } };

function textOf(members: Members | undefined, column: string): string {
  const value = members !== undefined && Object.hasOwn(members, column) ? members[column] : undefined;
  if (value === undefined || value === null) return '';
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Many rows have one holder: its columns are spelled once. */
class TailCache {
  readonly #known = new WeakMap<Attribution, string>();

  of(attribution: Attribution): string {
    const known = this.#known.get(attribution);
    if (known !== undefined) return known;
    const tail = rawOf(csvTail(attribution));
    this.#known.set(attribution, tail);
    return tail;
  }
}
