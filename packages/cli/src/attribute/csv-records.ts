// Cuts CSV (RFC 4180) into records as it arrives, and records into fields. Made for flow logs of many gigabytes: a
// record without quotes is found with two searches and never taken apart. Text is Latin-1, one character a byte, so
// that whatever the bytes are they go out as they came in.

export interface CsvRecord {
  /** Without its line end. */
  readonly raw: string;
  readonly quoted: boolean;
  /** Its line end was CRLF. */
  readonly crlf: boolean;
}

const QUOTE = 34;
/** A quote that is never closed would swallow the rest of the file: a record longer than this is cut at its first line. */
const LONGEST_RECORD = 1 << 20;

export class CsvRecords {
  #rest = '';

  /** The records that are whole by now. */
  push(text: string): CsvRecord[] {
    this.#rest = this.#rest === '' ? text : this.#rest + text;
    return this.#cut(false);
  }

  /** What is left when the input ends, with or without a line end. */
  end(): CsvRecord[] {
    return this.#cut(true);
  }

  #cut(atEnd: boolean): CsvRecord[] {
    const text = this.#rest;
    const records: CsvRecord[] = [];
    let from = 0;
    let quote = text.indexOf('"');
    while (from < text.length) {
      let lineEnd = text.indexOf('\n', from);
      if (quote !== -1 && quote < from) quote = text.indexOf('"', from);
      const quoted = quote !== -1 && (lineEnd === -1 || quote < lineEnd);
      if (quoted) {
        const end = endOfQuoted(text, from);
        if (end === -1 && text.length - from > LONGEST_RECORD) lineEnd = text.indexOf('\n', from);
        else if (end === -1 && atEnd && lineEnd !== -1) lineEnd = text.indexOf('\n', from);
        else lineEnd = end;
      }
      if (lineEnd === -1) {
        if (!atEnd && text.length - from <= LONGEST_RECORD * 2) break;
        lineEnd = text.length;
      }
      const until = lineEnd > from && text.charCodeAt(lineEnd - 1) === 13 ? lineEnd - 1 : lineEnd;
      records.push({ raw: text.slice(from, until), quoted, crlf: until < lineEnd });
      from = lineEnd + 1;
    }
    this.#rest = from >= text.length ? '' : text.slice(from);
    return records;
  }
}

/** Where the line of the record that begins at `from` ends: quotes count only where a field begins with one. -1: not yet. */
function endOfQuoted(text: string, from: number): number {
  let i = from;
  for (;;) {
    if (text.charCodeAt(i) === QUOTE) {
      i = closingQuote(text, i + 1);
      if (i === -1) return -1;
      i++;
    }
    // To the end of the field: what follows a closing quote is malformed, and told so when the fields are read.
    const comma = text.indexOf(',', i);
    const lineEnd = text.indexOf('\n', i);
    if (lineEnd === -1) return -1;
    if (comma === -1 || lineEnd < comma) return lineEnd;
    i = comma + 1;
  }
}

/** The quote that is not followed by another one; -1 if there is none, or if the text ends before that is known. */
function closingQuote(text: string, from: number): number {
  for (let i = text.indexOf('"', from); i !== -1; i = text.indexOf('"', i + 2)) {
    if (text.charCodeAt(i + 1) !== QUOTE) return i;
  }
  return -1;
}

export interface CsvFields {
  readonly fields: readonly string[];
  /** Undefined when it is as RFC 4180 has it. */
  readonly problem: string | undefined;
}

export function csvFields({ raw, quoted }: Pick<CsvRecord, 'raw' | 'quoted'>): CsvFields {
  if (!quoted) return { fields: raw.split(','), problem: undefined };
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
      if (i < raw.length && raw[i] !== ',') problem = 'there is text behind a closing quote';
    }
    const comma = raw.indexOf(',', i);
    fields.push(field + raw.slice(i, comma === -1 ? raw.length : comma));
    if (comma === -1) return { fields, problem };
    i = comma + 1;
  }
}
