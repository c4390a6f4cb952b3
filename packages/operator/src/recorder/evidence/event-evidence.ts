// An Event of the API as evidence: which ones are wanted, and what is kept of them. Pure.
import { type EpochMillis, epochMillis, MOST_MESSAGE, type ReportedEvidence } from '@podtrail/history';
import type { EventView, ObjectDelta, ObjectReferenceView } from '@podtrail/machinery';
import { keepingOf } from './event-reasons.ts';

/** More than 10 alike in 10 minutes are one Event, whose text begins so and then is that of the last one. */
const COMBINED = '(combined from similar events): ';
/** The longest name, namespace and UID that an object of the API can have. */
const MOST_NAME = 253;
const MOST_UID = 128;
/** Where Events of objects are that are in no namespace. */
const OF_CLUSTER: ReadonlySet<string> = new Set(['default', 'kube-system']);

/**
 * Whether a cause may rest on it. An Event about an object of another namespace than its own is refused by API servers,
 * and here: who may write Events in one namespace must not make up causes in another.
 */
export function isWantedEvent(event: EventView): boolean {
  const { regarding, metadata } = event;
  const keeping = keepingOf(regarding.kind, event.reason, componentOf(event));
  if (keeping === undefined || regarding.name === '' || !isSound(regarding)) return false;
  if (event.related !== undefined && !isSound(event.related)) return false;
  if (!isOfItsNamespace(regarding, metadata.namespace)) return false;
  return keeping !== 'seldom' || isPowerOfTwo(countOf(event));
}

/** Of the objects in no namespace only nodes have causes rest on their Events. */
function isOfItsNamespace({ kind, namespace }: ObjectReferenceView, written: string): boolean {
  return kind === 'Node' ? namespace === '' && OF_CLUSTER.has(written) : namespace !== '' && namespace === written;
}

/** Causes of its namespace lack something if it is not kept. */
export function isTellingEvent(event: EventView): boolean {
  return keepingOf(event.regarding.kind, event.reason, componentOf(event)) === 'telling';
}

/** Its first time, and where it was repeated, the last one as well: each is a record of its own. */
export function evidenceOfEvent(delta: ObjectDelta<EventView>, observedAt: EpochMillis): ReportedEvidence[] {
  if (delta.kind === 'deleted') return [];
  const event = delta.object;
  const { uid, resourceVersion, creationTimestamp } = event.metadata;
  const count = countOf(event);
  const first = event.eventTime ?? event.deprecatedFirstTimestamp ?? creationTimestamp ?? observedAt;
  const last = event.series?.lastObservedTime ?? event.deprecatedLastTimestamp ?? first;
  const isCombined = event.note.startsWith(COMBINED);
  const text = isCombined ? event.note.slice(COMBINED.length) : event.note;
  const shared = {
    what: 'event',
    about: reference(event.regarding),
    reason: event.reason,
    message: cut(text, MOST_MESSAGE),
    by: cut(componentOf(event), MOST_NAME),
    ...(event.related === undefined || event.related.name === '' ? {} : { related: reference(event.related) }),
    source: delta.source === 'watch' ? 'watch' : 'list',
    resourceVersion,
  } as const;
  const repeated = { ...shared, id: `${uid}/${count}`, at: epochMillis(last), count };
  // The text is no longer that of the first time.
  if (isCombined) return [repeated];
  const once = { ...shared, id: uid, at: epochMillis(first), count: 1 };
  if (count <= 1) return [once];
  return delta.kind === 'updated' ? [repeated] : [once, repeated];
}

function componentOf({ reportingController, deprecatedSource }: EventView): string {
  return reportingController || deprecatedSource.component;
}

function countOf({ series, deprecatedCount }: EventView): number {
  return Math.max(1, series?.count ?? 0, deprecatedCount);
}

function reference({ kind, namespace, name, uid }: ObjectReferenceView) {
  // Kubelets write the name of their node where its UID belongs.
  return { kind, namespace, name, uid: uid === name ? '' : uid };
}

function isSound({ kind, namespace, name, uid }: ObjectReferenceView): boolean {
  return Math.max(kind.length, namespace.length, name.length) <= MOST_NAME && uid.length <= MOST_UID;
}

/** `toWellFormed`: the cut may go through a character. */
function cut(text: string, most: number): string {
  return text.length <= most ? text : text.slice(0, most).toWellFormed();
}

function isPowerOfTwo(count: number): boolean {
  return (count & (count - 1)) === 0;
}
