// How much evidence is stored about one object: so many records within an hour, and the rest as the count of the last of
// them. Whoever may write Events decides how many there are, so what is kept to know that is bounded, too. What objects
// themselves show has a budget of its own: of a taint that is put on and taken off, both are stored or the history is wrong.
import type { Evidence, EvidenceKind } from '../../model/evidence.ts';
import type { EpochMillis } from '../../model/time.ts';
import { digestOf } from './digest.ts';

const MOST_AN_HOUR = 64;
/**
 * A kubelet writes its status every 10 s: a node that is lost and back each time shows six changes in 20 s (`Ready`, and
 * two taints), 1,080 in an hour. The rest is for cordons, pressure, boots and taints of others.
 */
const MOST_OF_A_NODE = 1536;
/** Objects with evidence in this hour that are known; where there are more, the oldest begins again. */
const MOST_OBJECTS = 8192;
const HOUR_MS = 3_600_000;

/** Once or twice in the life of an object, and nothing else says it: whatever else was said about the object before. */
const ALWAYS: ReadonlySet<EvidenceKind> = new Set(['created', 'terminating', 'deleted', 'owned']);

interface Use {
  /** Digests of the ids that were stored. */
  readonly ids: number[];
  /** The last that is stored, once no more are. */
  last: Evidence | undefined;
  /** What came after it and is not stored. */
  rest: number;
}

export class EvidenceBudget {
  readonly #uses = new Map<string, Use>();
  #hour = 0;

  /** What to store of it; undefined where that is nothing. `at` is when it was observed. */
  apply(evidence: Evidence, at: EpochMillis): Evidence | undefined {
    // Of its own streams the recorder says little, and the last of it must be there.
    if (evidence.about.kind === 'Stream' || ALWAYS.has(evidence.what)) return evidence;
    const hour = Math.floor(at / HOUR_MS);
    if (hour !== this.#hour) this.#uses.clear();
    this.#hour = hour;
    const isEvent = evidence.what === 'event';
    const use = this.#use(evidence, isEvent);
    const id = digestOf(evidence.id);
    if (use.ids.includes(id)) {
      if (use.last?.id !== evidence.id) return evidence;
      use.last = evidence;
      return { ...evidence, count: evidence.count + use.rest };
    }
    const most = isEvent || evidence.about.kind !== 'Node' ? MOST_AN_HOUR : MOST_OF_A_NODE;
    if (use.ids.length < most) {
      use.ids.push(id);
      if (use.ids.length === most) use.last = evidence;
      return evidence;
    }
    use.rest++;
    // A flood is written as often as its size has doubled: the count is at most so much behind.
    const isDoubled = (use.rest & (use.rest - 1)) === 0;
    return isDoubled && use.last !== undefined ? { ...use.last, count: use.last.count + use.rest } : undefined;
  }

  #use({ about }: Evidence, isEvent: boolean): Use {
    // The UID of an Event is whatever its author wrote: alone it would use up what is stored about another object.
    const key = `${isEvent}/${about.kind}/${about.namespace}/${about.name}/${about.uid}`;
    const known = this.#uses.get(key);
    if (known !== undefined) return known;
    const use: Use = { ids: [], last: undefined, rest: 0 };
    this.#uses.set(key, use);
    const [oldest] = this.#uses.keys();
    if (this.#uses.size > MOST_OBJECTS && oldest !== undefined) this.#uses.delete(oldest);
    return use;
  }
}
