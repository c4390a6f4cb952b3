// The canonical export: every record of a cluster, one JSON line each, in one order and one form. Two stores that
// hold the same facts give the same bytes, whatever their engine and the order in which they learned them.
import type { StoredFact } from '../model/fact.ts';
import { recordOf } from '../model/occurrence.ts';
import { restoredFact } from '../observe/live-state.ts';
import { isOccurrence, occurrenceKinds, typeOf } from './occurrences/registry.ts';
import { comparePlaces, compareTexts, coveragePlace, type Place } from './order.ts';

/** In the order of an export. */
export function factKinds(): StoredFact['kind'][] {
  return ['coverage', 'tenure', 'placement', ...occurrenceKinds(), 'possible', 'live'];
}

/** Tenures, placements and live holders by UID, the others by time: the order in which engines can stream them. */
export function canonicalOrder(facts: Iterable<StoredFact>): StoredFact[] {
  const kinds = factKinds();
  const placed = Array.from(facts, (fact) => ({ fact, kind: kinds.indexOf(fact.kind), place: placeOf(fact) }));
  placed.sort((a, b) => a.kind - b.kind || comparePlaces(a.place, b.place) || compareTexts(a.place.tie, b.place.tie));
  return placed.map(({ fact }) => fact);
}

/** `tie` orders what has the same key. */
function placeOf(fact: StoredFact): Place & { readonly tie: string } {
  if (isOccurrence(fact)) return { ...typeOf(fact.kind).place(recordOf(fact) as never), tie: '' };
  switch (fact.kind) {
    case 'coverage':
      return { ...coveragePlace(fact.coverage), tie: '' };
    case 'tenure': {
      const { ip, holder, start } = fact.tenure;
      return { time: 0, key: holder.uid, tie: `${ip}|${start.epoch}|${start.resourceVersion}` };
    }
    case 'placement':
      return { time: 0, key: fact.placement.pod.uid, tie: '' };
    case 'possible':
      return { time: 0, key: fact.key, tie: '' };
    case 'live':
      return { time: 0, key: fact.uid, tie: '' };
  }
}

/** One line without its line end: keys sorted, absent values left out, nothing outside ASCII printables raw. */
export function canonicalLine(fact: StoredFact): string {
  return format(restoredFact(fact)).replace(
    /[\u007f-\uffff]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}

function format(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(format).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  fields.sort(([a], [b]) => compareTexts(a, b));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${format(field)}`).join(',')}}`;
}
