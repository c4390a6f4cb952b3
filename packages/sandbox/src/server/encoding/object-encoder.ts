// How objects, lists and watch events of one resource become bytes in one form. The handlers choose an encoder by the
// Accept header and know nothing more of forms.
import type { StatusBody } from '../../api/api-status-error.ts';
import type { KubeObject, WatchEventType } from '../../api/cluster-api.ts';

export interface ListMeta {
  readonly resourceVersion: string;
  readonly continue?: string;
  readonly remainingItemCount?: number;
}

export interface ObjectEncoder {
  readonly contentType: string;
  readonly watchContentType: string;
  object(object: KubeObject): string | Uint8Array;
  /** In chunks, so that a large list is never one string. */
  list(meta: ListMeta, items: readonly KubeObject[]): Iterable<string | Uint8Array>;
  event(type: WatchEventType, object: KubeObject): Uint8Array;
  bookmark(resourceVersion: string, initialEventsEnd: boolean): Uint8Array;
  error(status: StatusBody): Uint8Array;
}

const INITIAL_EVENTS_END = 'k8s.io/initial-events-end';

/** The metadata of a bookmark: a version and nothing else. */
export function bookmarkMetadata(resourceVersion: string, initialEventsEnd: boolean): Record<string, unknown> {
  return { resourceVersion, ...(initialEventsEnd ? { annotations: { [INITIAL_EVENTS_END]: 'true' } } : {}) };
}
