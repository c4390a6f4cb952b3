// How long a reflector backs off after an error: as long as the server asks for, else longer with each failure in a row.
import { ApiError, ConnectionError } from '../errors.ts';
import type { Random } from '../random.ts';
import { Backoff, CONNECTION_BACKOFF, SERVER_BACKOFF } from './backoff.ts';

export class FailureBackoff {
  readonly #random: Random;
  readonly #connection: Backoff;
  readonly #server: Backoff;

  constructor(random: Random) {
    this.#random = random;
    this.#connection = new Backoff(CONNECTION_BACKOFF, random);
    this.#server = new Backoff(SERVER_BACKOFF, random);
  }

  after(error: Error): number {
    if (error instanceof ApiError && error.retryAfterMs !== undefined) {
      return error.retryAfterMs * (1 + this.#random() * 0.1);
    }
    return error instanceof ConnectionError ? this.#connection.next() : this.#server.next();
  }

  /** Without regard to Retry-After: for errors that another request answers better than a later one. */
  server(): number {
    return this.#server.next();
  }

  /** A watch lived long enough: the next failure is the first one again. */
  reset(): void {
    this.#connection.reset();
    this.#server.reset();
  }
}
