// One JavaScript string for bytes that recur from object to object: namespaces, node names, label keys, reasons. Called
// by the protobuf and JSON readers. Never grows: a bounded table that forgets, and never trusts a hash alone.

const LOOP_BYTES = 32;

export class StringInterner {
  readonly #mask: number;
  /** Two neighbouring slots form one set: the first is the more recently inserted. */
  readonly #strings: string[];
  readonly #hashes: Int32Array;
  /** Hashes met once; `recurring` inserts a string only when it is met again, so unique values evict nothing. */
  readonly #met: Int32Array;

  /** Room for 2^bits strings. */
  constructor(bits = 15) {
    const slots = 1 << bits;
    this.#mask = slots - 2;
    this.#strings = new Array<string>(slots).fill('');
    this.#hashes = new Int32Array(slots);
    this.#met = new Int32Array(slots);
  }

  /** For bytes that are expected to recur. */
  get(bytes: Buffer, start: number, end: number): string {
    return this.#lookUp(bytes, start, end, true);
  }

  /** For bytes that may be unique (annotation values, messages). */
  recurring(bytes: Buffer, start: number, end: number): string {
    return this.#lookUp(bytes, start, end, false);
  }

  /** The same table for strings that arrived as JSON. */
  ofString(text: string): string {
    const length = text.length;
    if (length === 0 || length > 256) return text;
    let hash = length;
    if (length <= LOOP_BYTES) {
      for (let i = 0; i < length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16_777_619);
    } else {
      for (let i = 0; i < 16; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16_777_619);
      for (let i = length - 16; i < length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 16_777_619);
    }
    const slot = (hash ^ (hash >>> 15)) & this.#mask;
    if (this.#hashes[slot] === hash && this.#strings[slot] === text) return this.#strings[slot]!;
    if (this.#hashes[slot + 1] === hash && this.#strings[slot + 1] === text) return this.#strings[slot + 1]!;
    if (this.#met[slot] === hash) this.#insert(slot, hash, text);
    else this.#met[slot] = hash;
    return text;
  }

  #lookUp(bytes: Buffer, start: number, end: number, atOnce: boolean): string {
    const length = end - start;
    if (length === 0) return '';
    let hash = length;
    let slot: number;
    let text: string;
    if (length <= LOOP_BYTES) {
      let seen = 0;
      for (let i = start; i < end; i++) {
        const byte = bytes[i]!;
        seen |= byte;
        hash = Math.imul(hash ^ byte, 16_777_619);
      }
      // Comparing bytes with UTF-16 units is only sound for ASCII; the rest is rare and simply decoded.
      if (seen > 127) return bytes.toString('utf8', start, end);
      slot = (hash ^ (hash >>> 15)) & this.#mask;
      if (this.#hashes[slot] === hash && sameAscii(this.#strings[slot]!, bytes, start, length)) {
        return this.#strings[slot]!;
      }
      if (this.#hashes[slot + 1] === hash && sameAscii(this.#strings[slot + 1]!, bytes, start, length)) {
        return this.#strings[slot + 1]!;
      }
      text = bytes.toString('utf8', start, end);
    } else {
      // Past this length one native copy and a native compare beat two loops over the bytes.
      for (let i = start; i < start + 16; i++) hash = Math.imul(hash ^ bytes[i]!, 16_777_619);
      for (let i = end - 16; i < end; i++) hash = Math.imul(hash ^ bytes[i]!, 16_777_619);
      slot = (hash ^ (hash >>> 15)) & this.#mask;
      text = bytes.toString('utf8', start, end);
      if (this.#hashes[slot] === hash && this.#strings[slot] === text) return this.#strings[slot]!;
      if (this.#hashes[slot + 1] === hash && this.#strings[slot + 1] === text) return this.#strings[slot + 1]!;
    }
    if (atOnce || this.#met[slot] === hash) this.#insert(slot, hash, text);
    else this.#met[slot] = hash;
    return text;
  }

  #insert(slot: number, hash: number, text: string): void {
    this.#strings[slot + 1] = this.#strings[slot]!;
    this.#hashes[slot + 1] = this.#hashes[slot]!;
    this.#strings[slot] = text;
    this.#hashes[slot] = hash;
  }
}

function sameAscii(text: string, bytes: Buffer, start: number, length: number): boolean {
  if (text.length !== length) return false;
  for (let i = 0; i < length; i++) {
    if (text.charCodeAt(i) !== bytes[start + i]) return false;
  }
  return true;
}

/** One table for the process: the kinds share namespaces, node names and label values. */
export const interner = new StringInterner();
