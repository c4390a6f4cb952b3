// The canonical export: every record of a cluster, one JSON line each, in one order and one spelling. Two stores that
// hold the same facts give the same bytes, whatever their engine and the order in which they learned them.
import type { StoredFact } from '../model/fact.ts';
import { restoredFact } from '../observe/live-state.ts';
import {
  anomalyPlace,
  changePlace,
  comparePlaces,
  compareTexts,
  conflictPlace,
  coveragePlace,
  type Place,
} from './order.ts';

export const KINDS: readonly StoredFact['kind'][] = [
  'coverage',
  'tenure',
  'placement',
  'change',
  'conflict',
  'anomaly',
  'possible',
  'live',
];

/** Tenures, placements and live holders by UID, the others by time: the order in which engines can stream them. */
export function canonicalOrder(facts: Iterable<StoredFact>): StoredFact[] {
  const placed = Array.from(facts, (fact) => ({ fact, kind: KINDS.indexOf(fact.kind), place: placeOf(fact) }));
  placed.sort((a, b) => a.kind - b.kind || comparePlaces(a.place, b.place) || compareTexts(a.place.tie, b.place.tie));
  return placed.map(({ fact }) => fact);
}

/** `tie` orders what has the same key. */
function placeOf(fact: StoredFact): Place & { readonly tie: string } {
  switch (fact.kind) {
    case 'coverage':
      return { ...coveragePlace(fact.coverage), tie: '' };
    case 'tenure': {
      const { ip, holder, start } = fact.tenure;
      return { time: 0, key: holder.uid, tie: `${ip}|${start.epoch}|${start.resourceVersion}` };
    }
    case 'placement':
      return { time: 0, key: fact.placement.pod.uid, tie: '' };
    case 'change':
      return { ...changePlace(fact.change), tie: '' };
    case 'conflict':
      return { ...conflictPlace(fact.conflict), tie: '' };
    case 'anomaly':
      return { ...anomalyPlace(fact.anomaly), tie: '' };
    case 'possible':
      return { time: 0, key: fact.key, tie: '' };
    case 'live':
      return { time: 0, key: fact.uid, tie: '' };
  }
}

/** One line without its line end: keys sorted, absent values left out, nothing outside ASCII printables raw. */
export function canonicalLine(fact: StoredFact): string {
  return spell(restoredFact(fact)).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function spell(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spell).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  fields.sort(([a], [b]) => compareTexts(a, b));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${spell(field)}`).join(',')}}`;
}
