// Cuts bytes into blocks of whole lines, whatever the chunks are. A line that is longer than the limit is not held, so
// that memory stays bounded: its bytes are handed on as they come.

export interface LineCutterOptions {
  /** Bytes of a line that is held, with its end. */
  readonly longest: number;
  /** One or more lines, each with its end, except for the last one of the input. */
  readonly onBlock: (block: Buffer) => void;
  /** A line that is too long to be held begins. */
  readonly onLong: () => LongLine;
}

export interface LongLine {
  push(bytes: Uint8Array): void;
  /** `bytes`: how many there were, with the end of the line, where it has one. */
  end(bytes: number): void;
}

const NEWLINE = 0x0a;

export class LineCutter {
  readonly #options: LineCutterOptions;
  /** The beginning of a line whose end is still to come. */
  #held: Buffer[] = [];
  #heldBytes = 0;
  #long: LongLine | undefined;

  constructor(options: LineCutterOptions) {
    this.#options = options;
  }

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const last = bytes.lastIndexOf(NEWLINE);
    if (last === -1) {
      this.#hold(bytes);
      return;
    }
    let start = 0;
    if (this.#heldBytes > 0) {
      start = bytes.indexOf(NEWLINE) + 1;
      this.#hold(bytes.subarray(0, start));
      this.end();
    }
    if (start <= last) this.#options.onBlock(bytes.subarray(start, last + 1));
    this.#hold(bytes.subarray(last + 1));
  }

  /** What stands behind the last line end is a line, too. */
  end(): void {
    const bytes = this.#heldBytes;
    const held = this.#held;
    const long = this.#long;
    this.#held = [];
    this.#heldBytes = 0;
    this.#long = undefined;
    if (long !== undefined) long.end(bytes);
    else if (bytes > 0) this.#options.onBlock(held.length === 1 ? held[0]! : Buffer.concat(held));
  }

  #hold(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#heldBytes += bytes.length;
    if (this.#heldBytes > this.#options.longest && this.#long === undefined) {
      this.#long = this.#options.onLong();
      for (const before of this.#held) this.#long.push(before);
      this.#held = [];
    }
    // A copy: the caller may reuse its chunk.
    if (this.#long === undefined) this.#held.push(Buffer.from(bytes));
    else this.#long.push(bytes);
  }
}
