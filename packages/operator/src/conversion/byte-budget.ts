// One budget of bytes for all reviews that are being read and answered, so that no number of clients makes the process
// grow past it. Who has the most loses: a review of one tracker, which is what API servers send, gets through while
// others hold as much as they can. Memory comes in blocks that are used again; nothing here knows of sockets.

export const BLOCK_BYTES = 64 * 1024;

export class ByteBudget {
  readonly #limit: number;
  readonly #bodies = new Set<HeldBody>();
  #free: Buffer[] = [];
  #blocks = 0;

  /** `limit`: bytes, whole blocks of it. */
  constructor(limit: number) {
    this.#limit = Math.floor(limit / BLOCK_BYTES);
  }

  /** `onCut`: somebody else needs the room; the body is gone when it is called. */
  open(onCut: () => void): HeldBody {
    const body: HeldBody = new HeldBody(
      () => this.#take(body),
      (blocks) => this.#giveBack(body, blocks),
      onCut,
    );
    this.#bodies.add(body);
    return body;
  }

  /** Bytes in use. */
  get held(): number {
    return this.#blocks * BLOCK_BYTES;
  }

  /** Lets go of what is kept for use again. Called now and then, so that an idle process is small. */
  trim(): void {
    if (this.#blocks === 0) this.#free = [];
  }

  #take(asking: HeldBody): Buffer | undefined {
    if (this.#blocks === this.#limit) {
      const largest = this.#largest();
      // Equal counts as larger: of two that hold half each, one must lose.
      if (largest === undefined || largest === asking || largest.blocks <= asking.blocks) return undefined;
      largest.cut();
    }
    this.#blocks++;
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(BLOCK_BYTES);
  }

  #giveBack(body: HeldBody, blocks: readonly Buffer[]): void {
    this.#bodies.delete(body);
    this.#blocks -= blocks.length;
    this.#free.push(...blocks);
  }

  #largest(): HeldBody | undefined {
    let largest: HeldBody | undefined;
    for (const body of this.#bodies) if (largest === undefined || body.blocks > largest.blocks) largest = body;
    return largest;
  }
}

/** The bytes of one request. Closed exactly once, by its owner or by a cut. */
export class HeldBody {
  readonly #take: () => Buffer | undefined;
  readonly #giveBack: (blocks: readonly Buffer[]) => void;
  readonly #onCut: () => void;
  #blocks: Buffer[] = [];
  #size = 0;
  #open = true;

  constructor(take: () => Buffer | undefined, giveBack: (blocks: readonly Buffer[]) => void, onCut: () => void) {
    this.#take = take;
    this.#giveBack = giveBack;
    this.#onCut = onCut;
  }

  get blocks(): number {
    return this.#blocks.length;
  }

  get size(): number {
    return this.#size;
  }

  /** False once its bytes are gone. */
  get isOpen(): boolean {
    return this.#open;
  }

  /** Copies the chunk. False if there is no room for it. */
  append(chunk: Buffer): boolean {
    if (!this.#open) return false;
    let from = 0;
    while (from < chunk.length) {
      const at = this.#size % BLOCK_BYTES;
      if (at === 0 && this.#size === this.#blocks.length * BLOCK_BYTES) {
        const block = this.#take();
        if (block === undefined) return false;
        this.#blocks.push(block);
      }
      const block = this.#blocks.at(-1) as Buffer;
      const copied = chunk.copy(block, at, from, Math.min(chunk.length, from + BLOCK_BYTES - at));
      from += copied;
      this.#size += copied;
    }
    return true;
  }

  /** As UTF-8. Only while it is open. */
  text(start: number, end: number): string {
    const first = Math.floor(start / BLOCK_BYTES);
    const last = Math.floor(Math.max(start, end - 1) / BLOCK_BYTES);
    const offset = first * BLOCK_BYTES;
    const parts = this.#blocks.slice(first, last + 1);
    const [only] = parts;
    if (only === undefined) return '';
    return (parts.length === 1 ? only : Buffer.concat(parts)).toString('utf8', start - offset, end - offset);
  }

  cut(): void {
    if (!this.#open) return;
    this.close();
    this.#onCut();
  }

  close(): void {
    if (!this.#open) return;
    this.#open = false;
    const blocks = this.#blocks;
    this.#blocks = [];
    this.#giveBack(blocks);
  }
}
