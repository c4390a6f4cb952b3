// One direction of one proxied connection: reads a socket, keeps each chunk for its delay, writes it to the other.
// Order is kept, memory is bounded, and while held neither bytes nor the end are passed on.
import type { Socket } from 'node:net';

export interface DirectionRules {
  /** Milliseconds that a chunk arriving now has to wait. */
  delay(): number;
  passed(bytes: number): void;
}

/** More than this under way in one direction, and the source is not read any further. */
const MOST_QUEUED_BYTES = 4 * 1024 * 1024;

export class ProxyDirection {
  readonly #source: Socket;
  readonly #target: Socket;
  readonly #rules: DirectionRules;
  /** `undefined` in place of a chunk is the end of the stream. */
  readonly #queue: { chunk: Buffer | undefined; due: number }[] = [];
  #queuedBytes = 0;
  #held = true;
  #blocked = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(source: Socket, target: Socket, rules: DirectionRules) {
    this.#source = source;
    this.#target = target;
    this.#rules = rules;
    source.on('data', (chunk: Buffer) => this.#add(chunk));
    source.on('end', () => this.#add(undefined));
    target.on('drain', () => {
      this.#blocked = false;
      this.#flow();
    });
    // Listening for data starts a socket; this one waits for its release.
    source.pause();
  }

  hold(): void {
    this.#held = true;
    this.#source.pause();
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  release(): void {
    this.#held = false;
    this.#flow();
  }

  /** Forgets what is under way. */
  drop(): void {
    clearTimeout(this.#timer);
    this.#queue.length = 0;
  }

  #add(chunk: Buffer | undefined): void {
    this.#queue.push({ chunk, due: performance.now() + this.#rules.delay() });
    this.#queuedBytes += chunk?.length ?? 0;
    this.#flow();
  }

  /** Writes what is due, arms the timer for what is not, and reads on when there is room. */
  #flow(): void {
    if (this.#held) return;
    let head = this.#queue[0];
    while (head && !this.#blocked && head.due <= performance.now()) {
      this.#queue.shift();
      if (head.chunk === undefined) this.#target.end();
      else {
        this.#queuedBytes -= head.chunk.length;
        this.#rules.passed(head.chunk.length);
        this.#blocked = !this.#target.write(head.chunk);
      }
      head = this.#queue[0];
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (head && !this.#blocked) {
      this.#timer = setTimeout(() => this.#flow(), Math.max(1, Math.ceil(head.due - performance.now())));
    }
    if (this.#queuedBytes > MOST_QUEUED_BYTES) this.#source.pause();
    else if (this.#source.isPaused()) this.#source.resume();
  }
}
