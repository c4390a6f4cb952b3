// The Event object (events.k8s.io/v1), what a caller gives to have one recorded, and the limits of the server.
import type { KubeObject } from '../objects/kube-object.ts';

export interface ObjectReference {
  apiVersion?: string;
  kind?: string;
  namespace?: string;
  name?: string;
  uid?: string;
  resourceVersion?: string;
  fieldPath?: string;
}

export interface EventSeries {
  /** At least 2. */
  count: number;
  lastObservedTime: string;
}

export interface KubeEvent extends KubeObject {
  eventTime: string;
  reportingController: string;
  reportingInstance: string;
  action: string;
  reason: string;
  regarding: ObjectReference;
  related?: ObjectReference;
  note: string;
  type: 'Normal' | 'Warning';
  series?: EventSeries;
}

export interface EventInput {
  /** What the event is about; see `referenceTo`. */
  readonly regarding: ObjectReference;
  readonly related?: ObjectReference;
  readonly type: 'Normal' | 'Warning';
  /** Why, in UpperCamelCase; part of what makes two events the same. */
  readonly reason: string;
  /** What was done or failed; the reason if absent. Part of what makes two events the same. */
  readonly action?: string;
  /** For people. Not part of what makes two events the same. */
  readonly note: string;
}

export const NOTE_LIMIT_BYTES = 1024;
export const NAME_LIMIT_BYTES = 128;

export function referenceTo(object: KubeObject, fieldPath?: string): ObjectReference {
  const { apiVersion, kind, metadata } = object;
  const { namespace, name, uid, resourceVersion } = metadata;
  const fields = { apiVersion, kind, namespace, name, uid, resourceVersion, fieldPath };
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** Two events with the same key are one series. As an array in JSON, so that no two keys can run together. */
export function seriesKey(event: KubeEvent): string {
  const { type, action, reason, reportingController, reportingInstance, regarding, related } = event;
  return JSON.stringify([
    type,
    action,
    reason,
    reportingController,
    reportingInstance,
    ...referenceKey(regarding),
    ...referenceKey(related ?? {}),
  ]);
}

/**
 * What the spam limit counts together: one source about one object for one reason. By reason, because a reason that
 * comes often must not keep a rare one from being recorded; reasons are few, and part of the program.
 */
export function sourceKey(event: KubeEvent): string {
  const { type, reason, reportingController, reportingInstance, regarding } = event;
  const { apiVersion, kind, namespace, name, uid } = regarding;
  return JSON.stringify([type, reason, reportingController, reportingInstance, apiVersion, kind, namespace, name, uid]);
}

/** Without the resourceVersion: an object that changes between two events is still the same object. */
function referenceKey(reference: ObjectReference): (string | undefined)[] {
  const { apiVersion, kind, namespace, name, uid, fieldPath } = reference;
  return [apiVersion, kind, namespace, name, uid, fieldPath];
}

/** At most `maxBytes` of UTF-8, cut between characters, and then ending in "…". */
export function cutToBytes(text: string, maxBytes: number): string {
  if (Buffer.byteLength(text) <= maxBytes) return text;
  const ellipsis = '…';
  const room = new Uint8Array(maxBytes - Buffer.byteLength(ellipsis));
  return text.slice(0, new TextEncoder().encodeInto(text, room).read) + ellipsis;
}
