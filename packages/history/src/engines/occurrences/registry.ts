// The kinds of occurrences, in the order in which they are exported. To add one: its record in model/occurrence.ts, a file
// here, a line below, and a step of the SQLite schema without work, so
// that an older podtrail refuses the store instead of passing over the records.
import {
  type OccurrenceFact,
  type OccurrenceKind,
  type OccurrenceRecords,
  occurrenceFact,
} from '../../model/occurrence.ts';
import { ANOMALY } from './anomaly.ts';
import { CHANGE } from './change.ts';
import { CONFLICT } from './conflict.ts';
import { DEPARTURE } from './departure.ts';
import { EVIDENCE } from './evidence.ts';
import { LIFE } from './life.ts';
import { Line } from './line.ts';
import type { OccurrenceType } from './occurrence-type.ts';

/** A record of some kind: its type in the registry knows which. */
export type OccurrenceRecord = OccurrenceRecords[OccurrenceKind];

const TYPES: { readonly [K in OccurrenceKind]: OccurrenceType<OccurrenceRecords[K]> } = {
  change: CHANGE,
  conflict: CONFLICT,
  anomaly: ANOMALY,
  life: LIFE,
  departure: DEPARTURE,
  evidence: EVIDENCE,
};

/** Read whenever it is needed, never kept: tests add a kind (engines/testing/made-up-kind.ts). */
export const OCCURRENCES: ReadonlyMap<OccurrenceKind, OccurrenceType<OccurrenceRecord>> = new Map(
  Object.entries(TYPES) as [OccurrenceKind, OccurrenceType<OccurrenceRecord>][],
);

export function occurrenceKinds(): OccurrenceKind[] {
  return [...OCCURRENCES.keys()];
}

/** Those that may be pruned alone. */
export function kindsWithOwnRetention(): OccurrenceKind[] {
  return occurrenceKinds().filter((kind) => typeOf(kind).retention === 'own');
}

export function typeOf<K extends OccurrenceKind>(kind: K): OccurrenceType<OccurrenceRecords[K]> {
  const type = OCCURRENCES.get(kind);
  if (type === undefined) throw new RangeError(`there is no kind of occurrence called ${kind}`);
  return type as unknown as OccurrenceType<OccurrenceRecords[K]>;
}

/** For a person who reads of a part of a store. */
export function nameOfKind(number: number): string {
  return occurrenceKinds().find((kind) => typeOf(kind).number === number) ?? `kind ${number}`;
}

export function isOccurrence(fact: { readonly kind: string }): fact is OccurrenceFact {
  return OCCURRENCES.has(fact.kind as OccurrenceKind);
}

/** From a line of an export, parsed; undefined where it is of no kind of occurrence. Throws LineProblem. */
export function parseOccurrence(fact: Readonly<Record<string, unknown>>): OccurrenceFact | undefined {
  const kind = fact['kind'] as OccurrenceKind;
  return OCCURRENCES.has(kind) ? factOf(kind, typeOf(kind).parse(new Line(fact[kind], kind))) : undefined;
}

/** As a fact, whatever its kind. */
export function factOf(kind: OccurrenceKind, record: OccurrenceRecord): OccurrenceFact {
  return occurrenceFact(kind, record as never);
}
