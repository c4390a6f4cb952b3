// A fourth kind of occurrence, made up: what a store does for it without a line that names it. Evidence about an object, as
// causes will need it, with a retention of its own.
import type { Provenance } from '../../model/boundary.ts';
import type { StoredFact } from '../../model/fact.ts';
import type { OccurrenceKind } from '../../model/occurrence.ts';
import type { OccurrenceType } from '../occurrences/occurrence-type.ts';
import { OCCURRENCES } from '../occurrences/registry.ts';
import { versionKey } from '../order.ts';
import { madeBoundary } from './made-records.ts';

export interface Evidence extends Provenance {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly note: string;
  /** Invariant: only grows. */
  readonly count: number;
}

export const EVIDENCE = 'evidence' as OccurrenceKind;

const TYPE: OccurrenceType<Evidence> = {
  number: 9,
  place: (evidence) => ({ time: evidence.observedAt, key: `${evidence.uid}|${versionKey(evidence)}` }),
  about: (evidence) => ({ holders: [evidence] }),
  newer: (stored, incoming) => (stored.count > incoming.count ? stored : incoming),
  retention: 'own',
  write(body, evidence) {
    body.provenance(evidence);
    for (const text of [evidence.uid, evidence.namespace, evidence.name, evidence.note]) body.text(text);
    body.uint(evidence.count);
  },
  read: (body) => ({
    ...body.provenance(),
    uid: body.text(),
    namespace: body.text(),
    name: body.text(),
    note: body.text(),
    count: body.uint(),
  }),
};

/** Until the function that it returns is called. */
export function addMadeUpKind(): () => void {
  const registry = OCCURRENCES as Map<string, unknown>;
  registry.set(EVIDENCE, TYPE);
  return () => void registry.delete(EVIDENCE);
}

export function madeEvidence(name: string, seconds: number, more: Partial<Evidence> = {}): Evidence {
  const { source, epoch, resourceVersion, observedAt, collector } = madeBoundary(seconds);
  const provenance = { source, epoch, resourceVersion, observedAt, collector };
  return { ...provenance, uid: `uid-${name}`, namespace: 'shop', name, note: `at ${seconds}`, count: 1, ...more };
}

export function evidenceFact(evidence: Evidence): StoredFact {
  return { kind: EVIDENCE, [EVIDENCE]: evidence } as never;
}
