// Audit events that wait to be read, bounded in bytes and in number, together with what has arrived of those that are not
// whole yet. A full queue refuses: the API server keeps what it could not send, and sends it again.

export interface AuditQueueLimits {
  readonly bytes: number;
  readonly events: number;
}

const QUEUE_LIMITS: AuditQueueLimits = { bytes: 32 << 20, events: 20_000 };
/** What a Buffer costs beside its bytes. */
const OVERHEAD = 256;

export class AuditQueue {
  readonly #limits: AuditQueueLimits;
  #events: Buffer[] = [];
  #bytes = 0;
  #arriving = 0;
  #arrived = Promise.withResolvers<void>();

  constructor(limits: AuditQueueLimits = QUEUE_LIMITS) {
    this.#limits = limits;
  }

  /** Of those that wait and of those that are not whole yet. */
  get bytes(): number {
    return this.#bytes + this.#arriving;
  }

  get size(): number {
    return this.#events.length;
  }

  get isFull(): boolean {
    return this.bytes >= this.#limits.bytes || this.#events.length >= this.#limits.events;
  }

  /** False: there is no room. */
  push(event: Buffer): boolean {
    const bytes = event.length + OVERHEAD;
    if (this.#events.length >= this.#limits.events || this.bytes + bytes > this.#limits.bytes) return false;
    this.#events.push(event);
    this.#bytes += bytes;
    this.#arrived.resolve();
    return true;
  }

  /** So many bytes more, or less, of events that are not whole yet; false: there is no room. */
  hold(bytes: number): boolean {
    if (bytes > 0 && this.bytes + bytes > this.#limits.bytes) return false;
    this.#arriving += bytes;
    return true;
  }

  /** The oldest, about so many bytes of them; none where there are none. */
  take(bytes: number): Buffer[] {
    let taken = 0;
    let count = 0;
    while (count < this.#events.length && taken < bytes) taken += this.#events[count++]!.length + OVERHEAD;
    const events = this.#events.slice(0, count);
    this.#events = this.#events.slice(count);
    this.#bytes -= taken;
    if (this.#events.length === 0) this.#arrived = Promise.withResolvers();
    return events;
  }

  /** Resolves when there is something to take. */
  get arrived(): Promise<void> {
    return this.#arrived.promise;
  }
}
