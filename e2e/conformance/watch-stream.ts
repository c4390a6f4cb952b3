// One watch as a case reads it: event after event, with a deadline for each, so that a server that stays silent fails
// the case instead of hanging it.
import type { IncomingMessage } from 'node:http';
import type { Json } from './raw-client.ts';

export interface WatchEvent {
  readonly type: string;
  readonly object: Json;
}

export class WatchStream {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly #response: IncomingMessage;
  readonly #patienceMs: number;
  readonly #arrived: WatchEvent[] = [];
  #ended = false;
  #failure: Error | undefined;
  #wake: () => void = () => {};

  constructor(response: IncomingMessage, patienceMs: number) {
    this.status = response.statusCode ?? 0;
    this.headers = response.headers;
    this.#response = response;
    this.#patienceMs = patienceMs;
    let rest = '';
    response.setEncoding('utf8');
    response.on('data', (text: string) => {
      const lines = (rest + text).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) if (line.trim() !== '') this.#arrived.push(parse(line));
      this.#wake();
    });
    response.on('end', () => {
      if (rest.trim() !== '') this.#arrived.push(parse(rest));
      this.#ended = true;
      this.#wake();
    });
    response.on('error', (error) => {
      this.#failure = error;
      this.#wake();
    });
    response.on('close', () => {
      if (!this.#ended) this.#failure ??= new Error('the watch was cut');
      this.#wake();
    });
  }

  /** The next event, or undefined at the clean end of the stream. */
  async next(): Promise<WatchEvent | undefined> {
    let late = false;
    const timer = setTimeout(() => {
      late = true;
      this.#wake();
    }, this.#patienceMs);
    try {
      while (this.#arrived.length === 0 && !this.#ended) {
        if (this.#failure) throw this.#failure;
        if (late) throw new Error(`the watch was silent for ${this.#patienceMs / 1000} s`);
        await new Promise<void>((resolve) => {
          this.#wake = resolve;
        });
      }
    } finally {
      clearTimeout(timer);
    }
    return this.#arrived.shift();
  }

  async take(count: number): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    while (events.length < count) {
      const event = await this.next();
      if (event === undefined) throw new Error(`the watch ended after ${events.length} of ${count} events`);
      events.push(event);
    }
    return events;
  }

  /** Reads up to and including the first event that matches. */
  async until(matches: (event: WatchEvent) => boolean): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    for (;;) {
      const [event] = (await this.take(1)) as [WatchEvent];
      events.push(event);
      if (matches(event)) return events;
    }
  }

  /** All that is still to come, for a stream that the server ends. */
  async rest(): Promise<WatchEvent[]> {
    const events: WatchEvent[] = [];
    for (let event = await this.next(); event !== undefined; event = await this.next()) events.push(event);
    return events;
  }

  close(): void {
    this.#response.destroy();
  }
}

/** A refusal is not framed as an event; it is kept as one so that the case can read it. */
function parse(line: string): WatchEvent {
  const value = JSON.parse(line);
  return 'type' in value && 'object' in value ? value : { type: '(no event)', object: value };
}
