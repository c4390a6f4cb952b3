// Cuts the body of an audit webhook's request, an EventList of `audit.k8s.io/v1`, into its events while it arrives, so that
// no body is ever held as a whole. Checks nothing but brackets and strings: whoever parses an event checks it.

export interface EventListSplitterOptions {
  /** One event as it was written; false: there is no room for it, and nothing more is read. */
  readonly onEvent: (event: Buffer) => boolean;
  /** One that is longer than `longest`, and is left out. */
  readonly onTooLong: () => void;
  readonly longest?: number;
}

export type SplitOutcome =
  | { readonly kind: 'whole' }
  /** Not a list of audit.k8s.io/v1, or it breaks off. */
  | { readonly kind: 'damaged'; readonly why: string }
  | { readonly kind: 'full' };

/** An object in etcd has 1.5 MiB at most; an event may have it twice. */
const LONGEST = 4 << 20;
const MOST_HEAD = 4096;
const API = '"audit.k8s.io/v1"';
const [QUOTE, BACKSLASH] = [0x22, 0x5c];
const [OPEN_BRACE, CLOSE_BRACE, OPEN_BRACKET, CLOSE_BRACKET] = [0x7b, 0x7d, 0x5b, 0x5d];

export class EventListSplitter {
  readonly #options: EventListSplitterOptions;
  readonly #longest: number;
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  /** The list's members are an array: where events may begin. */
  #isInItems = false;
  /** Pieces of the event that is being read; undefined between events. */
  #event: Buffer[] | undefined;
  #length = 0;
  /** What stands before the first event: it names the API. */
  #head = '';
  #problem: Exclude<SplitOutcome, { kind: 'whole' }> | undefined;
  #isClosed = false;

  constructor(options: EventListSplitterOptions) {
    this.#options = options;
    this.#longest = options.longest ?? LONGEST;
  }

  /** False: nothing more needs to be pushed. */
  push(chunk: Buffer): boolean {
    if (this.#problem !== undefined) return false;
    let from = this.#event === undefined ? -1 : 0;
    for (let i = 0; i < chunk.length; i++) {
      const byte = chunk[i]!;
      if (this.#isInString) {
        if (this.#isEscaped) this.#isEscaped = false;
        else if (byte === BACKSLASH) this.#isEscaped = true;
        else if (byte === QUOTE) this.#isInString = false;
      } else if (byte === QUOTE) this.#isInString = true;
      else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
        if (this.#isClosed || (this.#depth === 0 && byte === OPEN_BRACKET)) return this.#damaged('not an EventList');
        this.#depth++;
        if (this.#depth === 2) this.#isInItems = byte === OPEN_BRACKET;
        if (this.#depth === 3 && this.#isInItems && byte === OPEN_BRACE) {
          if (!this.#begin()) return false;
          from = i;
        }
      } else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
        if (this.#depth === 0) return this.#damaged('not an EventList');
        this.#depth--;
        if (this.#depth === 2 && this.#event !== undefined) {
          this.#keep(chunk.subarray(from, i + 1));
          from = -1;
          if (!this.#end()) return false;
        }
        if (this.#depth === 0) this.#isClosed = true;
      } else if (this.#depth === 0 && !isSpace(byte)) return this.#damaged('not an EventList');
      if (this.#event === undefined && this.#depth <= 2 && this.#head.length < MOST_HEAD)
        this.#head += String.fromCharCode(byte);
    }
    if (from >= 0) this.#keep(chunk.subarray(from));
    return true;
  }

  end(): SplitOutcome {
    if (this.#problem !== undefined) return this.#problem;
    if (!this.#isClosed) return { kind: 'damaged', why: 'it breaks off' };
    return this.#head.includes(API) ? { kind: 'whole' } : { kind: 'damaged', why: NOT_THE_API };
  }

  #begin(): boolean {
    // The API server writes what the list is before what is in it.
    if (!this.#head.includes(API)) return this.#damaged(NOT_THE_API);
    this.#event = [];
    this.#length = 0;
    return true;
  }

  /** A copy: a piece of a chunk would keep the whole of it. */
  #keep(piece: Buffer): void {
    this.#length += piece.length;
    if (this.#length > this.#longest) this.#event = [];
    else this.#event?.push(Buffer.from(piece));
  }

  #end(): boolean {
    const pieces = this.#event ?? [];
    this.#event = undefined;
    if (this.#length > this.#longest) {
      this.#options.onTooLong();
      return true;
    }
    if (this.#options.onEvent(Buffer.concat(pieces))) return true;
    this.#problem = { kind: 'full' };
    return false;
  }

  #damaged(why: string): false {
    this.#problem = { kind: 'damaged', why };
    this.#event = undefined;
    return false;
  }
}

const NOT_THE_API = 'it does not say that it is of audit.k8s.io/v1';

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
