// An Event of the core API, as a run keeps it, as the evidence that a recorder makes of it: its first time.
import { epochMillis, type ReportedEvidence } from '@podtrail/history';
import type { KubeObject } from './run-folder.ts';

interface CoreEvent {
  readonly metadata: KubeObject['metadata'];
  readonly reason: string;
  readonly message?: string;
  readonly involvedObject: {
    readonly kind: string;
    readonly namespace?: string;
    readonly name: string;
    readonly uid?: string;
  };
  readonly source?: { readonly component?: string };
  readonly reportingComponent?: string;
  readonly eventTime?: string | null;
  readonly firstTimestamp?: string | null;
}

export function eventEvidence(object: KubeObject): ReportedEvidence {
  const { metadata, reason, message, involvedObject, source, reportingComponent, ...times } =
    object as unknown as CoreEvent;
  const { kind, namespace = '', name, uid = '' } = involvedObject;
  const first = times.eventTime ?? times.firstTimestamp ?? metadata.creationTimestamp ?? '';
  return {
    ...{ what: 'event', id: metadata.uid, reason, message: message ?? '', count: 1, source: 'watch' },
    // Kubelets write the name of their node where its UID belongs.
    about: { kind, namespace: kind === 'Node' ? '' : namespace, name, uid: uid === name ? '' : uid },
    by: reportingComponent || source?.component || '',
    at: epochMillis(Date.parse(first)),
    resourceVersion: metadata.resourceVersion,
  };
}
