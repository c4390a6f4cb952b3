// The span that a reflector replays after a restart: from a stored version up to that of the new listing.
import { isOlder } from './version-order.ts';

export class Replay {
  readonly from: string;
  /** The listing's version: what is newer is news. */
  readonly to: string;
  #position: string;

  constructor(from: string, to: string) {
    this.from = from;
    this.to = to;
    this.#position = from;
  }

  /** How far the replay has come; after a broken stream it goes on from here. */
  get position(): string {
    return this.#position;
  }

  /** Everything up to this version has been replayed. */
  reached(version: string): void {
    if (!isOlder(version, this.#position)) this.#position = version;
  }
}
