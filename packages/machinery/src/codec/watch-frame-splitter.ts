// Cuts the byte stream of a watch into frames: length-prefixed for protobuf, one line each for JSON. Called with each
// network chunk; keeps a copy of the unfinished frame and nothing else.
import { DecodeError } from '../errors.ts';

/**
 * Called once per complete frame. The bytes are only lent: after the call they may belong to the network again.
 * What it throws ends the stream: it passes through `push`, and the splitter refuses all that comes after.
 */
export type OnFrame = (bytes: Buffer, start: number, end: number) => void;

export interface WatchFrameSplitter {
  push(chunk: Buffer): void;
  /** The stream has ended: a DecodeError if that was inside of a frame. */
  end(): void;
}

/** No object of Kubernetes comes near it (etcd refuses 1.5 MiB): a larger length is garbage, not an object. */
const LARGEST_FRAME = 64 * 1024 * 1024;
/** Unfinished frames up to this size share one buffer for the life of the stream. */
const KEPT_BYTES = 64 * 1024;

export class ProtobufFrameSplitter implements WatchFrameSplitter {
  readonly #onFrame: OnFrame;
  readonly #largest: number;
  readonly #prefix: Buffer = Buffer.alloc(4);
  #prefixLength = 0;
  /** The length of the frame being read; -1 while its prefix is not complete. */
  #wanted = -1;
  #have = 0;
  #kept: Buffer | undefined;
  /** The unfinished frame, `#have` bytes of it; exactly sized when too large for `#kept`. */
  #partial: Buffer | undefined;
  #broken = false;

  constructor(onFrame: OnFrame, largest: number = LARGEST_FRAME) {
    this.#onFrame = onFrame;
    this.#largest = largest;
  }

  push(chunk: Buffer): void {
    if (this.#broken) throw new DecodeError('the watch stream is already broken');
    // Until this call returns in order, nothing may be pushed after it.
    this.#broken = true;
    this.#split(chunk);
    this.#broken = false;
  }

  end(): void {
    if (this.#broken || this.#prefixLength > 0 || this.#wanted >= 0) {
      const missing = this.#wanted >= 0 ? `${this.#have} of ${this.#wanted} bytes` : 'its length prefix';
      throw new DecodeError(`the watch stream ended inside of a frame, after ${missing}`);
    }
  }

  #split(chunk: Buffer): void {
    const length = chunk.length;
    let pos = 0;
    while (pos < length) {
      if (this.#wanted < 0) {
        pos = this.#readPrefix(chunk, pos);
        if (this.#wanted < 0) return;
        if (this.#wanted === 0) throw new DecodeError('malformed watch stream: an empty frame');
      }
      const wanted = this.#wanted;
      if (this.#partial === undefined && length - pos >= wanted) {
        this.#wanted = -1;
        this.#onFrame(chunk, pos, pos + wanted);
        pos += wanted;
        continue;
      }
      const partial = (this.#partial ??= this.#bufferFor(wanted));
      const taken = Math.min(wanted - this.#have, length - pos);
      chunk.copy(partial, this.#have, pos, pos + taken);
      pos += taken;
      this.#have += taken;
      if (this.#have < wanted) return;
      this.#wanted = -1;
      this.#have = 0;
      this.#partial = undefined;
      this.#onFrame(partial, 0, wanted);
    }
  }

  /** Returns the position after what it took. */
  #readPrefix(chunk: Buffer, pos: number): number {
    if (this.#prefixLength === 0 && chunk.length - pos >= 4) {
      this.#wanted = this.#checked(chunk.readUInt32BE(pos));
      return pos + 4;
    }
    const taken = Math.min(4 - this.#prefixLength, chunk.length - pos);
    chunk.copy(this.#prefix, this.#prefixLength, pos, pos + taken);
    this.#prefixLength += taken;
    if (this.#prefixLength === 4) {
      this.#prefixLength = 0;
      this.#wanted = this.#checked(this.#prefix.readUInt32BE(0));
    }
    return pos + taken;
  }

  #checked(length: number): number {
    if (length > this.#largest) throw tooLarge(length, this.#largest);
    return length;
  }

  #bufferFor(length: number): Buffer {
    if (length > KEPT_BYTES) return Buffer.allocUnsafeSlow(length);
    return (this.#kept ??= Buffer.allocUnsafeSlow(KEPT_BYTES));
  }
}

const NEWLINE = 0x0a;

/** Splits on bytes, so that a character cut in two by a chunk's edge is whole again in its line. */
export class JsonLineSplitter implements WatchFrameSplitter {
  readonly #onFrame: OnFrame;
  readonly #largest: number;
  #partial: Buffer | undefined;
  #have = 0;
  #broken = false;

  constructor(onFrame: OnFrame, largest: number = LARGEST_FRAME) {
    this.#onFrame = onFrame;
    this.#largest = largest;
  }

  push(chunk: Buffer): void {
    if (this.#broken) throw new DecodeError('the watch stream is already broken');
    this.#broken = true;
    let pos = 0;
    while (pos < chunk.length) {
      const newline = chunk.indexOf(NEWLINE, pos);
      const end = newline < 0 ? chunk.length : newline;
      if (this.#have + end - pos > this.#largest) throw tooLarge(this.#have + end - pos, this.#largest);
      if (newline < 0) this.#keep(chunk, pos, end);
      else if (this.#have === 0) this.#emit(chunk, pos, end);
      else {
        this.#keep(chunk, pos, end);
        const partial = this.#partial!;
        const length = this.#have;
        this.#have = 0;
        if (partial.length > KEPT_BYTES) this.#partial = undefined;
        this.#emit(partial, 0, length);
      }
      pos = end + 1;
    }
    this.#broken = false;
  }

  end(): void {
    if (this.#broken || (this.#have > 0 && !isBlank(this.#partial!, 0, this.#have))) {
      throw new DecodeError(`the watch stream ended inside of a line, after ${this.#have} bytes`);
    }
  }

  #emit(bytes: Buffer, start: number, end: number): void {
    if (!isBlank(bytes, start, end)) this.#onFrame(bytes, start, end);
  }

  #keep(chunk: Buffer, start: number, end: number): void {
    const needed = this.#have + end - start;
    let partial = this.#partial;
    if (partial === undefined || partial.length < needed) {
      const grown = Buffer.allocUnsafeSlow(Math.max(KEPT_BYTES, needed, (partial?.length ?? 0) * 2));
      partial?.copy(grown, 0, 0, this.#have);
      partial = this.#partial = grown;
    }
    chunk.copy(partial, this.#have, start, end);
    this.#have = needed;
  }
}

/** Spaces, tabs, carriage returns. Objects begin with `{`, so this ends at their first byte. */
function isBlank(bytes: Buffer, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const byte = bytes[i]!;
    if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) return false;
  }
  return true;
}

function tooLarge(length: number, largest: number): DecodeError {
  return new DecodeError(`a watch frame of ${length} bytes is larger than the allowed ${largest}`, {
    hint: 'If this is no corrupted stream, raise the largest frame size.',
  });
}
