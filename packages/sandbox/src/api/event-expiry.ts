// Events are forgotten an hour after they were last written, as etcd's leases make the real server do. Old ones go
// when a new one comes: without new ones, nobody minds.
import type { ServerState } from './server-state.ts';

const HOUR = 3_600_000;

export class EventExpiry {
  readonly #state: ServerState;
  /** When each was last written, the oldest first. */
  readonly #written = new Map<string, number>();

  constructor(state: ServerState) {
    this.#state = state;
  }

  follow(): void {
    this.#state.store.listen('events', ({ type, key }) => {
      this.#written.delete(key);
      if (type === 'DELETED') return;
      this.#written.set(key, this.#state.now());
      this.#expire();
    });
  }

  #expire(): void {
    const type = this.#state.registry.byName('events');
    const table = this.#state.store.table('events');
    for (const [key, written] of this.#written) {
      if (written + HOUR > this.#state.now()) return;
      const event = table.get(key);
      this.#written.delete(key);
      if (type !== undefined && event !== undefined) this.#state.remove(type, event);
    }
  }
}
