// Cuts CSV (RFC 4180) into records as it arrives, and records into fields. Made for flow logs of many gigabytes: works on
// bytes, gives one record at a time in its own fields, and takes a record without quotes apart in the one pass that finds
// its end. Text that is taken out is Latin-1, one character a byte, so that whatever the bytes are they stay.

const QUOTE = 34;
const COMMA = 44;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** A quote that is never closed would swallow the rest of the file: a record longer than this is cut at its first line. */
const LONGEST_RECORD = 1 << 20;
const NO_BYTES = Buffer.alloc(0);

export class CsvRecords {
  /** What `start` and `end` are places in; until the next `push`. */
  bytes: Buffer = NO_BYTES;
  /** The record, without its line end. */
  start = 0;
  end = 0;
  quoted = false;
  /** Its line end was CRLF. */
  crlf = false;
  /** Of a record without quotes: how many commas it has, and where the first of them are. */
  commaCount = 0;
  commas = new Uint32Array(64);
  #next = 0;
  #isAtEnd = false;

  /** More of the input. What was not whole is looked at again. */
  push(chunk: Uint8Array): void {
    const rest = this.bytes.subarray(this.#next);
    this.bytes =
      rest.length === 0
        ? Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength)
        : Buffer.concat([rest, chunk], rest.length + chunk.length);
    this.#next = 0;
  }

  /** The input ends here: what is left is a record too, with or without a line end. */
  finish(): void {
    this.#isAtEnd = true;
  }

  /** Goes to the next record; false when there is none that is whole by now. */
  next(): boolean {
    const { bytes, commas } = this;
    const { length } = bytes;
    const from = this.#next;
    if (from >= length) return false;
    let count = 0;
    let i = from;
    // All but a few characters of a log lie above the comma.
    for (; i < length; i++) {
      const byte = bytes[i] as number;
      if (byte > COMMA) continue;
      if (byte === COMMA) {
        if (count < commas.length) commas[count] = i;
        count++;
      } else if (byte === LINE_FEED) break;
      else if (byte === QUOTE) return this.#nextQuoted(from);
    }
    if (i === length && !this.#isAtEnd && length - from <= LONGEST_RECORD * 2) return false;
    this.commaCount = count;
    this.quoted = false;
    this.#take(from, i);
    return true;
  }

  /** The text of the record. */
  raw(): string {
    return this.bytes.toString('latin1', this.start, this.end);
  }

  #nextQuoted(from: number): boolean {
    const { bytes } = this;
    const { length } = bytes;
    let lineEnd = endOfQuoted(bytes, from);
    if (lineEnd === -1 && (length - from > LONGEST_RECORD || this.#isAtEnd)) lineEnd = bytes.indexOf(LINE_FEED, from);
    if (lineEnd === -1) {
      if (!this.#isAtEnd && length - from <= LONGEST_RECORD * 2) return false;
      lineEnd = length;
    }
    this.quoted = true;
    this.#take(from, lineEnd);
    return true;
  }

  #take(from: number, lineEnd: number): void {
    this.crlf = lineEnd > from && this.bytes[lineEnd - 1] === CARRIAGE_RETURN;
    this.start = from;
    this.end = this.crlf ? lineEnd - 1 : lineEnd;
    this.#next = lineEnd + 1;
  }
}

/** Where the line of the record that begins at `from` ends: quotes count only where a field begins with one. -1: not yet. */
function endOfQuoted(bytes: Buffer, from: number): number {
  let i = from;
  for (;;) {
    if (bytes[i] === QUOTE) {
      i = closingQuote(bytes, i + 1);
      if (i === -1) return -1;
      i++;
    }
    // To the end of the field: what follows a closing quote is malformed, and told so when the fields are read.
    while (i < bytes.length && bytes[i] !== COMMA && bytes[i] !== LINE_FEED) i++;
    if (i === bytes.length) return -1;
    if (bytes[i] === LINE_FEED) return i;
    i++;
  }
}

/** The quote that is not followed by another one; -1 if there is none, or if the text ends before that is known. */
function closingQuote(bytes: Buffer, from: number): number {
  for (let i = bytes.indexOf(QUOTE, from); i !== -1; i = bytes.indexOf(QUOTE, i + 2)) {
    if (bytes[i + 1] !== QUOTE) return i;
  }
  return -1;
}
