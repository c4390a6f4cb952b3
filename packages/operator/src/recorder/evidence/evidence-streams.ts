// The streams of evidence, as data: Events, the owners of pods, namespaces. Made for each recorder, since some remember
// what they have reported.
import { EVENT, type EventView, type GroupVersionResource, metadataOf, NAMESPACES } from '@podtrail/machinery';
import { type EvidenceStream, type RecordedStream, stream } from '../recorded-streams.ts';
import { evidenceOfEvent, isTellingEvent, isWantedEvent } from './event-evidence.ts';
import { OwnerEvidence } from './owner-evidence.ts';
import { slimMetadata } from './slim-metadata.ts';

interface Owner {
  readonly kind: string;
  readonly resource: GroupVersionResource;
  readonly isNamespaced: boolean;
}

const apps = (resource: string): GroupVersionResource => ({ group: 'apps', version: 'v1', resource });
const batch = (resource: string): GroupVersionResource => ({ group: 'batch', version: 'v1', resource });

const OWNERS: readonly Owner[] = [
  { kind: 'ReplicaSet', resource: apps('replicasets'), isNamespaced: true },
  { kind: 'Deployment', resource: apps('deployments'), isNamespaced: true },
  { kind: 'StatefulSet', resource: apps('statefulsets'), isNamespaced: true },
  { kind: 'DaemonSet', resource: apps('daemonsets'), isNamespaced: true },
  { kind: 'Job', resource: batch('jobs'), isNamespaced: true },
  { kind: 'CronJob', resource: batch('cronjobs'), isNamespaced: true },
  { kind: 'Namespace', resource: NAMESPACES, isNamespaced: false },
];

/** What a recorder reads beside its claims. For those who list the rights that it needs. */
export const EVIDENCE_RESOURCES: readonly GroupVersionResource[] = [
  EVENT.resource,
  ...OWNERS.map(({ resource }) => resource),
];

/** API servers keep Events for an hour by default; half of that is relied on. */
const EVENTS_LAST_MS = 1_800_000;

export function evidenceStreams(): RecordedStream[] {
  return [events(), ...OWNERS.map(owners)];
}

function events(): RecordedStream {
  const definition: EvidenceStream<EventView> = {
    ...EVENT,
    role: 'evidence',
    isNamespaced: true,
    remembersMs: EVENTS_LAST_MS,
    // Not cached: there may be hundreds of thousands, and none is read twice.
    uncached: {
      wants: (event, type) => type !== 'DELETED' && isWantedEvent(event),
      isTelling: isTellingEvent,
      subject: ({ regarding: { kind, namespace, name } }) => ({ namespace, object: `${kind}/${namespace}/${name}` }),
    },
    observe: (delta, at) => evidenceOfEvent(delta, at).map((evidence) => ({ kind: 'evidence', evidence, at })),
  };
  return stream(definition);
}

function owners({ kind, resource, isNamespaced }: Owner): RecordedStream {
  const read = new OwnerEvidence(kind);
  return stream({
    ...metadataOf(resource),
    role: 'evidence',
    isNamespaced,
    transform: slimMetadata,
    observe: (delta, at) => read.observe(delta, at).map((evidence) => ({ kind: 'evidence', evidence, at })),
  });
}
