// The canonical export: every record of a cluster, one JSON line each, in one order and one spelling. Two stores that
// hold the same facts give the same bytes, whatever their engine and the order in which they learned them.
import type { Fact } from '../model/fact.ts';
import {
  anomalyPlace,
  changePlace,
  comparePlaces,
  compareTexts,
  conflictPlace,
  coveragePlace,
  type Place,
} from './order.ts';

const KINDS: readonly Fact['kind'][] = ['coverage', 'tenure', 'placement', 'change', 'conflict', 'anomaly', 'live'];

/** Tenures, placements and live holders by UID, the others by time: the order in which engines can stream them. */
export function canonicalOrder(facts: Iterable<Fact>): Fact[] {
  return [...facts].sort((a, b) => KINDS.indexOf(a.kind) - KINDS.indexOf(b.kind) || withinKind(a, b));
}

function withinKind(a: Fact, b: Fact): number {
  const x = placeOf(a);
  const y = placeOf(b);
  return comparePlaces(x, y);
}

function placeOf(fact: Fact): Place {
  switch (fact.kind) {
    case 'coverage':
      return coveragePlace(fact.coverage);
    case 'tenure': {
      const { ip, holder, start } = fact.tenure;
      return { time: 0, key: `${holder.uid}\0${ip}\0${start.epoch}\0${start.resourceVersion}` };
    }
    case 'placement':
      return { time: 0, key: fact.placement.pod.uid };
    case 'change':
      return changePlace(fact.change);
    case 'conflict':
      return conflictPlace(fact.conflict);
    case 'anomaly':
      return anomalyPlace(fact.anomaly);
    case 'live':
      return { time: 0, key: fact.uid };
  }
}

/** One line without its line end: keys sorted, absent values left out, nothing outside ASCII printables raw. */
export function canonicalLine(fact: Fact): string {
  return spell(fact).replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function spell(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(spell).join(',')}]`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  fields.sort(([a], [b]) => compareTexts(a, b));
  return `{${fields.map(([key, field]) => `${JSON.stringify(key)}:${spell(field)}`).join(',')}}`;
}
