// The life of a pod. One record for each pod, written again as it goes on.

import { newerLife } from '../../model/newer-life.ts';
import type { PodLife } from '../../model/pod-life.ts';
import { readJsonBody, writeJsonBody } from './json-body.ts';
import type { OccurrenceType } from './occurrence-type.ts';

export const LIFE: OccurrenceType<PodLife> = {
  number: 4,
  place: ({ pod, created }) => ({ time: created, key: pod.uid }),
  about: ({ pod, owner }) => ({ holders: owner === undefined || owner.uid === '' ? [pod] : [pod, { uid: owner.uid }] }),
  newer: newerLife,
  retention: 'own',
  write: writeJsonBody,
  read: readJsonBody,
};
