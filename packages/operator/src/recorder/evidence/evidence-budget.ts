// How much evidence a stream may bring in a time: in all, from one namespace, and about one object. Who may write Events
// must fill no disk, and one namespace must not use up what the others need. Never waits: what is over is not kept.
import type { Clock } from '@podtrail/machinery';

export interface EvidenceLimits {
  /** Per minute. */
  readonly inAll: number;
  readonly ofNamespace: number;
  /** Per hour. */
  readonly ofObject: number;
}

/**
 * About one object: clients of Kubernetes send 25 Events at once and then one in five minutes, 37 in an hour. With those
 * that are only shown beside, and with what is no Event, that fits into what history stores of one object in an hour
 * (explain/observe/evidence-budget.ts).
 */
export const TELLING_LIMITS: EvidenceLimits = { inAll: 2_000, ofNamespace: 1_000, ofObject: 40 };
export const BESIDE_LIMITS: EvidenceLimits = { inAll: 500, ofNamespace: 250, ofObject: 12 };

/** The first listing brings what an hour left behind: so many minutes' worth of it. */
const LISTED_MINUTES = 5;
const MINUTE_MS = 60_000;
const OBJECT_WINDOW_MS = 3_600_000;
/** Objects that are known at once; where there are more, all begin again. */
const MOST_OBJECTS = 20_000;

export interface Subject {
  readonly namespace: string;
  /** Unique among the objects of the stream. */
  readonly object: string;
}

export class EvidenceBudget {
  readonly #clock: Clock;
  readonly #limits: EvidenceLimits;
  #minute: number;
  #factor = LISTED_MINUTES;
  #inAll = 0;
  /** Invariant: no more entries than the budget of a minute. */
  readonly #ofNamespace = new Map<string, number>();
  /** Invariant: at most MOST_OBJECTS entries. */
  readonly #ofObject = new Map<string, number>();
  #objectWindow: number;

  constructor(clock: Clock, limits: EvidenceLimits) {
    this.#clock = clock;
    this.#limits = limits;
    this.#minute = clock.monotonic();
    this.#objectWindow = this.#minute;
  }

  /** Undefined: it may be kept. Else the namespace in which something is now missing; empty: everywhere. */
  take({ namespace, object }: Subject): string | undefined {
    this.#turn();
    const { inAll, ofNamespace, ofObject } = this.#limits;
    if (this.#inAll >= inAll * this.#factor) return '';
    const inNamespace = this.#ofNamespace.get(namespace) ?? 0;
    const aboutObject = this.#ofObject.get(object) ?? 0;
    if (inNamespace >= ofNamespace * this.#factor || aboutObject >= ofObject) return namespace;
    this.#inAll++;
    this.#ofNamespace.set(namespace, inNamespace + 1);
    this.#ofObject.set(object, aboutObject + 1);
    return undefined;
  }

  #turn(): void {
    const now = this.#clock.monotonic();
    if (now - this.#minute >= MINUTE_MS) {
      this.#minute = now;
      this.#factor = 1;
      this.#inAll = 0;
      this.#ofNamespace.clear();
    }
    if (now - this.#objectWindow >= OBJECT_WINDOW_MS || this.#ofObject.size >= MOST_OBJECTS) {
      this.#objectWindow = now;
      this.#ofObject.clear();
    }
  }
}
