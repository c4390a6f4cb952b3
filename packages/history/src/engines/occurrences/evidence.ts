// What was said or done about an object. Who may write Events decides how many there are: hence a range of their own.
import { type Evidence, newerEvidence } from '../../model/evidence.ts';
import { readJsonBody, writeJsonBody } from './json-body.ts';
import type { OccurrenceType } from './occurrence-type.ts';

export const EVIDENCE: OccurrenceType<Evidence> = {
  number: 6,
  place: ({ id, at }) => ({ time: at, key: id }),
  about: ({ about, related }) => ({ holders: related === undefined ? [about] : [about, related] }),
  newer: newerEvidence,
  retention: 'own',
  write: writeJsonBody,
  read: readJsonBody,
};
