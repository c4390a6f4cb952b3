// A row of a flow log is evidence: its address was in use. Then nobody is no candidate, and one candidate is the holder.
// Where the ledger is certain that nobody had the address, the row contradicts it, which is shown and never bent: a
// spoofed source, a clock that is wrong, or an error of ours.
import type { Attributed, Attribution } from './attribution.ts';

/** How far the clocks of a log and of a cluster may be apart before a row contradicts. */
const CLOCKS_APART_MS = 5000;

/** What is said of an address that sent something between `from` and `to`. */
export function inUse(attribution: Attribution, from: number, to: number): Attribution {
  if (attribution.answer === 'ambiguous' && attribution.isOnly === true) return heldByTraffic(attribution);
  return isContradicted(attribution, from, to) ? contradicted(attribution) : attribution;
}

/** One for all rows with the attribution, so that its text is made once. */
const held = new WeakMap<Attribution, Attribution>();
const contradictions = new WeakMap<Attribution, Attribution>();

function heldByTraffic(attribution: Attribution): Attribution {
  let known = held.get(attribution);
  if (known === undefined) {
    known = { ...attribution, answer: 'held', isOnly: false, basis: 'traffic' };
    held.set(attribution, known);
  }
  return known;
}

function contradicted(attribution: Attribution): Attribution {
  let known = contradictions.get(attribution);
  if (known === undefined) contradictions.set(attribution, (known = { ...attribution, reason: CONTRADICTED }));
  return known;
}

export const CONTRADICTED = 'contradicted' as const;

/**
 * Certainly nobody's, and of the cluster: somebody had it before or after, and not so near in time that two clocks could
 * be what differs. Addresses that nobody of the cluster ever had are others' to use.
 */
function isContradicted({ answer, provisional, reason, last, next }: Attribution, from: number, to: number): boolean {
  if (answer !== 'free' || provisional || reason !== undefined) return false;
  if (last === undefined && next === undefined) return false;
  return !isNear(last, from) && !(next?.since !== undefined && next.since - to <= CLOCKS_APART_MS);
}

function isNear(last: Attributed | undefined, from: number): boolean {
  return last?.until !== undefined && from - last.until <= CLOCKS_APART_MS;
}
