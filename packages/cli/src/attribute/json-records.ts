// Cuts JSON into records as it arrives: one on each line; or values in a row, however they are broken over lines; or the
// elements of one array; or those of one member of a document (`Records`). Text is Latin-1, one character a byte.
import { CliError } from '../errors.ts';

export interface JsonRecords {
  /** Texts of the records that are whole by now; an empty line is an empty text. */
  push(text: string): string[];
  /** What is left. */
  end(): string[];
}

const LONGEST_RECORD = 64 << 20;

/** `beginning` is some of the input, from its start; `wrapper` the member that holds the records, if there may be one. */
export function jsonRecords(beginning: string, wrapper: string | undefined): JsonRecords {
  const text = beginning.trimStart();
  if (text.startsWith('[')) return new ValueRecords(wrapper);
  const end = text.indexOf('\n');
  const line = end === -1 ? text : text.slice(0, end);
  if (wrapper !== undefined && line.includes(`"${wrapper}"`) && isWrapped(text, wrapper))
    return new ValueRecords(wrapper);
  // A line that leaves something open goes on in the next one.
  return end !== -1 && depthOf(line) > 0 ? new ValueRecords(wrapper) : new LineRecords();
}

/** The document opens its list of records before any list or object that is closed again. */
function isWrapped(text: string, wrapper: string): boolean {
  return new RegExp(`^\\{[^{}\\[\\]]*"${wrapper}"\\s*:\\s*\\[`).test(text);
}

class LineRecords implements JsonRecords {
  #rest = '';

  push(text: string): string[] {
    const lines = (this.#rest + text).split('\n');
    this.#rest = lines.pop() ?? '';
    return lines.map((line) => (line.endsWith('\r') ? line.slice(0, -1) : line));
  }

  end(): string[] {
    const last = this.#rest;
    this.#rest = '';
    return last === '' ? [] : [last];
  }
}

/**
 * Where the scan is: `depth` counts what is open. Records are what is whole at `recordDepth`: 0 for values in a row, 1
 * within an array, 2 within the list of a wrapping document.
 */
class ValueRecords implements JsonRecords {
  readonly #wrapper: string | undefined;
  #text = '';
  #at = 0;
  #depth = 0;
  #recordDepth = 0;
  #recordStart = -1;
  #isInString = false;
  /** Of the string that was read last, and whether a colon made it a name. */
  #stringStart = 0;
  #name = '';

  constructor(wrapper: string | undefined) {
    this.#wrapper = wrapper;
  }

  push(text: string): string[] {
    this.#text += text;
    const found: string[] = [];
    while (this.#at < this.#text.length) {
      const at = this.#at++;
      const code = this.#text.charCodeAt(at);
      if (this.#isInString) this.#inString(at, code);
      else this.#outside(at, code, found);
    }
    this.#forget();
    if (this.#text.length > LONGEST_RECORD)
      throw new CliError('record-too-long', 'a record of the input is longer than 64 MiB');
    return found;
  }

  end(): string[] {
    const rest = this.#recordStart === -1 ? '' : this.#text.slice(this.#recordStart).trim();
    this.#text = '';
    return rest === '' ? [] : [rest];
  }

  #inString(at: number, code: number): void {
    if (code === 92) this.#at++;
    else if (code === 34) {
      this.#isInString = false;
      if (this.#depth === 1) this.#name = this.#text.slice(this.#stringStart, at);
    }
  }

  #outside(at: number, code: number, found: string[]): void {
    switch (code) {
      case 34: // "
        this.#isInString = true;
        this.#stringStart = at + 1;
        this.#begin(at);
        return;
      case 91: // [
        if (this.#depth === 0) this.#recordDepth = 1;
        else if (this.#depth === 1 && this.#recordDepth === 0 && this.#name === this.#wrapper) {
          this.#recordDepth = 2;
          this.#recordStart = -1;
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
    found.push(this.#text.slice(this.#recordStart, end));
    this.#recordStart = -1;
  }

  /** What was given out or passed over is not kept. */
  #forget(): void {
    const keep = Math.min(
      this.#recordStart === -1 ? this.#text.length : this.#recordStart,
      this.#isInString ? this.#stringStart : this.#text.length,
    );
    this.#text = this.#text.slice(keep);
    this.#at -= keep;
    this.#stringStart -= keep;
    if (this.#recordStart !== -1) this.#recordStart -= keep;
  }
}

/** How many braces and brackets a text leaves open. */
function depthOf(text: string): number {
  let depth = 0;
  let isInString = false;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (isInString) {
      if (code === 92) i++;
      else if (code === 34) isInString = false;
    } else if (code === 34) isInString = true;
    else if (code === 123 || code === 91) depth++;
    else if (code === 125 || code === 93) depth--;
  }
  return depth;
}
