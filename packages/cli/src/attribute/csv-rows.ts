// Rows from CSV with a header, for output in another format. CSV to CSV has a way of its own: csv-to-csv.ts.
import { csvFields } from './csv-fields.ts';
import { CsvHeader, type WantedColumns } from './csv-header.ts';
import { CsvRecords } from './csv-records.ts';
import { BLANK_ROW, malformedRow, type Questions, type Row, type RowSource } from './row.ts';

export class CsvRows implements RowSource {
  readonly #records = new CsvRecords();
  readonly #wanted: WantedColumns;
  readonly #questions: Questions;
  #header: CsvHeader | undefined;

  constructor(wanted: WantedColumns, questions: Questions) {
    this.#wanted = wanted;
    this.#questions = questions;
  }

  get header(): readonly string[] {
    return this.#header?.names ?? [];
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
      if (this.#header === undefined) this.#header = new CsvHeader(this.#records, this.#wanted);
      else rows.push(this.#row(this.#header));
    }
    return rows;
  }

  #row({ names, ip, time }: CsvHeader): Row {
    const raw = this.#records.raw();
    if (raw === '') return BLANK_ROW;
    const { fields, problem } = csvFields(raw, this.#records.quoted);
    const content = { fields, members: undefined };
    if (problem !== undefined) return malformedRow(raw, content, problem);
    if (fields.length !== names.length) return malformedRow(raw, content, wrongCount(fields.length, names.length));
    return this.#questions.row(raw, content, fields[ip] ?? '', fields[time] ?? '');
  }
}

export function wrongCount(fields: number, columns: number): string {
  return `${fields} ${fields === 1 ? 'field' : 'fields'} where the header has ${columns}`;
}
