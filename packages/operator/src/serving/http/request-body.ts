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
  /**
   * How long in all one that is read as it comes may be waited for. Each kilobyte gives a second back, up to that again: a
   * sender may pause, and who is slower than a kilobyte a second for long is refused.
   */
  readonly pausesMs: number;
}

/** Is notified when a body that is read as a whole is waited for, and when it is not any more. */
export interface BodyWaits {
  awaitsBody(socket: Socket, isAwaited: boolean): void;
}

export interface JsonOptions {
  /** kubectl sends none. */
  readonly mayLackType?: boolean;
  readonly mostMembers?: number;
}

/**
 * Of JSON, at all depths: an object of many takes long to be made, however short they are. A thousand questions have
 * some thousands.
 */
const MOST_MEMBERS = 8_192;
const LEAST_BYTES = 1024;
/** What a kilobyte is worth of the pauses. */
const KILOBYTE_MS = 1000;

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
  async json(
    mostBytes: number,
    { mayLackType = false, mostMembers = MOST_MEMBERS }: JsonOptions = {},
  ): Promise<unknown> {
    if (this.type !== 'application/json' && !(mayLackType && this.type === '')) {
      throw new Problem(415, 'bad-media-type', `the body is ${this.type || 'of no type'}, not application/json`, {
        hint: 'send JSON with Content-Type: application/json.',
      });
    }
    const bytes = await this.whole(mostBytes);
    if (hasMoreMembers(bytes, mostMembers)) {
      throw new Problem(400, 'bad-body', `the body has more than ${mostMembers} members`, {
        hint: 'send it in parts.',
      });
    }
    try {
      return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
    } catch {
      throw new Problem(400, 'bad-body', 'the body is not JSON', { hint: 'send one JSON document in UTF-8.' });
    }
  }

  /**
   * As it comes, and no faster than it is taken. Whoever reads it so has few places for those who send, and its connection
   * counts as being answered all the time: an honest log may be slow, but not for ever.
   */
  async *chunks(): AsyncGenerator<Buffer> {
    this.#refuseEncoded();
    yield* this.#within(this.#limits.chunkMs, 'each kilobyte');
  }

  /**
   * Rejects when it was waited for too long: for the whole, for the next kilobyte, or in all for what has come; and when the
   * client goes in the middle of it. The connection stays open meanwhile: a stream that is destroyed takes its socket along, and the refusal
   * would never be sent.
   */
  async *#within(ms: number, of: 'whole' | 'each kilobyte'): AsyncGenerator<Buffer> {
    const chunks = this.#incoming.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
    let giveUp: (error: Problem) => void = () => {};
    const { pausesMs } = this.#limits;
    let waited = 0;
    let came = 0;
    /** Of the pauses, what was taken and not given back. */
    let paused = 0;
    while (true) {
      const begun = performance.now();
      if (of === 'whole') this.#notify(true);
      const left = of === 'whole' ? Number.POSITIVE_INFINITY : pausesMs - paused;
      const slow = () => giveUp(left < ms - waited ? pausedBody(pausesMs) : slowBody(ms, of));
      const late = setTimeout(slow, Math.max(0, Math.min(ms - waited, left)));
      try {
        // One promise for each chunk: a race with one for all of them would keep every chunk until the end.
        const next = await new Promise<IteratorResult<Buffer>>((resolve, reject) => {
          giveUp = reject;
          chunks.next().then(resolve, (cause: unknown) => reject(clientGone(cause)));
        });
        if (next.done === true) return;
        const took = performance.now() - begun;
        waited += took;
        came += next.value.length;
        paused = Math.max(0, paused + took - (next.value.length / LEAST_BYTES) * KILOBYTE_MS);
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

/** Colons outside of texts. */
function hasMoreMembers(bytes: Uint8Array, most: number): boolean {
  // Each has a name and a value.
  if (bytes.length < most * LEAST_MEMBER_BYTES) return false;
  let members = 0;
  let isInString = false;
  for (let i = 0; i < bytes.length; i++) {
    const byte = bytes[i];
    if (isInString) {
      // A backslash takes what is behind it along.
      if (byte === 92) i++;
      else if (byte === 34) isInString = false;
    } else if (byte === 34) isInString = true;
    else if (byte === 58 && ++members > most) return true;
  }
  return false;
}

/** `"":1` */
const LEAST_MEMBER_BYTES = 4;

function slowBody(ms: number, of: 'whole' | 'each kilobyte'): Problem {
  const [what, hint] =
    of === 'whole'
      ? ['the body', 'send it faster, or in parts.']
      : ['the next kilobyte of the body', 'collect what comes slowly, and send it together.'];
  return new Problem(408, 'slow-body', `${what} did not come within ${ms / 1000} s`, {
    hint,
    headers: { connection: 'close' },
  });
}

function pausedBody(ms: number): Problem {
  return new Problem(
    408,
    'slow-body',
    `the body came more slowly than 1 KiB a second, and was waited for ${ms / 1000} s`,
    {
      hint: 'collect what comes slowly, and send it together.',
      headers: { connection: 'close' },
    },
  );
}

/** Nothing else ends a body before its end: that is no bug of ours. */
function clientGone(cause: unknown): Problem {
  return new Problem(499, 'client-gone', 'the client closed the connection in the middle of the body', { cause });
}
