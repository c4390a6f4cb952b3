// The life of a pod. One record for each pod, written again as it goes on.

import { newerLife } from '../../model/newer-life.ts';
import type { ContainerEnding, FirstSeen, PodLife, Reason } from '../../model/pod-life.ts';
import { readJsonBody, writeJsonBody } from './json-body.ts';
import type { Line } from './line.ts';
import type { OccurrenceType } from './occurrence-type.ts';

export const LIFE: OccurrenceType<PodLife> = {
  number: 4,
  place: ({ pod, created, filedAt = created }) => ({ time: filedAt, key: pod.uid }),
  about: ({ pod, owner }) => ({ holders: owner === undefined || owner.uid === '' ? [pod] : [pod, { uid: owner.uid }] }),
  newer: newerLife,
  retention: 'own',
  write: writeJsonBody,
  read: readJsonBody,
  parse(line) {
    const time = (name: string) => line.time(name);
    return {
      ...line.provenance(),
      pod: line.object('pod').holder(),
      ...line.maybe('owner', (name) => line.object(name).reference()),
      ...line.maybe('revision', (name) => line.text(name)),
      ...line.maybe('restartedAt', (name) => line.text(name)),
      ...line.maybe('labels', (name) => labels(line.object(name))),
      ...line.maybe('labelsCut', (name) => line.flag(name)),
      isMirror: line.flag('isMirror'),
      qosClass: line.text('qosClass'),
      priority: line.whole('priority'),
      created: line.time('created'),
      ...line.maybe('filedAt', time),
      ...{ ...line.maybe('scheduled', time), ...line.maybe('networkUp', time), ...line.maybe('ready', time) },
      ...{ ...line.maybe('notReady', time), ...line.maybe('gone', time) },
      ...line.maybe('unschedulable', (name) => parseReason(line.object(name))),
      ...line.maybe('disruption', (name) => parseReason(line.object(name))),
      ...line.maybe('terminal', (name) => ({
        ...parseReason(line.object(name)),
        phase: line.object(name).text('phase'),
      })),
      ...line.maybe('deletion', (name) => deletion(line.object(name))),
      restarts: line.count('restarts'),
      endings: line.list('endings').map(ending),
    };
  },
};

function labels(line: Line): NonNullable<PodLife['labels']> {
  return Object.fromEntries(line.names.map((name) => [name, line.text(name)]));
}

export function parseReason(line: Line): Reason {
  return { reason: line.text('reason'), message: line.text('message'), at: line.time('at'), ...seen(line) };
}

function deletion(line: Line): NonNullable<PodLife['deletion']> {
  return { requested: line.time('requested'), graceSeconds: line.whole('graceSeconds'), ...seen(line) };
}

function seen(line: Line): Pick<Reason, 'seenAt' | 'seenIn'> {
  return {
    ...line.maybe('seenAt', (name) => line.time(name)),
    ...line.maybe('seenIn', (name) => firstSeen(line.object(name))),
  };
}

function firstSeen(line: Line): FirstSeen {
  const listed = line.has('listed') && line.flag('listed') ? { listed: true as const } : {};
  return { epoch: line.count('epoch'), resourceVersion: line.version('resourceVersion'), ...listed };
}

function ending(line: Line): ContainerEnding {
  return {
    ...{ container: line.text('container'), reason: line.text('reason'), at: line.time('at') },
    ...{ exitCode: line.whole('exitCode'), signal: line.whole('signal') },
    ...(line.has('restarted') && line.flag('restarted') ? { restarted: true as const } : {}),
  };
}
