// The events that wait to be written: a line for each namespace, so that one whose writes fail, by a webhook of its own
// for example, holds back no other, while the order within a namespace, and so of each object, is kept. Called by the
// recorder only.
import type { EventEntry } from './event-entry.ts';

/** Calls at once, whatever the number of namespaces. */
const PLACES = 4;

/** What a write holds while it calls the server. */
export interface Place {
  /** Until `enter` another namespace may call. The entry still waits, and still counts. */
  leave(): void;
  enter(): Promise<void>;
}

interface Line {
  /** In order. An entry is in here once, and written as it is when its turn comes. */
  readonly entries: Set<EventEntry>;
  readonly ended: Promise<void>;
}

export class EventLines {
  readonly #write: (entry: EventEntry, place: Place) => Promise<void>;
  /** Invariant: a line is in here as long as somebody writes it. */
  readonly #lines = new Map<string, Line>();
  #queued = 0;
  #outside = 0;
  #free = PLACES;
  readonly #waiters: (() => void)[] = [];

  /** `write` never throws. It holds a place when it is called, and when it ends. */
  constructor(write: (entry: EventEntry, place: Place) => Promise<void>) {
    this.#write = write;
  }

  /** Entries that wait, for their first call or for another one. */
  get size(): number {
    return this.#queued + this.#outside;
  }

  has(entry: EventEntry): boolean {
    return this.#lines.get(namespaceOf(entry))?.entries.has(entry) ?? false;
  }

  add(entry: EventEntry): void {
    if (this.has(entry)) return;
    this.#queued++;
    const namespace = namespaceOf(entry);
    const line = this.#lines.get(namespace);
    if (line !== undefined) {
      line.entries.add(entry);
      return;
    }
    const entries = new Set([entry]);
    this.#lines.set(namespace, { entries, ended: this.#writeLine(namespace, entries) });
  }

  /** Resolves when nothing waits and nothing is being written. */
  async whenEmpty(): Promise<void> {
    while (this.#lines.size > 0) await Promise.all([...this.#lines.values()].map(({ ended }) => ended));
  }

  /** Forgets what waits for its first call. Returns how much that was. */
  clear(): number {
    const forgotten = this.#queued;
    this.#queued = 0;
    for (const { entries } of this.#lines.values()) entries.clear();
    return forgotten;
  }

  async #writeLine(namespace: string, entries: Set<EventEntry>): Promise<void> {
    // Lets the caller of `record` go on first.
    await Promise.resolve();
    const place: Place = {
      leave: () => {
        this.#outside++;
        this.#leave();
      },
      enter: async () => {
        await this.#enter();
        this.#outside--;
      },
    };
    while (entries.size > 0) {
      await this.#enter();
      const [entry] = entries;
      if (entry !== undefined) {
        entries.delete(entry);
        this.#queued--;
        await this.#write(entry, place);
      }
      this.#leave();
    }
    // In the same step as the last look: an event recorded in between would wait for a writer that has left.
    this.#lines.delete(namespace);
  }

  #enter(): Promise<void> {
    if (this.#free === 0) return new Promise((resolve) => this.#waiters.push(resolve));
    this.#free--;
    return Promise.resolve();
  }

  #leave(): void {
    const next = this.#waiters.shift();
    if (next === undefined) this.#free++;
    else next();
  }
}

function namespaceOf(entry: EventEntry): string {
  return entry.event.metadata.namespace ?? '';
}
