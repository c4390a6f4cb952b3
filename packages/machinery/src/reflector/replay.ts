// The span that a reflector replays after a restart: from a stored version up to that of the new listing.
import type { Cacheable } from '../objects/kube-object.ts';
import { keyOf } from '../objects/object-key.ts';
import { isOlder } from './version-order.ts';

export class Replay {
  readonly from: string;
  /** The listing's version: what is newer is news. */
  readonly to: string;
  #position: string;
  /** Replayed at `position`, where several objects may have changed at once. Undefined: everything was. */
  #replayed: Set<string> | undefined;

  constructor(from: string, to: string) {
    this.from = from;
    this.to = to;
    this.#position = from;
  }

  /** How far the replay has come; after a broken stream it goes on from here. */
  get position(): string {
    return this.#position;
  }

  /** Whether this object's event is still to be replayed; it then counts as replayed. */
  takes(object: Cacheable): boolean {
    const version = object.metadata.resourceVersion ?? '';
    const key = keyOf(object);
    if (isOlder(this.#position, version)) {
      this.#position = version;
      this.#replayed = new Set([key]);
      return true;
    }
    if (version !== this.#position || this.#replayed === undefined || this.#replayed.has(key)) return false;
    this.#replayed.add(key);
    return true;
  }

  /** Everything up to this version has been replayed. */
  reached(version: string): void {
    if (isOlder(version, this.#position)) return;
    this.#position = version;
    this.#replayed = undefined;
  }
}
