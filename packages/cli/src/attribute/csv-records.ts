// Cuts CSV (RFC 4180), with commas or another delimiter, into records as it arrives, and records into fields. Made for
// flow logs of many gigabytes: works on bytes, gives one record at a time in its own fields, and takes a record without
// quotes apart in the one pass that finds its end. However the chunks are cut, the work grows with the bytes. Text that is taken out is Latin-1, one character a byte, so that whatever the bytes are they stay.
import { FILE_LIMITS, type LogLimits, recordTooLong } from './log-limits.ts';

const QUOTE = 34;
const COMMA = 44;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;
/** From here on the rest grows by doubling: a record of n bytes in small chunks is copied in O(n), not O(n²). */
const LARGE_REST = 16 << 10;
/** Of the longest record: so much may be searched in vain at the end of the input, for quotes that are not closed. */
const MOST_IN_VAIN = 4;
/** No byte. */
const NO_QUOTE = 256;
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
  /** Of a record without quotes: how many delimiters it has, and where the first of them are. */
  commaCount = 0;
  commas = new Uint32Array(64);
  #next = 0;
  #isAtEnd = false;
  readonly #limits: LogLimits;
  readonly #delimiter: number;
  readonly #quote: number;
  /** What `bytes` is the end of, while a large record comes in. */
  #room: Buffer = NO_BYTES;
  /** How far the record at `#next` was searched for its end, and whether that place is inside quotes. */
  #searched = 0;
  #isInQuotes = false;
  /** How far the line at `#next` is known not to end, where it is not in quotes. */
  #unended = 0;
  /** Bytes behind quotes that the end of the input left open. */
  #inVain = 0;

  constructor(limits = FILE_LIMITS, delimiter = ',', hasQuotes = true) {
    this.#limits = limits;
    this.#delimiter = delimiter.charCodeAt(0);
    this.#quote = hasQuotes ? QUOTE : NO_QUOTE;
  }

  /** More of the input. What was not whole is looked at again. */
  push(chunk: Uint8Array): void {
    const rest = this.bytes.subarray(this.#next);
    if (rest.length === 0) this.bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    else if (rest.length < LARGE_REST) this.bytes = Buffer.concat([rest, chunk], rest.length + chunk.length);
    else this.#append(rest, chunk);
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
    if (this.#searched > 0) return this.#nextQuoted(from);
    if (this.#unended > 0 && this.#stillGoesOn(from)) return false;
    if (this.#delimiter !== COMMA) return this.#nextOf(from);
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
    if (i === length && this.#waits(from)) return false;
    this.commaCount = count;
    this.quoted = false;
    this.#take(from, i);
    return true;
  }

  /** The same for another delimiter. */
  #nextOf(from: number): boolean {
    const { bytes, commas } = this;
    const { length } = bytes;
    const delimiter = this.#delimiter;
    const quote = this.#quote;
    let count = 0;
    let i = from;
    for (; i < length; i++) {
      const byte = bytes[i] as number;
      if (byte === delimiter) {
        if (count < commas.length) commas[count] = i;
        count++;
      } else if (byte === LINE_FEED) break;
      else if (byte === quote) return this.#nextQuoted(from);
    }
    if (i === length && this.#waits(from)) return false;
    this.commaCount = count;
    this.quoted = false;
    this.#take(from, i);
    return true;
  }

  /** A line of which only the beginning has come is not taken apart again with each chunk: its end is looked for first. */
  #stillGoesOn(from: number): boolean {
    return this.bytes.indexOf(LINE_FEED, from + this.#unended) === -1 && this.#waits(from);
  }

  /** Whether more of the line at `from` may come, which has not ended yet. */
  #waits(from: number): boolean {
    const length = this.bytes.length - from;
    const { longestRecord, overlong } = this.#limits;
    if (overlong === 'refuse' && length > longestRecord) throw recordTooLong(this.#limits);
    this.#unended = length;
    return !this.#isAtEnd && length <= longestRecord * 2;
  }

  /** The text of the record. */
  raw(): string {
    return this.bytes.toString('latin1', this.start, this.end);
  }

  /** Behind the rest, where there is room; its own bytes stay as they are. */
  #append(rest: Buffer, chunk: Uint8Array): void {
    const size = rest.length + chunk.length;
    const end = rest.byteOffset + rest.length - this.#room.byteOffset;
    const fits = rest.buffer === this.#room.buffer && end + chunk.length <= this.#room.length;
    const start = fits ? end - rest.length : 0;
    if (!fits) {
      this.#room = Buffer.allocUnsafeSlow(size * 2);
      this.#room.set(rest, 0);
    }
    this.#room.set(chunk, start + rest.length);
    this.bytes = this.#room.subarray(start, start + size);
  }

  #nextQuoted(from: number): boolean {
    const { bytes } = this;
    const { length } = bytes;
    const { longestRecord, overlong } = this.#limits;
    const mostInVain = MOST_IN_VAIN * longestRecord;
    let lineEnd = this.#inVain > mostInVain ? -1 : this.#endOfQuoted(from);
    const isTooLong = (lineEnd === -1 ? length : lineEnd) - from > longestRecord;
    if (isTooLong && overlong === 'refuse') throw recordTooLong(this.#limits);
    if (lineEnd === -1 && (isTooLong || this.#isAtEnd)) {
      // Each line behind it could open a quote again, which would make n² of n bytes.
      if (this.#isAtEnd && this.#inVain <= mostInVain) this.#inVain += length - from;
      lineEnd = bytes.indexOf(LINE_FEED, from);
    }
    if (lineEnd === -1) {
      if (!this.#isAtEnd && length - from <= longestRecord * 2) return false;
      lineEnd = length;
    }
    this.quoted = true;
    this.#take(from, lineEnd);
    return true;
  }

  /**
   * Where the line of the record that begins at `from` ends: quotes count only where a field begins with one. -1: not
   * yet, and the next search goes on where this one ended.
   */
  #endOfQuoted(from: number): number {
    const { bytes } = this;
    let i = from + this.#searched;
    let isInQuotes = this.#isInQuotes;
    for (;;) {
      if (!isInQuotes && bytes[i] === QUOTE && isFieldStart(bytes, from, i, this.#delimiter)) {
        i++;
        isInQuotes = true;
      }
      if (isInQuotes) {
        const close = closingQuote(bytes, i);
        // A quote that is the last byte may be the first of two.
        if (close === -1 || (close === bytes.length - 1 && !this.#isAtEnd)) {
          this.#searched = (close === -1 ? bytes.length : close) - from;
          this.#isInQuotes = true;
          return -1;
        }
        i = close + 1;
        isInQuotes = false;
      }
      // To the end of the field: what follows a closing quote is malformed, which the reader of the fields reports.
      while (i < bytes.length && bytes[i] !== this.#delimiter && bytes[i] !== LINE_FEED) i++;
      if (i === bytes.length) {
        if (this.#isAtEnd) return i;
        this.#searched = i - from;
        this.#isInQuotes = false;
        return -1;
      }
      if (bytes[i] === LINE_FEED) return i;
      i++;
    }
  }

  #take(from: number, lineEnd: number): void {
    this.crlf = lineEnd > from && this.bytes[lineEnd - 1] === CARRIAGE_RETURN;
    this.start = from;
    this.end = this.crlf ? lineEnd - 1 : lineEnd;
    this.#next = lineEnd + 1;
    this.#searched = 0;
    this.#isInQuotes = false;
    this.#unended = 0;
  }
}

function isFieldStart(bytes: Buffer, from: number, i: number, delimiter: number): boolean {
  return i === from || bytes[i - 1] === delimiter;
}

/** The quote that is not followed by another one; -1 if there is none. Byte by byte: a field may be quotes and little else. */
function closingQuote(bytes: Buffer, from: number): number {
  for (let i = from; i < bytes.length; i++) {
    if (bytes[i] !== QUOTE) continue;
    if (bytes[i + 1] !== QUOTE) return i;
    i++;
  }
  return -1;
}
