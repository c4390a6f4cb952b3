// What a path of the group means: a document about the API, a list, one object, or a question that is posted.
import { ATTRIBUTIONS } from './discovery.ts';
import { GROUP, GROUP_VERSION } from './history-object.ts';
import type { HistoryResource } from './resource.ts';
import { RESOURCES } from './resources.ts';

export type Target =
  | { readonly kind: 'groups' | 'group' | 'resources' | 'openapi-v2' | 'openapi-v3' | 'openapi-v3-group' }
  | { readonly kind: 'list'; readonly resource: HistoryResource; readonly namespace: string | undefined }
  | {
      readonly kind: 'object';
      readonly resource: HistoryResource;
      readonly namespace: string | undefined;
      readonly name: string;
    }
  | { readonly kind: 'attribution' };

const DOCUMENTS: Readonly<Record<string, Target>> = {
  '/apis': { kind: 'groups' },
  [`/apis/${GROUP}`]: { kind: 'group' },
  [`/apis/${GROUP_VERSION}`]: { kind: 'resources' },
  '/openapi/v2': { kind: 'openapi-v2' },
  '/openapi/v3': { kind: 'openapi-v3' },
  [`/openapi/v3/apis/${GROUP_VERSION}`]: { kind: 'openapi-v3-group' },
  [`/apis/${GROUP_VERSION}/${ATTRIBUTIONS.plural}`]: { kind: 'attribution' },
};

/** Undefined: there is nothing here. */
export function targetOf(path: string): Target | undefined {
  const plain = path.length > 1 ? path.replace(/\/$/, '') : path;
  const document = DOCUMENTS[plain];
  if (document !== undefined) return document;
  const root = `/apis/${GROUP_VERSION}/`;
  if (!plain.startsWith(root)) return undefined;
  const parts = plain.slice(root.length).split('/').map(decoded);
  if (parts.some((part) => part === undefined || part === '')) return undefined;
  const isNamespaced = parts[0] === 'namespaces' && parts.length > 2;
  const namespace = isNamespaced ? parts[1] : undefined;
  const [plural, name, ...more] = isNamespaced ? parts.slice(2) : parts;
  const resource = RESOURCES.find((known) => known.plural === plural);
  if (resource === undefined || more.length > 0) return undefined;
  if (isNamespaced && !resource.namespaced) return undefined;
  if (name === undefined) return { kind: 'list', resource, namespace };
  if (resource.namespaced !== isNamespaced) return undefined;
  return { kind: 'object', resource, namespace, name };
}

function decoded(part: string): string | undefined {
  try {
    return decodeURIComponent(part);
  } catch {
    return undefined;
  }
}
