// Why nobody was watching, in words.
import type { Coverage } from '@podtrail/history';

export const GAP_REASONS: Readonly<Record<Coverage['opened'], string>> = {
  start: 'no recorder was running, or it had to begin anew',
  expired: 'the watch expired and the server no longer had the versions in between',
  rewound: "the cluster's etcd went back to an earlier state",
  undecodable: 'the server sent something that could not be read',
};

export function gapReason(reason: string): string {
  return GAP_REASONS[reason as Coverage['opened']] ?? reason;
}

export function scopeText(scope: Coverage['scope']): string {
  return scope.kind === 'cluster' ? 'cluster' : `namespaces ${scope.namespaces.join(', ')}`;
}

export function scopeJson(scope: Coverage['scope'] | undefined) {
  if (scope === undefined) return null;
  return scope.kind === 'cluster' ? 'cluster' : { namespaces: scope.namespaces };
}
