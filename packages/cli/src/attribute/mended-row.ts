// A row of delimited text that cannot go out as it came, as text for the output. Called for single rows and for names;
// never for the many that are as they should be.
import type { TextHeader, TextLayout } from './text-layout.ts';

/**
 * Broken quotes are mended, missing fields added, and what is too much is kept in the last column (a comma that nobody
 * quoted is likeliest there), so that our columns stand where the header says.
 */
export function mendedRow(raw: string, fields: readonly string[], header: TextHeader, layout: TextLayout): string {
  const { delimiter, hasQuotes, empty } = layout;
  const columns = header.names.length;
  const isTooLong = fields.length > columns;
  const whole = isTooLong ? [...fields.slice(0, columns - 1), fields.slice(columns - 1).join(delimiter)] : fields;
  const isAllKept = header.kept.length === columns;
  const field = (text: string) => (hasQuotes ? quotedField(text, delimiter) : text.replaceAll(delimiter, '_'));
  if (isAllKept) {
    const text = isTooLong || raw.includes('"') ? whole.map(field).join(delimiter) : raw;
    return fields.length < columns ? text + (delimiter + empty).repeat(columns - fields.length) : text;
  }
  return header.kept.map((column) => field(whole[column] ?? empty)).join(delimiter);
}

/** A field of the input in quotes where it needs them, and else unchanged: it is not ours to make it safe. */
export function quotedField(field: string, delimiter: string): string {
  return /["\r\n]/.test(field) || field.includes(delimiter) ? `"${field.replaceAll('"', '""')}"` : field;
}
