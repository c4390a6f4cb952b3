// Lists: at the newest state, at a version, or page by page through one consistent state.
import { filterObjects, parseSelectors } from '../../api/api-server.ts';
import { badRequest, expired, tooLargeVersion } from '../../api/api-status-error.ts';
import type { KubeObject } from '../../api/cluster-api.ts';
import { type ResourceType, typeKey } from '../../api/resource-type.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import type { ListMeta } from '../encoding/object-encoder.ts';
import { readContinueToken, writeContinueToken } from './continue-token.ts';
import type { ListOptions } from './list-options.ts';

export interface ListResult {
  readonly meta: ListMeta;
  readonly items: readonly KubeObject[];
}

const CONTINUE_TOO_OLD =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter, or use the continue token in this response to retrieve the remainder of the results. Continuing with the provided token results in an inconsistent list - objects that were created, modified, or deleted between the time the first chunk was returned and now may show up in the list.';

export function listObjects(
  store: ObjectStore,
  type: ResourceType,
  namespace: string,
  options: ListOptions,
): ListResult {
  const selectors = parseSelectors(type, options);
  const prefix = namespace === '' ? '' : `${namespace}/`;
  const page = options.continue === '' ? undefined : readContinueToken(options.continue);
  if (page !== undefined && options.resourceVersion !== '' && options.resourceVersion !== '0') {
    throw badRequest('specifying resource version is not allowed when using continue');
  }
  const version = page === undefined ? listVersion(store, options) : page.version < 0 ? undefined : page.version;
  const table = store.table(typeKey(type));
  const all = version === undefined ? table.list(prefix) : table.listAt(prefix, version);
  if (all === undefined) {
    if (page === undefined) throw expired('The resourceVersion for the provided list is too old.');
    const continueAnyway = writeContinueToken({ version: -1, after: page.after });
    throw expired(CONTINUE_TOO_OLD, { continue: continueAnyway });
  }
  const listed = version ?? store.version;
  const rest = page === undefined ? all : all.slice(positionAfter(all, prefix, page.after));
  const matching = filterObjects(rest, selectors);
  const resourceVersion = String(listed);
  // "Anything you have" is answered from a cache on the real server, which knows no pages.
  const limit = options.resourceVersion === '0' && page === undefined ? 0 : options.limit;
  if (limit <= 0 || matching.length <= limit) return { meta: { resourceVersion }, items: matching };
  const items = matching.slice(0, limit);
  const after = keyOf(items.at(-1) as KubeObject, prefix);
  const selective = selectors.labels !== undefined || selectors.fields !== undefined;
  const remaining = selective ? {} : { remainingItemCount: matching.length - items.length };
  const token = writeContinueToken({ version: listed, after });
  return { meta: { resourceVersion, continue: token, ...remaining }, items };
}

/** The exact version that is wanted, or undefined for the newest. */
function listVersion(store: ObjectStore, options: ListOptions): number | undefined {
  const { resourceVersion, resourceVersionMatch, limit } = options;
  if (resourceVersion === '') return undefined;
  const version = parseVersion(resourceVersion, 'invalid resource version: ');
  if (version > store.version) throw tooLargeVersion(resourceVersion, store.version);
  const exact = resourceVersionMatch === 'Exact' || (resourceVersionMatch === '' && limit > 0 && version > 0);
  return exact ? version : undefined;
}

export function parseVersion(text: string, prefix: string): number {
  if (/^\d+$/.test(text)) return Number(text);
  const why = `strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`;
  throw badRequest(`${prefix}resourceVersion: Invalid value: ${JSON.stringify(text)}: ${why}`);
}

function positionAfter(objects: readonly KubeObject[], prefix: string, after: string): number {
  let low = 0;
  let high = objects.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (keyOf(objects[middle] as KubeObject, prefix) <= after) low = middle + 1;
    else high = middle;
  }
  return low;
}

function keyOf({ metadata }: KubeObject, prefix: string): string {
  const key = metadata.namespace === undefined ? (metadata.name as string) : `${metadata.namespace}/${metadata.name}`;
  return key.slice(prefix.length);
}
