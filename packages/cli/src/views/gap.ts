// Why nobody was watching, in words.
import type { Coverage } from '@podtrail/history/wire';

const GAP_REASONS: Readonly<Record<Coverage['opened'], string>> = {
  start: 'no recorder was running, or it had to start over',
  expired: 'the watch expired and the server no longer had the versions in between',
  rewound: "the cluster's etcd went back to an earlier state",
  clock: "the recorder's clock was wrong, and what it claimed was taken back",
  undecodable: 'the server sent something that could not be read',
};

export function gapReason(reason: string): string {
  return GAP_REASONS[reason as Coverage['opened']] ?? reason;
}

/** Only what was watched in part needs words. */
export function partlyWatched(scope: Coverage['scope'] | undefined): string {
  if (scope?.kind === 'pods') return 'no pod held it, but services and nodes were not being watched then';
  if (scope?.kind !== 'namespaces') return 'only a part of the cluster was being watched';
  const { namespaces } = scope;
  return namespaces.length === 1
    ? `only the namespace ${namespaces[0]} was being watched`
    : `only the namespaces ${namespaces.join(', ')} were being watched`;
}
