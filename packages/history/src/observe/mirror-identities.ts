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
  known(told: Observation, live: Known): Observation {
    switch (told.kind) {
      case 'event':
      case 'corrected': {
        const seen = this.#identified(told.seen, live);
        return seen === told.seen ? told : { ...told, seen };
      }
      case 'listed': {
        if (told.resource !== 'Pod') return told;
        const present = told.present.map((seen) => this.#identified(seen, live));
        return { ...told, present, goneUids: told.goneUids.map((uid) => this.uidOf(uid)) };
      }
      case 'checked':
        return this.#known.size === 0 ? told : { ...told, uids: told.uids.map((uid) => this.uidOf(uid)) };
      default:
        return told;
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
