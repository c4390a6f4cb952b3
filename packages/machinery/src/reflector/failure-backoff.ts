// How long a reflector backs off after an error: longer with each failure in a row, and never less than the server asks
// for. A Retry-After of 0, or of a date that is over, so causes no loop of requests.
import { Backoff, type BackoffLimits } from '../backoff.ts';
import { ApiError, ConnectionError } from '../errors.ts';
import { jitter, type Random } from '../random.ts';

/** The server is away: it is usually back within seconds, and asking costs it nothing. */
const CONNECTION_BACKOFF: BackoffLimits = { firstMs: 100, longestMs: 2_000 };
/** The server answers with errors or refuses us: ask it less often. */
const SERVER_BACKOFF: BackoffLimits = { firstMs: 800, longestMs: 30_000 };

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
    const own = error instanceof ConnectionError ? this.#connection.next() : this.#server.next();
    const asked = error instanceof ApiError ? (error.retryAfterMs ?? 0) : 0;
    return Math.max(own, jitter(this.#random, asked, 0.1));
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
