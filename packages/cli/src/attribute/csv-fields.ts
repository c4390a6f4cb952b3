// The fields of one CSV record, unquoted, and whether its quotes are as RFC 4180 has them.

export interface CsvFields {
  readonly fields: readonly string[];
  /** Undefined when it is as RFC 4180 has it. */
  readonly problem: string | undefined;
}

const QUOTE = 34;

export function csvFields(raw: string, quoted: boolean, delimiter = ','): CsvFields {
  if (!quoted) return { fields: raw.split(delimiter), problem: undefined };
  const fields: string[] = [];
  let problem: string | undefined;
  let i = 0;
  for (;;) {
    let field = '';
    if (raw.charCodeAt(i) === QUOTE) {
      const close = closingQuote(raw, i + 1);
      if (close === -1) {
        fields.push(raw.slice(i + 1).replaceAll('""', '"'));
        return { fields, problem: 'a quote is not closed' };
      }
      field = raw.slice(i + 1, close).replaceAll('""', '"');
      i = close + 1;
      if (i < raw.length && raw[i] !== delimiter) problem = 'there is text behind a closing quote';
    }
    const comma = raw.indexOf(delimiter, i);
    fields.push(field + raw.slice(i, comma === -1 ? raw.length : comma));
    if (comma === -1) return { fields, problem };
    i = comma + 1;
  }
}

/** The quote that is not followed by another one; -1 if there is none. */
function closingQuote(text: string, from: number): number {
  for (let i = text.indexOf('"', from); i !== -1; i = text.indexOf('"', i + 2)) {
    if (text.charCodeAt(i + 1) !== QUOTE) return i;
  }
  return -1;
}
