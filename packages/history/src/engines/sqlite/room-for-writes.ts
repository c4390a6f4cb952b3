// Writing where the disk may be full: what is tried before a write is refused, and what it is refused with. The store
// writes through it, and nothing else there knows of SQLITE_FULL. It never decides what is stored or removed.
import type { Ballast } from './ballast.ts';
import { isFull, noRoom } from './faults.ts';
import type { Head } from './head/head.ts';
import type { HeadAppender } from './head/head-append.ts';
import type { HeadReader } from './head/head-read.ts';
import type { EmergencyWrite } from './prune.ts';
import { pruneAdvice } from './prune-advice.ts';

export interface RoomForWritesParts {
  readonly path: string;
  readonly head: Head;
  readonly reader: HeadReader;
  /** Undefined where the store was opened for reading. */
  readonly appender: HeadAppender | undefined;
  readonly ballast: Ballast;
}

export class RoomForWrites {
  readonly #path: string;
  readonly #head: Head;
  readonly #reader: HeadReader;
  readonly #appender: HeadAppender | undefined;
  readonly #ballast: Ballast;

  constructor({ path, head, reader, appender, ballast }: RoomForWritesParts) {
    this.#path = path;
    this.#head = head;
    this.#reader = reader;
    this.#appender = appender;
    this.#ballast = ballast;
  }

  write<T>(body: () => T): T {
    try {
      return this.#head.write(body);
    } catch (error) {
      this.#forget();
      if (!isFull(error)) throw error;
      // The log may hold room that the file does not need.
      this.#head.checkpoint(true);
      return this.#writeAgain(body);
    }
  }

  /** A writer that begins on a full disk must come as far as making room: a little of the ballast is for that. */
  writeToBegin<T>(body: () => T): T {
    try {
      return this.write(body);
    } catch (error) {
      if (!isFull(error) || !this.#ballast.releaseSome()) throw error;
      return this.write(body);
    }
  }

  /** For work that makes room: on a full disk the ballast goes first, then what is to be removed anyway. */
  readonly writeAnyway: EmergencyWrite = (body, sacrifice) => {
    try {
      return this.write(body);
    } catch (error) {
      if (!isFull(error)) throw error;
      this.#forget();
      if (this.#ballast.release()) {
        try {
          return this.write(body);
        } catch (again) {
          if (!isFull(again)) throw again;
        }
      }
      if (sacrifice === undefined) throw error;
      sacrifice();
      return this.write(body);
    }
  };

  /** Lays the ballast again if the work needed it. */
  *withBallast<T>(work: Generator<undefined, T>): Generator<undefined, T> {
    const wasThere = this.#ballast.bytes > 0;
    try {
      return yield* work;
    } finally {
      if (wasThere) {
        this.#head.checkpoint(true);
        this.#ballast.keep();
      }
    }
  }

  #writeAgain<T>(body: () => T): T {
    try {
      return this.#head.write(body);
    } catch (error) {
      this.#forget();
      throw isFull(error) ? noRoom(this.#path, this.#advice(), error) : error;
    }
  }

  /** What was remembered of a transaction that was rolled back. */
  #forget(): void {
    this.#reader.forget();
    this.#appender?.forget();
  }

  #advice(): string | undefined {
    try {
      return this.#head.read(() => pruneAdvice(this.#head, this.#reader));
    } catch {
      return undefined;
    }
  }
}
