// The span that a reflector replays after a restart: from a stored version up to the new listing's own.

export class CatchUp {
  readonly from: string;
  /** The listing's version: what is newer is news. */
  readonly to: string;
  /** How far the replay has come; a broken stream goes on from here. */
  position: string;

  constructor(from: string, to: string) {
    this.from = from;
    this.to = to;
    this.position = from;
  }
}
