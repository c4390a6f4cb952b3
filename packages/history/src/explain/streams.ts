// Which streams of evidence a cause may rest on: what nobody watched may hold the reason.
import type { PodLife } from '../model/pod-life.ts';
import type { Case } from './case.ts';
import { MINUTE_MS } from './traces.ts';

/** By kinds, which may be any text. */
const OF_OWNERS: ReadonlyMap<string, string> = new Map([
  ['ReplicaSet', 'replicasets'],
  ['Deployment', 'deployments'],
  ['StatefulSet', 'statefulsets'],
  ['DaemonSet', 'daemonsets'],
  ['Job', 'jobs'],
  ['CronJob', 'cronjobs'],
]);

/** What API servers send of their audit log. It says by whom, and not why: no cause is unknown for want of it. */
export const AUDIT_STREAM = 'audit';

/**
 * How a stream stands is recorded when it changes, and again every few hours: such a record must not be the only one and
 * expire while it still holds. The reason says which it is: it has been so since the record before.
 */
export const RESTATED_EVERY_MS = 6 * 60 * MINUTE_MS;
export const STILL_LOST = 'StillLost';
export const STILL_FOLLOWED = 'StillFollowed';

/** The stream of evidence about objects of this kind. */
export function streamOf(kind: string | undefined): string | undefined {
  return OF_OWNERS.get(kind ?? '');
}

/** Streams that may say why this pod ended. */
export function tellingStreams({ owner, pod }: PodLife): string[] {
  const owners = [owner?.kind, pod.workload?.kind].map((kind) => OF_OWNERS.get(kind ?? '') ?? '');
  return [...new Set(['events', ...owners, 'namespaces'])].filter((stream) => stream !== '');
}

/**
 * Those of them that would have said it of a deletion, and were not watched then. Events are sent by controllers: about a
 * pod without one, or of a kubelet's own, they say nothing.
 */
export function missingStreams({ life, unwatched }: Case): string[] {
  const hasController = life.owner !== undefined && !life.isMirror;
  return tellingStreams(life).filter((stream) => unwatched.includes(stream) && (stream !== 'events' || hasController));
}

/** Its owner may have been deleted, and nobody was watching. */
export function isOwnerUnwatched({ life, unwatched }: Case): boolean {
  return tellingStreams(life).some((stream) => stream !== 'events' && unwatched.includes(stream));
}
