// Which collection of the API is meant, and the URL paths that follow from it.
import { MachineryError } from '../errors.ts';

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
  const root = groupVersionPath(gvr.group, gvr.version);
  const scope = namespace === undefined || namespace === '' ? '' : `/namespaces/${segment(namespace, 'namespace')}`;
  return `${root}${scope}/${segment(gvr.resource, 'resource')}`;
}

export function objectPath(
  gvr: GroupVersionResource,
  name: string,
  options: { namespace?: string | undefined; subresource?: string | undefined } = {},
): string {
  const suffix = options.subresource === undefined ? '' : `/${segment(options.subresource, 'subresource')}`;
  return `${collectionPath(gvr, options.namespace)}/${segment(name, `name of ${gvr.resource}`)}${suffix}`;
}

/** Where the server describes the resources of a group's version. */
export function groupVersionPath(group: string, version: string): string {
  const last = segment(version, 'version');
  return group === '' ? `/api/${last}` : `/apis/${segment(group, 'group')}/${last}`;
}

/**
 * An empty segment would address the collection (`DELETE …/pods/` deletes them all), and a proxy may resolve dots
 * (`DELETE …/namespaces/x/pods/..` deletes the namespace); escaping helps against neither.
 */
function segment(text: string, what: string): string {
  if (text === '') throw new MachineryError('empty-name', `the ${what} is empty`);
  if (text === '.' || text === '..') throw new MachineryError('bad-name', `the ${what} is "${text}", which is no name`);
  if (!text.isWellFormed()) throw new MachineryError('bad-name', `the ${what} holds half a character`);
  return encodeURIComponent(text);
}
