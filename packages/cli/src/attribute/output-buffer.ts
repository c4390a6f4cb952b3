// Bytes on their way out, gathered so that a row costs no write of its own. TextToText puts rows into it; it holds no more
// than one buffer, and waits for a slow reader of the output before there is room for the next.
const OUTPUT_BYTES = 1 << 20;
const LINE_FEED = 10;
const CARRIAGE_RETURN = 13;

export interface OutputBufferOptions {
  /** Called once, before anything goes out. */
  readonly begin: () => Promise<void>;
  readonly write: (bytes: Buffer) => Promise<void>;
}

export class OutputBuffer {
  readonly #begin: () => Promise<void>;
  readonly #write: (bytes: Buffer) => Promise<void>;
  #isBegun = false;
  #bytes = Buffer.alloc(0);
  #written = 0;

  constructor({ begin, write }: OutputBufferOptions) {
    this.#begin = begin;
    this.#write = write;
  }

  /** Whether so much can be added; else `makeRoom` comes first. */
  fits(size: number): boolean {
    return this.#bytes.length - this.#written >= size;
  }

  async makeRoom(size: number): Promise<void> {
    await this.flush();
    this.#bytes = Buffer.allocUnsafe(Math.max(size, OUTPUT_BYTES));
  }

  addBytes(bytes: Buffer, start: number, end: number): void {
    this.#written += bytes.copy(this.#bytes, this.#written, start, end);
  }

  /** One character a byte. */
  addText(text: string): void {
    this.#written += this.#bytes.write(text, this.#written, 'latin1');
  }

  endLine(hasReturn: boolean): void {
    if (hasReturn) this.#bytes[this.#written++] = CARRIAGE_RETURN;
    this.#bytes[this.#written++] = LINE_FEED;
  }

  /** The reader of the output may be slow: no more is read than it takes. */
  async flush(): Promise<void> {
    if (!this.#isBegun) {
      this.#isBegun = true;
      await this.#begin();
    }
    if (this.#written > 0) await this.#write(this.#bytes.subarray(0, this.#written));
    this.#bytes = this.#bytes.subarray(this.#written);
    this.#written = 0;
  }
}
