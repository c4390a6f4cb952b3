// One decoded part (a label map, an owner list, a condition) for byte ranges that are equal: the pods of one ReplicaSet
// share theirs. Called by the protobuf readers. Bounded, and compares the bytes themselves, never only a hash.

export class SharedParts<T> {
  readonly #mask: number;
  readonly #keys: string[];
  readonly #hashes: Int32Array;
  readonly #parts: (T | undefined)[];
  /** A part is kept only when its hash is met twice in a row in its slot, so that unique ones evict nothing. */
  readonly #met: Int32Array;
  #hash = 0;

  constructor(bits = 12) {
    const slots = 1 << bits;
    this.#mask = slots - 1;
    this.#keys = new Array<string>(slots).fill('');
    this.#hashes = new Int32Array(slots);
    this.#parts = new Array<T | undefined>(slots).fill(undefined);
    this.#met = new Int32Array(slots);
  }

  /** A miss must be followed by `remember` of the same range. */
  find(bytes: Buffer, start: number, end: number): T | undefined {
    let hash = end - start;
    for (let i = start; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 16_777_619);
    this.#hash = hash;
    const slot = (hash ^ (hash >>> 15)) & this.#mask;
    if (this.#hashes[slot] !== hash) return undefined;
    const key = this.#keys[slot]!;
    if (key.length !== end - start || key !== bytes.toString('latin1', start, end)) return undefined;
    return this.#parts[slot];
  }

  remember(bytes: Buffer, start: number, end: number, part: T): void {
    const hash = this.#hash;
    const slot = (hash ^ (hash >>> 15)) & this.#mask;
    if (this.#met[slot] !== hash) {
      this.#met[slot] = hash;
      return;
    }
    this.#hashes[slot] = hash;
    // latin1 maps bytes to units one to one, so equal keys are equal bytes whatever they encode.
    this.#keys[slot] = bytes.toString('latin1', start, end);
    this.#parts[slot] = part;
  }
}
