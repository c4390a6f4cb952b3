// A peer that cannot be used for a question: down, too late, of another version, or sending what is no record.

export class PeerFailure extends Error {
  /** Its address. */
  readonly peer: string;
  /** A sentence without its end, for the document that says so. */
  readonly why: string;
  /** It is not there, or not what it should be: not asked again for a while. */
  readonly isLasting: boolean;

  constructor(peer: string, why: string, { isLasting = true, cause }: { isLasting?: boolean; cause?: unknown } = {}) {
    super(`the peer ${peer} ${why}`, { cause });
    this.name = new.target.name;
    this.peer = peer;
    this.why = why;
    this.isLasting = isLasting;
  }
}
