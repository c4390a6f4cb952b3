// Names for new events: the object's name and a hexadecimal that no other event of this process has.
import type { Clock } from '../clock.ts';
import type { Random } from '../random.ts';

const LONGEST_NAME = 253;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

export class EventNames {
  readonly #clock: Clock;
  readonly #random: Random;
  #last = 0n;

  constructor(clock: Clock, random: Random) {
    this.#clock = clock;
    this.#random = random;
  }

  /** Like client-go's, nanoseconds since the epoch; below the milliseconds random, so that replicas do not collide. */
  next(objectName: string): string {
    const nanos = BigInt(this.#clock.now()) * 1_000_000n + BigInt(Math.floor(this.#random() * 1_000_000));
    this.#last = nanos > this.#last ? nanos : this.#last + 1n;
    const suffix = `.${this.#last.toString(16)}`;
    return `${asSubdomain(objectName, LONGEST_NAME - suffix.length)}${suffix}`;
  }
}

/** Names of objects need not be valid names of events (an IPAddress is called 2001:db8::1). */
function asSubdomain(name: string, longest: number): string {
  const plain = name.toLowerCase().replace(/[^a-z0-9.-]+/g, '-');
  const cut = plain.slice(0, longest).replace(/^[-.]+|[-.]+$/g, '');
  return SUBDOMAIN.test(cut) ? cut : 'event';
}
