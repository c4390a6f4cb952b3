// How far a reflector has followed its collection, and when it last received something. Written by the reflector only.
import type { Clock } from '../clock.ts';

export class Position {
  readonly #clock: Clock;
  #version: string | undefined;
  #seenAt: number | undefined;
  #receivedAt: number | undefined;
  #isFresh = false;

  /** `startFrom`: the version that a store has reached; undefined without one. */
  constructor(clock: Clock, startFrom: string | undefined) {
    this.#clock = clock;
    this.#version = startFrom;
  }

  /** Invariant: never passes an event that the target has not applied. Undefined before the first listing. */
  get version(): string | undefined {
    return this.#version;
  }

  /** Wall clock: everything that happened until then has been delivered. Undefined before the first listing. */
  get seenAt(): number | undefined {
    return this.#seenAt;
  }

  /** Nothing was received since the listing: a 410 that follows at once must not become a loop of listings. */
  get isFresh(): boolean {
    return this.#isFresh;
  }

  /** Milliseconds since the last frame or listing; undefined before the first. */
  get silentMs(): number | undefined {
    return this.#receivedAt === undefined ? undefined : this.#clock.monotonic() - this.#receivedAt;
  }

  listed(version: string, at: number): void {
    this.#version = version;
    this.#seenAt = at;
    this.#receivedAt = this.#clock.monotonic();
    this.#isFresh = true;
  }

  /** An event or a bookmark arrived, of whatever version. */
  received(): void {
    this.#seenAt = this.#clock.now();
    this.#receivedAt = this.#clock.monotonic();
    this.#isFresh = false;
  }

  /** Everything up to this version has been applied. */
  reached(version: string): void {
    this.#version = version;
  }

  /** The server itself ended a watch in order: it had nothing more to deliver until now. */
  completed(): void {
    if (this.#seenAt !== undefined) this.#seenAt = this.#clock.now();
  }
}
