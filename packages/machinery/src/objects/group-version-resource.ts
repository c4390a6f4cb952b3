// Which collection of the API is meant, and the URL paths that follow from it.

export interface GroupVersionResource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  /** Plural, lower case: "pods". */
  readonly resource: string;
}

export const PODS: GroupVersionResource = { group: '', version: 'v1', resource: 'pods' };
export const NODES: GroupVersionResource = { group: '', version: 'v1', resource: 'nodes' };
export const SERVICES: GroupVersionResource = { group: '', version: 'v1', resource: 'services' };
export const NAMESPACES: GroupVersionResource = { group: '', version: 'v1', resource: 'namespaces' };
export const CONFIG_MAPS: GroupVersionResource = { group: '', version: 'v1', resource: 'configmaps' };
export const LEASES: GroupVersionResource = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
export const EVENTS: GroupVersionResource = { group: 'events.k8s.io', version: 'v1', resource: 'events' };

/** Every part is escaped, so that a name like `..%2f` stays one path segment. */
export function collectionPath(gvr: GroupVersionResource, namespace?: string): string {
  const root =
    gvr.group === ''
      ? `/api/${encodeURIComponent(gvr.version)}`
      : `/apis/${encodeURIComponent(gvr.group)}/${encodeURIComponent(gvr.version)}`;
  const scope = namespace === undefined || namespace === '' ? '' : `/namespaces/${encodeURIComponent(namespace)}`;
  return `${root}${scope}/${encodeURIComponent(gvr.resource)}`;
}

export function objectPath(
  gvr: GroupVersionResource,
  name: string,
  options: { namespace?: string | undefined; subresource?: string | undefined } = {},
): string {
  const suffix = options.subresource === undefined ? '' : `/${encodeURIComponent(options.subresource)}`;
  return `${collectionPath(gvr, options.namespace)}/${encodeURIComponent(name)}${suffix}`;
}
