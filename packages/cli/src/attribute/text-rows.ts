// Rows from delimited text, for the writers that change the format. What stays in its format goes through
// text-to-text.ts.

import { csvFields } from './csv-fields.ts';
import { CsvRecords } from './csv-records.ts';
import type { FlowEnd } from './formats/format.ts';
import type { LogLimits } from './log-limits.ts';
import { blankRow, malformedRow, type Questions, type Row, type RowSource, utf8Of } from './row.ts';
import { TextHeader, type TextLayout } from './text-layout.ts';

const BOM = '\u00ef\u00bb\u00bf';
const FIELDS = '#fields';

export class TextRows implements RowSource {
  readonly #records: CsvRecords;
  readonly #layout: TextLayout;
  readonly #questions: Questions;
  readonly #limits: LogLimits;
  #header: TextHeader | undefined;

  constructor(layout: TextLayout, questions: Questions, limits: LogLimits) {
    this.#layout = layout;
    this.#questions = questions;
    this.#limits = limits;
    this.#records = new CsvRecords(limits, layout.delimiter, layout.hasQuotes);
    if (Array.isArray(layout.header)) this.#header = new TextHeader(layout.header, layout, limits);
  }

  get header(): TextHeader | undefined {
    return this.#header;
  }

  push(chunk: Uint8Array): Row[] {
    this.#records.push(chunk);
    return this.#rows();
  }

  end(): Row[] {
    this.#records.finish();
    return this.#rows();
  }

  #rows(): Row[] {
    const rows: Row[] = [];
    while (this.#records.next()) {
      const raw = this.#records.raw();
      if (this.#layout.header === 'directive' && raw.startsWith('#')) {
        if (raw.startsWith(FIELDS)) {
          const names = namesOf(raw, this.#layout);
          this.#header = new TextHeader(names, this.#layout, this.#limits);
        }
      } else if (this.#header !== undefined) rows.push(this.#row(raw, this.#header));
      else {
        const text = raw.startsWith(BOM) ? raw.slice(BOM.length) : raw;
        const { fields } = this.#fieldsOf(text, Number.POSITIVE_INFINITY);
        this.#header = new TextHeader(fields.map(utf8Of), this.#layout, this.#limits);
      }
    }
    return rows;
  }

  #fieldsOf(raw: string, most: number) {
    return csvFields(raw, this.#records.quoted, this.#layout.delimiter, most);
  }

  #row(raw: string, header: TextHeader): Row {
    if (raw === '') return blankRow(raw);
    const { names, ends } = header;
    const { fields, problem } = this.#fieldsOf(raw, this.#limits.mostColumns);
    const content = { fields, members: undefined };
    if (problem !== undefined) return malformedRow(raw, content, problem, ends.length);
    if (fields.length !== names.length)
      return malformedRow(raw, content, wrongCount(fields.length, names.length), ends.length);
    const asked = this.#questions.asked(flowOf(fields, header, this.#layout.empty));
    return { raw, ...content, asked, blank: false };
  }
}

/** The names of a `#fields` line. */
export function namesOf(line: string, { delimiter }: TextLayout): readonly string[] {
  return line
    .slice(FIELDS.length)
    .split(delimiter)
    .filter((name) => name !== '')
    .map(utf8Of);
}

/** What a record says. */
export function flowOf(fields: readonly string[], header: TextHeader, empty: string) {
  const { ends, start, end, lasted, coarseMs } = header;
  const field = (column: number | undefined) => {
    const text = column === undefined ? undefined : fields[column];
    return text === '' || (empty !== '' && text === empty) ? undefined : text;
  };
  const until = lasted === undefined ? undefined : Number(field(lasted) ?? 0) * 1000;
  return {
    ends: ends.map(
      ({ column, sent }): FlowEnd => ({
        // Without a sign for "nothing" an empty field is no address, and an error.
        address: empty === '' ? (fields[column] ?? '') : field(column),
        sent: typeof sent === 'number' ? Number(field(sent) ?? 0) > 0 : sent,
      }),
    ),
    start: field(start) ?? '',
    end: end === undefined ? undefined : laterBy(field(end) ?? '', coarseMs),
    lasted: until === undefined || Number.isNaN(until) ? undefined : until,
  };
}

/** Whole seconds are cut: what ended in one may have ended at its end. */
function laterBy(text: string, coarseMs: number): string {
  return coarseMs > 0 && /^\d{9,10}$/.test(text) ? `${text}.${String(coarseMs).padStart(3, '0')}` : text;
}

export function wrongCount(fields: number, columns: number): string {
  return `${fields} ${fields === 1 ? 'field' : 'fields'} where the header has ${columns}`;
}
