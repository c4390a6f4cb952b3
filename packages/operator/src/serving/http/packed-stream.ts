// gzip between who writes a reply piece by piece and its response. A piece counts as written when it is packed; packing
// stands still while the client takes nothing. What was written is sent soon, also where more comes late.
import type { ServerResponse } from 'node:http';
import { constants, createGzip, type Gzip } from 'node:zlib';

/** Answers are packed once and read once. */
export const GZIP_LEVEL = 4;
/** Packed rows wait so long for others at most. */
const FLUSH_MS = 100;

export interface PackedStreamOptions {
  /** Resolves when the response takes more; rejects when the client has gone, or took nothing for too long. */
  readonly drained: () => Promise<void>;
  /** Of what is sent, packed. */
  readonly onSent: (bytes: number) => void;
}

export class PackedStream {
  readonly #gzip: Gzip = createGzip({ level: GZIP_LEVEL });
  readonly #ended: Promise<void>;
  /** Of the piece that is being packed. */
  #fail: (error: Error) => void = () => {};
  #flush: NodeJS.Timeout | undefined;

  constructor(response: ServerResponse, { drained, onSent }: PackedStreamOptions) {
    const gzip = this.#gzip;
    gzip.on('data', (packed: Buffer) => {
      onSent(packed.length);
      if (!response.destroyed && response.write(packed)) return;
      gzip.pause();
      drained().then(
        () => gzip.resume(),
        (error: Error) => gzip.destroy(error),
      );
    });
    this.#ended = new Promise((resolve, reject) => gzip.once('end', resolve).once('error', reject));
    // A piece that waits for room is not called back when the stream is destroyed.
    this.#ended.catch((error: Error) => this.#fail(error));
  }

  write(chunk: string | Uint8Array): Promise<void> {
    this.#flush ??= setTimeout(() => {
      this.#flush = undefined;
      this.#gzip.flush(constants.Z_SYNC_FLUSH);
    }, FLUSH_MS);
    return new Promise((resolve, reject) => {
      this.#fail = reject;
      this.#gzip.write(chunk, (error) => (error ? reject(error) : resolve()));
    });
  }

  /** Resolves when all of it was given to the response. */
  async end(): Promise<void> {
    clearTimeout(this.#flush);
    this.#gzip.end();
    await this.#ended;
  }

  /** A part must not look like the whole: its end is not written. */
  destroy(): void {
    clearTimeout(this.#flush);
    this.#gzip.destroy();
  }
}
