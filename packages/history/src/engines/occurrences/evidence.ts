// What was said or done about an object. Who may write Events decides how many there are: hence a range of their own.
import { EVIDENCE_KINDS, type Evidence, newerEvidence } from '../../model/evidence.ts';
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
  parse: (line) => ({
    // That a stream was lost is no version of anything.
    ...line.provenance({ mayLackVersion: true }),
    id: line.text('id'),
    about: line.object('about').reference(),
    what: line.oneOf('what', EVIDENCE_KINDS),
    at: line.time('at'),
    ...{ reason: line.text('reason'), message: line.text('message'), by: line.text('by') },
    ...line.maybe('related', (name) => line.object(name).reference()),
    count: line.count('count'),
    ...line.maybe('impersonatedBy', (name) => line.text(name)),
    ...(line.has('unconfirmed') && line.flag('unconfirmed') ? { unconfirmed: true as const } : {}),
  }),
};
