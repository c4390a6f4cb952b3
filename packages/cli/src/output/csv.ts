// Writes CSV (RFC 4180) that a spreadsheet may open and a terminal may show: a value that a spreadsheet would run as a
// formula gets a leading apostrophe, and controls are written out. Who needs the exact bytes asks for JSON.
import { visible } from './visible.ts';

export interface CsvColumn<T> {
  readonly name: string;
  readonly value: (row: T) => string;
}

const NEEDS_QUOTES = /[",\r\n]/;
const FORMULA = /^[=+\-@\t\r]/;
/** `-5` and `+1.5e3` are numbers, whatever they begin with. */
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/** One record with its line end, CRLF as the standard has it. */
export function csvRecord(values: readonly string[]): string {
  return `${values.map(csvField).join(',')}\r\n`;
}

export function csvField(value: string): string {
  const safe = FORMULA.test(value) && !NUMBER.test(value) ? `'${value}` : value;
  return NEEDS_QUOTES.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
}

export function formatCsv<T>(rows: readonly T[], columns: readonly CsvColumn<T>[], headers: boolean): string {
  const head = headers ? csvRecord(columns.map((column) => column.name)) : '';
  return head + rows.map((row) => csvRecord(columns.map((column) => visible(column.value(row))))).join('');
}
