// What an object says that cannot be right: times of a wrong clock, and texts in the place of an address. Each is recorded
// when it is new, with the object named and, where the node can be at fault, the node.
import type { LiveHolder } from '../model/fact.ts';
import type { Anomaly } from '../model/records.ts';
import type { EpochMillis } from '../model/time.ts';
import { unparsableAddresses } from './addresses.ts';
import { clockFaults } from './evidence.ts';
import type { Observed } from './observation.ts';

type Found = Pick<Anomaly, 'what' | 'uid' | 'detail'>;

/** An object keeps its wrong text through all its updates; of so many it is remembered that it was recorded. */
const REMEMBERED = 10_000;

export class Anomalies {
  readonly #recorded = new Map<string, string>();

  of(before: LiveHolder | undefined, seen: Observed, at: EpochMillis): Found[] {
    const { uid } = seen.object.metadata;
    const found: Found[] = clockFaults(before, seen, at).map((detail) => ({ what: 'clock-skew', uid, detail }));
    const detail = unparsableAddresses(seen);
    if (detail === undefined) this.#recorded.delete(uid);
    else if (this.#recorded.get(uid) !== detail) {
      this.#recorded.set(uid, detail);
      const [oldest] = this.#recorded.keys();
      if (this.#recorded.size > REMEMBERED && oldest !== undefined) this.#recorded.delete(oldest);
      found.push({ what: 'unparsable-address', uid, detail });
    }
    return found;
  }
}
