// Under which UID a mirror pod is known: the first that was seen of its identity. Everything that is observed passes here
// first, so that the rest of the ledger sees one pod where the API shows several, one after the other.
import type { LiveHolder } from '../model/fact.ts';
import { mirrorOf } from './mirror.ts';
import type { Observation, Observed } from './observation.ts';

interface Known {
  mirror(mirror: string): LiveHolder | undefined;
  readonly going: { mirror(mirror: string): LiveHolder | undefined };
}

const MOST_KNOWN = 10_000;

export class MirrorIdentities {
  /** From the UID in the API to the one that is known. */
  readonly #known = new Map<string, string>();

  uidOf(uid: string): string {
    return this.#known.get(uid) ?? uid;
  }

  /** The observation with the UIDs that are known. */
  known(given: Observation, live: Known): Observation {
    switch (given.kind) {
      case 'event':
      case 'corrected': {
        const seen = this.#identified(given.seen, live);
        return seen === given.seen ? given : { ...given, seen };
      }
      case 'listed': {
        if (given.resource !== 'Pod') return given;
        const present = given.present.map((seen) => this.#identified(seen, live));
        return { ...given, present, goneUids: given.goneUids.map((uid) => this.uidOf(uid)) };
      }
      case 'checked':
        return this.#known.size === 0 ? given : { ...given, uids: given.uids.map((uid) => this.uidOf(uid)) };
      default:
        return given;
    }
  }

  #identified(seen: Observed, live: Known): Observed {
    if (seen.kind !== 'Pod') return seen;
    const mirror = mirrorOf(seen.object);
    if (mirror === undefined) return seen;
    const { metadata } = seen.object;
    const first = (live.mirror(mirror) ?? live.going.mirror(mirror))?.holder.uid;
    if (first === undefined || first === metadata.uid) return seen;
    this.#known.set(metadata.uid, first);
    const [oldest] = this.#known.keys();
    if (this.#known.size > MOST_KNOWN && oldest !== undefined) this.#known.delete(oldest);
    return { ...seen, object: { ...seen.object, metadata: { ...metadata, uid: first } } };
  }
}
