// Which events a watch delivers: those of one resource, from a version on, as a selector sees them. An object that
// begins to match is ADDED for this watch, one that ceases to match is DELETED.
import { parseSelectors, type Selectors, selects } from '../../api/api-server.ts';
import { ApiStatusError, expired, type StatusBody, tooLargeVersion } from '../../api/api-status-error.ts';
import type { KubeObject, WatchEventType } from '../../api/cluster-api.ts';
import { type ResourceType, typeKey } from '../../api/resource-type.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import type { StoreEvent } from '../../store/resource-table.ts';
import type { ListOptions } from './list-options.ts';

export type WatchItem =
  | { readonly kind: 'event'; readonly type: WatchEventType; readonly object: KubeObject; readonly source?: StoreEvent }
  | { readonly kind: 'bookmark'; readonly version: string; readonly initialEventsEnd: boolean }
  | { readonly kind: 'error'; readonly status: StatusBody };

export interface WatchStart {
  /** What goes out before anything new. */
  readonly initial: Iterable<WatchItem>;
  /** Only changes after it belong to this watch. */
  readonly after: number;
  readonly translate: (event: StoreEvent) => WatchItem | undefined;
}

export function startWatch(
  store: ObjectStore,
  type: ResourceType,
  namespace: string,
  options: ListOptions,
): WatchStart {
  const selectors = parseSelectors(type, options);
  const prefix = namespace === '' || !type.namespaced ? '' : `${namespace}/`;
  const asked = askedVersion(options.resourceVersion);
  const table = store.table(typeKey(type));
  const { version: now } = store;
  const translate = translator(selectors, prefix);
  const current = () => events(table.list(prefix), selectors);
  if (options.sendInitialEvents === true) {
    if (asked !== undefined && asked > now) {
      const { status } = tooLargeVersion(options.resourceVersion, now);
      return { initial: [{ kind: 'error', status }], after: Number.POSITIVE_INFINITY, translate };
    }
    const end = { kind: 'bookmark', version: String(now), initialEventsEnd: true } as const;
    const initial = [...current(), ...(options.allowWatchBookmarks ? [end] : [])];
    return { initial, after: now, translate };
  }
  if (asked === undefined || asked === 0) {
    return { initial: options.sendInitialEvents === false ? [] : [...current()], after: now, translate };
  }
  if (asked < table.compactedAt) {
    const { status } = expired(`too old resource version: ${asked} (${table.compactedAt})`);
    return { initial: [{ kind: 'error', status }], after: Number.POSITIVE_INFINITY, translate };
  }
  const missed = table.eventsAfter(asked).flatMap((event) => translate(event) ?? []);
  return { initial: missed, after: Math.max(asked, now), translate };
}

/** Unlike a list, a watch from something that is no version is an error of the server: the real one says 500. */
function askedVersion(text: string): number | undefined {
  if (text === '') return undefined;
  if (/^\d+$/.test(text)) return Number(text);
  const why = `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  throw new ApiStatusError(500, '', `resourceVersion: Invalid value: ${JSON.stringify(text)}: ${why}`);
}

function* events(objects: readonly KubeObject[], selectors: Selectors): Generator<WatchItem> {
  for (const object of objects) if (selects(selectors, object)) yield { kind: 'event', type: 'ADDED', object };
}

function translator(selectors: Selectors, prefix: string): (event: StoreEvent) => WatchItem | undefined {
  const everything = selectors.labels === undefined && selectors.fields === undefined;
  return (event) => {
    if (!event.key.startsWith(prefix)) return undefined;
    if (everything) return { kind: 'event', type: event.type, object: event.object, source: event };
    const before = event.previous !== undefined && selects(selectors, event.previous);
    const after = event.type !== 'DELETED' && selects(selectors, event.object);
    if (!before && !after) return undefined;
    if (before && after) return { kind: 'event', type: 'MODIFIED', object: event.object, source: event };
    if (after) return { kind: 'event', type: 'ADDED', object: event.object, source: event };
    // The object as it last matched, with the version at which it ceased to.
    const { previous } = event as { previous: KubeObject };
    const metadata = { ...previous.metadata, resourceVersion: String(event.version) };
    return { kind: 'event', type: 'DELETED', object: { ...previous, metadata } };
  };
}
