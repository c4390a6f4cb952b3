// The fields of one CSV record, unquoted, and whether its quotes are as RFC 4180 has them.

export interface CsvFields {
  readonly fields: readonly string[];
  /** Undefined when it is as RFC 4180 has it. */
  readonly problem: string | undefined;
}

const QUOTE = 34;

/** Above `most` fields the last one has all that is left, as it came. */
export function csvFields(raw: string, quoted: boolean, delimiter = ',', most = Number.POSITIVE_INFINITY): CsvFields {
  if (!quoted && most === Number.POSITIVE_INFINITY) return { fields: raw.split(delimiter), problem: undefined };
  const fields: string[] = [];
  let problem: string | undefined;
  let i = 0;
  for (;;) {
    if (fields.length === most) {
      fields.push(`${fields.pop()}${raw.slice(i - 1)}`);
      return { fields, problem: `there are more than ${most} fields` };
    }
    let field = '';
    if (quoted && raw.charCodeAt(i) === QUOTE) {
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
  for (let i = from; i < text.length; i++) {
    if (text.charCodeAt(i) !== QUOTE) continue;
    if (text.charCodeAt(i + 1) !== QUOTE) return i;
    i++;
  }
  return -1;
}
