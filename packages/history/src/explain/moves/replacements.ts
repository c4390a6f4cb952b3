// Ends and replacements of one controller, matched one to one in the order of time. Each end takes the first pod that may
// replace it and is not taken yet. Both are in order, so that one pass over them is enough: a controller may have
// thousands of pods, and a node pool that is drained ends all of them.
import type { PodLife } from '../../model/pod-life.ts';
import { endOf, MINUTE_MS, SECOND_MS } from '../traces.ts';

/** A controller may have to wait for quota or for its own turn. */
const REPLACED_WITHIN_MS = 15 * MINUTE_MS;

/** A life that has begun to end, and when who replaces it may have been made. */
export interface Ended {
  readonly life: PodLife;
  readonly end: number;
  readonly from: number;
  readonly to: number;
}

/** In the order of their ends; those that live are left out. */
export function inOrderOfEnd(lives: readonly PodLife[]): Ended[] {
  return lives
    .flatMap((life) => {
      const end = endOf(life);
      if (end === undefined) return [];
      // Times have a resolution of one second: one that was made within the second of the end may have come before it.
      return [{ life, end, from: end - SECOND_MS, to: Math.max(end, life.gone ?? end) + REPLACED_WITHIN_MS }];
    })
    .sort((a, b) => a.end - b.end || (a.life.pod.uid < b.life.pod.uid ? -1 : 1));
}

export function mayReplace(other: PodLife, { life, from, to }: Ended): boolean {
  return other.created >= from && other.created <= to && other.pod.uid !== life.pod.uid;
}

/** `made`: in the order of their creation. Who took the place of `life`; undefined: nobody. */
export function takerOf(life: PodLife, ended: readonly Ended[], made: readonly PodLife[]): PodLife | undefined {
  const taken = new Set<PodLife>();
  let first = 0;
  for (const one of ended) {
    // What was made before this end was made before every later one as well.
    while (first < made.length && (taken.has(made[first]!) || made[first]!.created < one.from)) first++;
    let at = first;
    // A pod that ended within the second of its creation does not replace itself.
    while (at < made.length && (taken.has(made[at]!) || made[at]!.pod.uid === one.life.pod.uid)) at++;
    const next = made[at];
    const taker = next !== undefined && mayReplace(next, one) ? next : undefined;
    if (one.life === life) return taker;
    if (taker !== undefined) taken.add(taker);
  }
  return undefined;
}
