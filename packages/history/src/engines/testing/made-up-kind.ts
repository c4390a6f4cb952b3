// A fourth kind of occurrence, made up: what a store does for it without a line that names it. A note about an object, with a
// retention of its own.
import type { Provenance } from '../../model/boundary.ts';
import type { StoredFact } from '../../model/fact.ts';
import type { OccurrenceKind } from '../../model/occurrence.ts';
import type { BodyReader, OccurrenceType } from '../occurrences/occurrence-type.ts';
import { OCCURRENCES } from '../occurrences/registry.ts';
import { versionKey } from '../order.ts';
import { aBoundary } from './record-builders.ts';

export interface Note extends Provenance {
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly note: string;
  /** The UID of another object that it is about; empty: none. */
  readonly related: string;
  /** Invariant: only grows. */
  readonly count: number;
}

export const MADE_UP = 'made-up' as OccurrenceKind;

const TYPE: OccurrenceType<Note> = {
  number: 9,
  place: (note) => ({ time: note.observedAt, key: `${note.uid}|${versionKey(note)}` }),
  about: (note) => ({ holders: note.related === '' ? [note] : [note, { uid: note.related }] }),
  newer: (stored, incoming) => (stored.count > incoming.count ? stored : incoming),
  retention: 'own',
  write(body, note) {
    body.provenance(note);
    for (const text of [note.uid, note.namespace, note.name, note.note, note.related]) body.text(text);
    body.uint(note.count);
  },
  read: (body) => ({
    ...counted(body).provenance(),
    uid: body.text(),
    namespace: body.text(),
    name: body.text(),
    note: body.text(),
    related: body.text(),
    count: body.uint(),
  }),
  parse: (line) => ({
    ...line.provenance(),
    uid: line.text('uid'),
    namespace: line.text('namespace'),
    name: line.text('name'),
    note: line.text('note'),
    related: line.text('related'),
    count: line.count('count'),
  }),
};

/** How many records have been read from bytes. */
export const notesRead = { count: 0 };

function counted(body: BodyReader): BodyReader {
  notesRead.count++;
  return body;
}

/** Until the function that it returns is called. */
export function addMadeUpKind(): () => void {
  const registry = OCCURRENCES as Map<string, unknown>;
  registry.set(MADE_UP, TYPE);
  return () => void registry.delete(MADE_UP);
}

export function aNote(name: string, seconds: number, more: Partial<Note> = {}): Note {
  const { source, epoch, resourceVersion, observedAt, collector } = aBoundary(seconds);
  const provenance = { source, epoch, resourceVersion, observedAt, collector };
  return {
    ...provenance,
    uid: `uid-${name}`,
    namespace: 'shop',
    name,
    note: `at ${seconds}`,
    related: '',
    count: 1,
    ...more,
  };
}

export function noteFact(note: Note): StoredFact {
  return { kind: MADE_UP, [MADE_UP]: note } as never;
}
