// The body of a request, whole or as it comes. Nothing is read before somebody asks for it, never more than was allowed,
// and not for longer: whoever sends slowly is refused, and what nobody reads is never taken.
import type { IncomingMessage } from 'node:http';
import { Problem } from '../problem.ts';

/** From the first look to the last byte, of a body that is read as a whole. */
const WHOLE_MS = 15_000;
/** Between two chunks of one that is read as it comes. */
const CHUNK_MS = 30_000;

export class RequestBody {
  readonly #incoming: IncomingMessage;

  constructor(incoming: IncomingMessage) {
    this.#incoming = incoming;
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
    const late = setTimeout(() => this.#incoming.destroy(slowBody(WHOLE_MS)), WHOLE_MS);
    try {
      const chunks: Buffer[] = [];
      let length = 0;
      for await (const chunk of this.#incoming as AsyncIterable<Buffer>) {
        length += chunk.length;
        if (length > mostBytes) throw tooLarge();
        chunks.push(chunk);
      }
      return Buffer.concat(chunks, length);
    } finally {
      clearTimeout(late);
    }
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

  /** As it comes, and no faster than it is taken. */
  async *chunks(): AsyncGenerator<Buffer> {
    this.#refuseEncoded();
    let late: NodeJS.Timeout | undefined;
    const wait = () => {
      late = setTimeout(() => this.#incoming.destroy(slowBody(CHUNK_MS)), CHUNK_MS);
    };
    try {
      wait();
      for await (const chunk of this.#incoming as AsyncIterable<Buffer>) {
        clearTimeout(late);
        yield chunk;
        wait();
      }
    } finally {
      clearTimeout(late);
    }
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
