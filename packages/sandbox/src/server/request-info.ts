// Reads from a URL what is asked: a verb on a resource, or some other path. Knows the shape of paths only; whether
// there is such a resource is for the router.

export interface RequestInfo {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly method: string;
  /** As access rules name it: get, list, watch, create, update, patch, delete, deletecollection. */
  readonly verb: string;
  readonly isResource: boolean;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

const VERBS: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

export function readRequest(method: string, url: string): RequestInfo {
  const parsed = new URL(url, 'http://sandbox');
  const path = parsed.pathname;
  const query = parsed.searchParams;
  const parts = path
    .split('/')
    .filter((part) => part !== '')
    .map(decode);
  const below = parts[0] === 'api' ? parts.slice(2) : parts.slice(3);
  // The old way to ask for a watch: /api/v1/watch/namespaces/…
  const old = method === 'GET' && below[0] === 'watch' && below.length > 1;
  const rest = old ? below.slice(1) : below;
  const isResource = (parts[0] === 'api' || parts[0] === 'apis') && rest.length > 0;
  const other = { path, query, method, group: '', version: '', plural: '', subresource: '', namespace: '', name: '' };
  if (!isResource) return { ...other, verb: method.toLowerCase(), isResource };
  const [group, version] = parts[0] === 'api' ? ['', parts[1] ?? ''] : [parts[1] ?? '', parts[2] ?? ''];
  let namespace = '';
  let steps = rest;
  if (rest[0] === 'namespaces' && rest.length > 2 && !NAMESPACE_SUBRESOURCES.has(rest[2] as string)) {
    namespace = rest[1] as string;
    steps = rest.slice(2);
  }
  const [plural = '', name = '', ...subresource] = steps;
  if (plural === 'namespaces' && namespace === '') namespace = name;
  if (old && name !== '') query.append('fieldSelector', `metadata.name=${name}`);
  return {
    ...other,
    isResource,
    group,
    version,
    plural,
    name,
    namespace,
    subresource: subresource.join('/'),
    verb: old ? 'watch' : verbOf(method, name, query),
  };
}

const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

function verbOf(method: string, name: string, query: URLSearchParams): string {
  // One object cannot be watched by its path: asking for that reads it.
  if (method === 'GET' && name !== '') return 'get';
  if (method === 'GET') return isTrue(query.get('watch')) ? 'watch' : 'list';
  if (method === 'DELETE' && name === '') return 'deletecollection';
  return VERBS[method] ?? method.toLowerCase();
}

/** As the real server reads booleans in queries. */
export function isTrue(text: string | null): boolean {
  return text !== null && text !== '0' && text.toLowerCase() !== 'false';
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
