// Rows from CSV with a header.
import { UsageError } from '../errors.ts';
import { type CsvRecord, CsvRecords, csvFields } from './csv-records.ts';
import { BLANK_ROW, malformedRow, type Questions, type Row, type RowSource, utf8Of } from './row.ts';

export interface WantedColumns {
  readonly ip: string;
  readonly time: string;
}

const BOM = '\u00ef\u00bb\u00bf';

export class CsvRows implements RowSource {
  readonly #records = new CsvRecords();
  readonly #wanted: WantedColumns;
  readonly #questions: Questions;
  /** The header as it came; undefined until it is there. */
  rawHeader: string | undefined;
  header: readonly string[] = [];
  lineEnd = '\n';
  #ip = -1;
  #time = -1;

  constructor(wanted: WantedColumns, questions: Questions) {
    this.#wanted = wanted;
    this.#questions = questions;
  }

  push(text: string): Row[] {
    return this.#rows(this.#records.push(text));
  }

  end(): Row[] {
    return this.#rows(this.#records.end());
  }

  #rows(records: readonly CsvRecord[]): Row[] {
    const rows: Row[] = [];
    for (const record of records) {
      if (this.rawHeader === undefined) this.#readHeader(record);
      else rows.push(this.#row(record));
    }
    return rows;
  }

  #readHeader(record: CsvRecord): void {
    this.rawHeader = record.raw;
    if (record.crlf) this.lineEnd = '\r\n';
    const raw = record.raw.startsWith(BOM) ? record.raw.slice(BOM.length) : record.raw;
    this.header = csvFields({ raw, quoted: record.quoted }).fields.map(utf8Of);
    this.#ip = columnOf(this.header, this.#wanted.ip, '--ip');
    this.#time = columnOf(this.header, this.#wanted.time, '--time');
  }

  #row(record: CsvRecord): Row {
    const { raw } = record;
    if (raw === '') return BLANK_ROW;
    const { fields, problem } = csvFields(record);
    if (problem !== undefined) return malformedRow(raw, { fields, members: undefined }, problem);
    if (fields.length !== this.header.length) {
      return malformedRow(
        raw,
        { fields, members: undefined },
        `${fields.length} fields where the header has ${this.header.length}`,
      );
    }
    return this.#questions.row(raw, { fields, members: undefined }, fields[this.#ip] ?? '', fields[this.#time] ?? '');
  }
}

function columnOf(header: readonly string[], name: string, flag: string): number {
  const found = header.indexOf(name);
  if (found === -1)
    throw new UsageError(`${flag} ${name}: the input has no such column`, `it has ${header.join(', ')}.`);
  if (header.indexOf(name, found + 1) !== -1) throw new UsageError(`${flag} ${name}: the input has this column twice`);
  return found;
}
