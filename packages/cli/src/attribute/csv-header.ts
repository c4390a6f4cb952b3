// The header of a CSV input: where the wanted columns are, and what goes out in its place.
import { UsageError } from '../errors.ts';
import { csvField } from '../output/csv.ts';
import { ourNames } from './columns.ts';
import { csvFields } from './csv-fields.ts';
import type { CsvRecords } from './csv-records.ts';
import { utf8Of } from './row.ts';

export interface WantedColumns {
  readonly ip: string;
  readonly time: string;
}

const BOM = '\u00ef\u00bb\u00bf';

export class CsvHeader {
  /** As it came. */
  readonly raw: string;
  readonly names: readonly string[];
  readonly lineEnd: '\n' | '\r\n';
  /** Places of the wanted columns. */
  readonly ip: number;
  readonly time: number;

  /** Of the record that `records` is at. */
  constructor(records: CsvRecords, wanted: WantedColumns) {
    this.raw = records.raw();
    this.lineEnd = records.crlf ? '\r\n' : '\n';
    const text = this.raw.startsWith(BOM) ? this.raw.slice(BOM.length) : this.raw;
    this.names = csvFields(text, records.quoted).fields.map(utf8Of);
    this.ip = columnOf(this.names, wanted.ip, '--ip');
    this.time = columnOf(this.names, wanted.time, '--time');
    if (records.commas.length < this.names.length) records.commas = new Uint32Array(this.names.length);
  }

  /** With our columns behind. */
  out(): string {
    const ours = ourNames((name) => this.names.includes(name));
    return `${this.raw},${ours.map(csvField).join(',')}${this.lineEnd}`;
  }
}

function columnOf(header: readonly string[], name: string, flag: string): number {
  const found = header.indexOf(name);
  if (found === -1)
    throw new UsageError(`${flag} ${name}: the input has no such column`, `it has ${header.join(', ')}.`);
  if (header.indexOf(name, found + 1) !== -1) throw new UsageError(`${flag} ${name}: the input has this column twice`);
  return found;
}
