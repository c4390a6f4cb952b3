// Which objects a reflector follows, and the request paths for listing and watching them.
import { type QueryValue, withQuery } from '../client/query-string.ts';
import { collectionPath, type GroupVersionResource } from '../objects/group-version-resource.ts';

export interface Collection {
  readonly resource: GroupVersionResource;
  /** Undefined: all namespaces. */
  readonly namespace?: string | undefined;
  /**
   * Mind: a watch with a selector reports DELETED when an object stops matching. Where DELETED must mean deleted (in the
   * ledger), use no selectors.
   */
  readonly labelSelector?: string | undefined;
  readonly fieldSelector?: string | undefined;
}

export function describeCollection(c: Collection): string {
  const name = c.resource.group === '' ? c.resource.resource : `${c.resource.resource}.${c.resource.group}`;
  return c.namespace === undefined ? name : `${name} in ${c.namespace}`;
}

function pathOf(c: Collection, query: Readonly<Record<string, QueryValue>>): string {
  return withQuery(collectionPath(c.resource, c.namespace), {
    labelSelector: c.labelSelector,
    fieldSelector: c.fieldSelector,
    ...query,
  });
}

/** Every listing is a consistent read (resourceVersion ''): a lagging server waits or fails, it never serves the past. */
export function listPath(c: Collection, limit: number | undefined, next: string | undefined): string {
  return next === undefined ? pathOf(c, { resourceVersion: '', limit }) : pathOf(c, { continue: next, limit });
}

export function watchPath(c: Collection, from: string, timeoutSeconds: number): string {
  return pathOf(c, { watch: true, resourceVersion: from, allowWatchBookmarks: true, timeoutSeconds });
}

/** The listing as a stream of ADDED events, closed by an annotated bookmark, going on as a watch. */
export function watchListPath(c: Collection, timeoutSeconds: number): string {
  return pathOf(c, {
    watch: true,
    sendInitialEvents: true,
    resourceVersionMatch: 'NotOlderThan',
    resourceVersion: '',
    allowWatchBookmarks: true,
    timeoutSeconds,
  });
}
