// The body of a request, whole or as it comes. Nothing is read before somebody asks for it, never more than was allowed,
// and not for longer: whoever sends slowly is refused, and what nobody reads is never taken.
import type { IncomingMessage } from 'node:http';
import type { Socket } from 'node:net';
import { Problem } from '../problem.ts';

export interface BodyLimits {
  /** From the first look to the last byte, of a body that is read as a whole. */
  readonly bodyMs: number;
  /** How long one that is read as it comes may be waited for until the next kilobyte of it is there. */
  readonly chunkMs: number;
}

/** Is notified when a body that is read as a whole is waited for, and when it is not any more. */
export interface BodyWaits {
  awaitsBody(socket: Socket, isAwaited: boolean): void;
}

const LEAST_BYTES = 1024;

export class RequestBody {
  readonly #incoming: IncomingMessage;
  readonly #limits: BodyLimits;
  readonly #waits: BodyWaits | undefined;

  constructor(incoming: IncomingMessage, limits: BodyLimits, waits?: BodyWaits) {
    this.#incoming = incoming;
    this.#limits = limits;
    this.#waits = waits;
  }

  /** The media type without its parameters, in lower case; empty where there is none. */
  get type(): string {
    return (this.#incoming.headers['content-type'] ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '';
  }

  async whole(mostBytes: number): Promise<Buffer> {
    const tooLarge = () =>
      new Problem(413, 'body-too-large', `the body is longer than ${mostBytes} bytes`, {
        hint: 'send it in parts.',
        headers: { connection: 'close' },
      });
    this.#refuseEncoded();
    if (Number(this.#incoming.headers['content-length'] ?? 0) > mostBytes) throw tooLarge();
    const chunks: Buffer[] = [];
    let length = 0;
    for await (const chunk of this.#within(this.#limits.bodyMs, 'whole')) {
      length += chunk.length;
      if (length > mostBytes) throw tooLarge();
      chunks.push(chunk);
    }
    return Buffer.concat(chunks, length);
  }

  /** JSON in UTF-8, of whatever shape. */
  async json(mostBytes: number): Promise<unknown> {
    if (this.type !== 'application/json') {
      throw new Problem(415, 'bad-media-type', `the body is ${this.type || 'of no type'}, not application/json`, {
        hint: 'send JSON with Content-Type: application/json.',
      });
    }
    const bytes = await this.whole(mostBytes);
    try {
      return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    } catch {
      throw new Problem(400, 'bad-body', 'the body is not JSON', { hint: 'send one JSON document in UTF-8.' });
    }
  }

  /**
   * As it comes, and no faster than it is taken. Whoever reads it so has few places for those who send, and its connection
   * counts as being answered all the time: an honest log may be slow.
   */
  async *chunks(): AsyncGenerator<Buffer> {
    this.#refuseEncoded();
    yield* this.#within(this.#limits.chunkMs, 'each kilobyte');
  }

  /**
   * Rejects when it was waited for too long: for the whole, or for the next kilobyte; and when the client goes in the
   * middle of it. The connection stays open meanwhile: a stream that is destroyed takes its socket along, and the refusal
   * would never be sent.
   */
  async *#within(ms: number, of: 'whole' | 'each kilobyte'): AsyncGenerator<Buffer> {
    const chunks = this.#incoming.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
    let giveUp: (error: Problem) => void = () => {};
    let waited = 0;
    let came = 0;
    while (true) {
      const begun = performance.now();
      if (of === 'whole') this.#notify(true);
      const late = setTimeout(() => giveUp(slowBody(ms)), Math.max(0, ms - waited));
      try {
        // One promise for each chunk: a race with one for all of them would keep every chunk until the end.
        const next = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
          giveUp = reject;
          chunks.next().then(resolve, (cause: unknown) => reject(clientGone(cause)));
        });
        if (next.done === true) return;
        waited += performance.now() - begun;
        came += next.value.length;
        // Whoever sends a byte now and then keeps a place from others.
        if (of === 'each kilobyte' && came >= LEAST_BYTES) waited = came = 0;
        clearTimeout(late);
        yield next.value;
      } finally {
        clearTimeout(late);
        if (of === 'whole') this.#notify(false);
      }
    }
  }

  /** A message whose connection has gone has no socket any more. */
  #notify(isAwaited: boolean): void {
    const { socket } = this.#incoming as { readonly socket: Socket | null };
    if (socket !== null) this.#waits?.awaitsBody(socket, isAwaited);
  }

  /** A small body that unpacks to a large one is a bomb; nobody needs it on a connection of our own. */
  #refuseEncoded(): void {
    const encoding = this.#incoming.headers['content-encoding'];
    if (encoding === undefined || encoding === 'identity') return;
    throw new Problem(415, 'bad-encoding', 'bodies with a Content-Encoding are not taken', {
      hint: 'send the body as it is.',
    });
  }
}

function slowBody(ms: number): Problem {
  return new Problem(408, 'slow-body', `the body did not come within ${ms / 1000} s`, {
    headers: { connection: 'close' },
  });
}

/** Nothing else ends a body before its end: that is no bug of ours. */
function clientGone(cause: unknown): Problem {
  return new Problem(499, 'client-gone', 'the client closed the connection in the middle of the body', { cause });
}
