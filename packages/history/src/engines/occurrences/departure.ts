// A pod began to end. What `moves` lists, in the order of time.
import { earlierDeparture } from '../../model/newer-life.ts';
import type { Departure } from '../../model/pod-life.ts';
import { readJsonBody, writeJsonBody } from './json-body.ts';
import { parseReason } from './life.ts';
import type { OccurrenceType } from './occurrence-type.ts';

export const DEPARTURE: OccurrenceType<Departure> = {
  number: 5,
  place: ({ pod, at }) => ({ time: at, key: pod.uid }),
  about: ({ pod, owner }) => ({ holders: owner === undefined || owner.uid === '' ? [pod] : [pod, { uid: owner.uid }] }),
  newer: earlierDeparture,
  retention: 'own',
  write: writeJsonBody,
  read: readJsonBody,
  parse(line) {
    const owner = line.maybe('owner', (name) => line.object(name).reference());
    const disruption = line.maybe('disruption', (name) => parseReason(line.object(name)));
    return { ...line.provenance(), pod: line.object('pod').holder(), ...owner, at: line.time('at'), ...disruption };
  },
};
