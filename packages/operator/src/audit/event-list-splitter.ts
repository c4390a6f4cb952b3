// Cuts the body of an audit webhook's request, an EventList of `audit.k8s.io/v1`, into its events while it arrives, so that
// no body is ever held as a whole. Checks nothing but brackets and strings: whoever parses an event checks it.

export interface EventListSplitterOptions {
  /** One event as it was written; false: there is no room for it, and nothing more is read. */
  readonly onEvent: (event: Buffer) => boolean;
  /** One that is longer than `longest`, and is left out. */
  readonly onTooLong: () => void;
  /** The event that is being read takes so many bytes more, or less, than before; false: there is no room for it. */
  readonly onHeld?: (bytes: number) => boolean;
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
/** An event is 1 to 4 KiB, mostly. */
const FIRST_ROOM = 4096;
const NOTHING = Buffer.alloc(0);
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
  #isInEvent = false;
  /** What has arrived of the event, in one buffer that grows: pieces would cost more than their bytes. */
  #room: Buffer = NOTHING;
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
    let from = this.#isInEvent ? 0 : -1;
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
        if (this.#depth === 2 && this.#isInEvent) {
          if (!this.#end(chunk.subarray(from, i + 1))) return false;
          from = -1;
        }
        if (this.#depth === 0) this.#isClosed = true;
      } else if (this.#depth === 0 && !isSpace(byte)) return this.#damaged('not an EventList');
      if (!this.#isInEvent && this.#depth <= 2 && this.#head.length < MOST_HEAD)
        this.#head += String.fromCharCode(byte);
    }
    return from < 0 || this.#keep(chunk.subarray(from));
  }

  end(): SplitOutcome {
    this.release();
    if (this.#problem !== undefined) return this.#problem;
    if (!this.#isClosed) return { kind: 'damaged', why: 'it breaks off' };
    return this.#head.includes(API) ? { kind: 'whole' } : { kind: 'damaged', why: NOT_THE_API };
  }

  #begin(): boolean {
    // The API server writes what the list is before what is in it.
    if (!this.#head.includes(API)) return this.#damaged(NOT_THE_API);
    this.#isInEvent = true;
    this.#length = 0;
    return true;
  }

  /** A copy: a piece of a chunk would keep the whole of it. */
  #keep(piece: Buffer): boolean {
    const length = this.#length + piece.length;
    if (length > this.#longest) this.release();
    else {
      if (length > this.#room.length && !this.#grow(length)) return this.#full();
      piece.copy(this.#room, this.#length);
    }
    this.#length = length;
    return true;
  }

  #grow(length: number): boolean {
    const size = Math.min(Math.max(length, 2 * this.#room.length, FIRST_ROOM), this.#longest);
    if (this.#options.onHeld?.(size - this.#room.length) === false) return false;
    const room = Buffer.allocUnsafeSlow(size);
    this.#room.copy(room, 0, 0, this.#length);
    this.#room = room;
    return true;
  }

  #end(last: Buffer): boolean {
    this.#isInEvent = false;
    // Most arrive in one piece.
    const isOnePiece = this.#length === 0 && last.length <= this.#longest;
    if (!isOnePiece && !this.#keep(last)) return false;
    if (this.#length > this.#longest) {
      this.#options.onTooLong();
      return true;
    }
    const event = Buffer.from(isOnePiece ? last : this.#room.subarray(0, this.#length));
    this.release();
    return this.#options.onEvent(event) || this.#full();
  }

  /** Nothing is held of an event that did not arrive as a whole. */
  release(): void {
    if (this.#room.length > 0) this.#options.onHeld?.(-this.#room.length);
    this.#room = NOTHING;
  }

  #full(): false {
    this.#problem = { kind: 'full' };
    this.release();
    return false;
  }

  #damaged(why: string): false {
    this.#problem = { kind: 'damaged', why };
    this.release();
    return false;
  }
}

const NOT_THE_API = 'it does not say that it is of audit.k8s.io/v1';

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}
