// Cuts JSON into records as it arrives: one on each line; or values in a row, however they are broken over lines; or the
// elements of one array; or those of one member of a document (`Records`). Text is Latin-1, one character a byte. What
// is not whole yet is kept in pieces, so that the work grows with the bytes however the chunks are cut.
import { type LogLimits, recordTooLong } from './log-limits.ts';

export interface JsonRecords {
  /** Texts of the records that are whole by now; an empty line is an empty text. */
  push(text: string): string[];
  /** What is left. */
  end(): string[];
}

/** `beginning` is some of the input, from its start; `wrapper` the member that holds the records, if there may be one. */
export function jsonRecords(beginning: string, wrapper: string | undefined, limits: LogLimits): JsonRecords {
  const text = beginning.trimStart();
  if (text.startsWith('[')) return new ValueRecords(wrapper, limits);
  const end = text.indexOf('\n');
  const line = end === -1 ? text : text.slice(0, end);
  if (wrapper !== undefined && line.includes(`"${wrapper}"`) && isWrapped(text, wrapper))
    return new ValueRecords(wrapper, limits);
  const isLonger = end !== -1 && goesOn(line, text.slice(end).trimStart()[0]);
  return isLonger ? new ValueRecords(wrapper, limits) : new LineRecords(limits);
}

/** The document opens its list of records before any list or object that is closed again. */
function isWrapped(text: string, wrapper: string): boolean {
  return new RegExp(`^\\{[^{}\\[\\]]*"${wrapper}"\\s*:\\s*\\[`).test(text);
}

/** The beginning of a record whose end has not come yet. */
class Pieces {
  readonly #limits: LogLimits;
  #pieces: string[] = [];
  #length = 0;

  constructor(limits: LogLimits) {
    this.#limits = limits;
  }

  /** Throws when the record is longer than it may be. */
  keep(piece: string): void {
    this.#length += piece.length;
    if (this.#length > this.#limits.longestRecord) throw recordTooLong(this.#limits);
    if (piece !== '') this.#pieces.push(piece);
  }

  /** The record, with its end; from here on another one. */
  take(end: string): string {
    if (this.#length === 0) return end;
    const whole = this.#pieces.join('') + end;
    this.#pieces = [];
    this.#length = 0;
    return whole;
  }
}

class LineRecords implements JsonRecords {
  readonly #beginning: Pieces;

  constructor(limits: LogLimits) {
    this.#beginning = new Pieces(limits);
  }

  push(text: string): string[] {
    const lines = text.split('\n');
    const rest = lines.pop() ?? '';
    if (lines.length > 0) lines[0] = this.#beginning.take(lines[0] as string);
    this.#beginning.keep(rest);
    return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  }

  end(): string[] {
    const last = this.#beginning.take('');
    return last === '' ? [] : [last];
  }
}

/**
 * Where the scan is: `depth` counts what is open. Records are what is whole at `recordDepth`: 0 for values in a row, 1
 * within an array, 2 within the list of a wrapping document.
 */
class ValueRecords implements JsonRecords {
  readonly #wrapper: string | undefined;
  readonly #beginning: Pieces;
  #text = '';
  #depth = 0;
  #recordDepth = 0;
  /** In the text; 0 where the record began in one before it. -1: between records. */
  #recordStart = -1;
  #isInString = false;
  /** The last character was a backslash in a string. */
  #isEscaped = false;
  /** Of the string that was read last, and whether a colon made it a name: as much of it as the wrapper has, and one more. */
  #stringStart = 0;
  #stringBefore = '';
  #name = '';

  constructor(wrapper: string | undefined, limits: LogLimits) {
    this.#wrapper = wrapper;
    this.#beginning = new Pieces(limits);
  }

  push(text: string): string[] {
    const found: string[] = [];
    this.#text = text;
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (this.#isInString) this.#inString(at, code);
      else this.#outside(at, code, found);
    }
    if (this.#isInString && this.#depth === 1) this.#stringBefore = this.#stringUpTo(text.length);
    this.#stringStart = 0;
    if (this.#recordStart !== -1) {
      this.#beginning.keep(text.slice(this.#recordStart));
      this.#recordStart = 0;
    }
    this.#text = '';
    return found;
  }

  end(): string[] {
    const rest = this.#beginning.take('').trim();
    return rest === '' ? [] : [rest];
  }

  #inString(at: number, code: number): void {
    if (this.#isEscaped) this.#isEscaped = false;
    else if (code === 92) this.#isEscaped = true;
    else if (code === 34) {
      this.#isInString = false;
      if (this.#depth === 1) this.#name = this.#stringUpTo(at);
    }
  }

  #stringUpTo(end: number): string {
    const most = (this.#wrapper?.length ?? 0) + 1 - this.#stringBefore.length;
    return this.#stringBefore + this.#text.slice(this.#stringStart, Math.min(end, this.#stringStart + most));
  }

  #outside(at: number, code: number, found: string[]): void {
    switch (code) {
      case 34: // "
        this.#isInString = true;
        this.#stringStart = at + 1;
        this.#stringBefore = '';
        this.#begin(at);
        return;
      case 91: // [
        if (this.#depth === 0) this.#recordDepth = 1;
        else if (this.#depth === 1 && this.#recordDepth === 0 && this.#name === this.#wrapper) {
          this.#recordDepth = 2;
          this.#recordStart = -1;
          this.#beginning.take('');
        } else this.#begin(at);
        this.#depth++;
        return;
      case 123: // {
        this.#begin(at);
        this.#depth++;
        return;
      case 93: // ]
      case 125: // }
        this.#close(at, found);
        return;
      case 44: // ,
        if (this.#depth === this.#recordDepth) this.#finish(at, found);
        return;
      default:
        if (code > 32) this.#begin(at);
    }
  }

  #begin(at: number): void {
    if (this.#recordStart === -1 && this.#depth === this.#recordDepth) this.#recordStart = at;
  }

  #close(at: number, found: string[]): void {
    // The end of the list of records: a scalar before it is a record too.
    if (this.#depth === this.#recordDepth && this.#depth > 0) {
      this.#finish(at, found);
      this.#recordDepth = this.#depth === 2 ? -1 : 0;
    }
    if (this.#depth > 0) this.#depth--;
    if (this.#depth === this.#recordDepth && this.#recordStart !== -1) this.#finish(at + 1, found);
    // Behind the list of a wrapping document nothing is a record until the document ends.
    if (this.#depth === 0 && this.#recordDepth === -1) this.#recordDepth = 0;
  }

  #finish(end: number, found: string[]): void {
    if (this.#recordStart === -1) return;
    found.push(this.#beginning.take(this.#text.slice(this.#recordStart, end)));
    this.#recordStart = -1;
  }
}

/**
 * Whether a line that leaves something open goes on in the next one, which begins with `next`. One that broke off does
 * not: it would take all lines behind it along. No string has a line end in it, and an object stands in an array or
 * behind a name only.
 */
function goesOn(line: string, next: string | undefined): boolean {
  const { open, isInString } = scanned(line);
  if (open.length === 0 || isInString) return false;
  if (next !== '{') return true;
  const last = line.trimEnd().at(-1);
  return last === '[' || last === ':' || (last === ',' && open.at(-1) === '[');
}

/** Whether more of the input may still show that the line goes on. */
export function leavesOpen(line: string): boolean {
  return scanned(line).open.length > 0;
}

/** The braces and brackets that a text leaves open, and whether it ends within a string. */
function scanned(text: string): { readonly open: string; readonly isInString: boolean } {
  const open: string[] = [];
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isInString) {
      if (code === 92) i++;
      else if (code === 34) isInString = false;
    } else if (code === 34) isInString = true;
    else if (code === 123) open.push('{');
    else if (code === 91) open.push('[');
    else if (code === 125 || code === 93) open.pop();
  }
  return { open: open.join(''), isInString };
}
