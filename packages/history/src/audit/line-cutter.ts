// Cuts bytes into blocks of whole lines, whatever the chunks are. A line that is longer than the limit is dropped while
// it is read, so that memory stays bounded, and only its length is reported.

export interface LineCutterOptions {
  /** Bytes of a line, without its end. */
  readonly longest: number;
  /** One or more lines, each with its end, except for the last one of the input. */
  readonly onBlock: (block: Buffer) => void;
  /** With its end, where it has one. */
  readonly onTooLong: (bytes: number) => void;
}

const NEWLINE = 0x0a;

export class LineCutter {
  readonly #options: LineCutterOptions;
  /** The beginning of a line whose end is still to come. */
  #held: Buffer[] = [];
  #heldBytes = 0;

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
    const { longest, onBlock, onTooLong } = this.#options;
    const bytes = this.#heldBytes;
    const held = this.#held;
    this.#held = [];
    this.#heldBytes = 0;
    if (bytes > longest + 1) onTooLong(bytes);
    else if (bytes > 0) onBlock(held.length === 1 ? held[0]! : Buffer.concat(held));
  }

  #hold(bytes: Buffer): void {
    if (bytes.length === 0) return;
    this.#heldBytes += bytes.length;
    // A copy: whoever reads may use its chunk again.
    if (this.#heldBytes <= this.#options.longest + 1) this.#held.push(Buffer.from(bytes));
    else this.#held = [];
  }
}
