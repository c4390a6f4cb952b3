// Why nobody was watching, and what that means for answers about that time. Pure. The reasons are those of the wire (the
// compiler compares); one of a newer server is shown as it is.
import type { GapDocument } from '@podtrail/history/wire';

type Reason = GapDocument['reason'];

const WHY: Readonly<Record<Reason, string>> = {
  start: 'No recorder was running, or it had to start over',
  expired: 'The watch expired, and the server no longer had the versions in between',
  rewound: "The cluster's etcd went back to an earlier state",
  clock: "The recorder's clock was wrong, and what it claimed was taken back",
  undecodable: 'The server sent something that could not be read',
  'before-first-record': 'Nothing was recorded yet',
  'not-watching': 'Nobody watches',
  removed: 'It was older than the retention, or the store was full',
  'in-the-future': 'It has not happened yet',
  'pods-only': 'Pods were watched, Services and nodes were not',
};

const UNKNOWN =
  'Who came and went in between was never seen: answers about this time are unknown, or have wide bounds.';

const MEANS: Readonly<Partial<Record<Reason, string>>> = {
  'before-first-record': 'Answers about this time are unknown.',
  'not-watching': 'Answers about now are those of the last record: look at the recorder.',
  removed: 'Answers about this time are unknown.',
  'in-the-future': 'There are no answers yet.',
  'pods-only': 'Addresses of pods are known; of Services and nodes they are not.',
};

export function gapWhy(reason: string): string {
  return Object.hasOwn(WHY, reason) ? WHY[reason as Reason] : reason;
}

export function gapMeans(reason: string): string {
  return (Object.hasOwn(MEANS, reason) ? MEANS[reason as Reason] : undefined) ?? UNKNOWN;
}
