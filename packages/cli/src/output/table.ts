// Tables like kubectl's: padded columns, upper-case headers, no trailing spaces, `<none>` for what is not there.
import { visible } from './visible.ts';

export interface Column<T> {
  readonly header: string;
  /** Only with `-o wide`. */
  readonly wide?: boolean;
  readonly cell: (row: T) => string;
}

export interface TableOptions {
  readonly wide: boolean;
  readonly headers: boolean;
}

const BETWEEN = '   ';

/** Lines with their newline. Cells come from the cluster: each is made visible here and nowhere else. */
export function formatTable<T>(rows: readonly T[], columns: readonly Column<T>[], options: TableOptions): string {
  const shown = columns.filter((column) => options.wide || column.wide !== true);
  const lines = rows.map((row) => shown.map((column) => visible(column.cell(row)) || '<none>'));
  if (options.headers) lines.unshift(shown.map((column) => column.header));
  const widths = shown.map((_, i) => lines.reduce((widest, line) => Math.max(widest, width(line[i] ?? '')), 0));
  return lines.map((line) => `${padded(line, widths)}\n`).join('');
}

function padded(line: readonly string[], widths: readonly number[]): string {
  const cells = line.map((cell, i) => cell + ' '.repeat((widths[i] ?? 0) - width(cell)));
  return cells.join(BETWEEN).trimEnd();
}

function width(text: string): number {
  let columns = 0;
  for (const char of text) columns += isWide(char.codePointAt(0) ?? 0) ? 2 : 1;
  return columns;
}

/** East Asian wide letters and pictures take two columns of a terminal. */
function isWide(code: number): boolean {
  if (code < 0x1100) return false;
  return (
    code <= 0x115f ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  );
}
