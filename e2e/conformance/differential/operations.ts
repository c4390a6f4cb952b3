// Random requests. One is drawn once and done on each server, with what that server answered before: the object that a
// PUT sends back, the uid and resourceVersion of a precondition. Never what a controller finishes later, such as
// owners and namespaces: the two servers would race.
import type { Answer, Json, RawClient } from '../raw-client.ts';
import type { Draw } from './draw.ts';
import { KINDS, type Kind } from './kinds.ts';

/** What one server answered about each object, oldest first. */
export type Memory = Map<string, Json[]>;

export interface Operation {
  readonly what: string;
  perform(client: RawClient, memory: Memory): Promise<Answer>;
}

const NAMES = ['a', 'b', 'c'];
const TABLE = { Accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };
const METADATA = { Accept: 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io,application/json' };
const LABEL_SELECTORS = [
  'app=web',
  'app!=web',
  'app in (web,db)',
  'app notin (web)',
  'tier',
  '!tier',
  'app=web,tier',
  'a=b=c',
];

export function drawOperation(draw: Draw, namespace: string): Operation {
  const kind = draw.pick(KINDS);
  const name = draw.pick(NAMES);
  const make = draw.pick([
    create,
    create,
    create,
    read,
    list,
    update,
    update,
    patch,
    patch,
    patch,
    patch,
    remove,
    remove,
    special,
  ]);
  const { method, path, body, headers, what = '' } = make(draw, kind, name, namespace);
  const key = `${kind.plural}/${name}`;
  return {
    what: `${method} ${path}${what}`,
    async perform(client, memory) {
      const known = memory.get(key) ?? [];
      const sent = typeof body === 'function' ? body(known) : body;
      const answer = await client.request(method, path, {
        ...(sent === undefined ? {} : { body: sent }),
        ...(headers ? { headers } : {}),
      });
      const { json } = answer;
      if (json?.metadata?.uid !== undefined && !OTHER_FORMS.includes(json.kind))
        memory.set(key, [...known, json].slice(-4));
      return answer;
    },
  };
}

/** Not the object itself, so nothing to send back. */
const OTHER_FORMS = ['Scale', 'PartialObjectMetadata'];

interface Request {
  readonly method: string;
  readonly path: string;
  readonly body?: Json | ((known: readonly Json[]) => Json);
  readonly headers?: Record<string, string>;
  /** What the path does not tell. */
  readonly what?: string;
}

type Maker = (draw: Draw, kind: Kind, name: string, namespace: string) => Request;

const create: Maker = (draw, kind, name, namespace) => {
  const object = kind.make(draw, name);
  if (draw.chance(0.5)) object.metadata.labels = draw.pick([{ app: 'web' }, { app: 'db' }, { tier: 'x' }]);
  if (draw.chance(0.15)) object.metadata.finalizers = ['example.com/a'];
  if (draw.chance(0.05)) object.metadata.name = draw.pick(['', 'Not_A_Name', 'a'.repeat(254), 'x/y']);
  if (draw.chance(0.05)) object.metadata.namespace = draw.pick([namespace, 'elsewhere']);
  if (draw.chance(0.03)) object.kind = draw.pick(['Lease', 'Pod', '']);
  if (draw.chance(0.03)) object.metadata.resourceVersion = '1';
  const query = draw.chance(0.1) ? '?dryRun=All' : '';
  return { method: 'POST', path: kind.path(namespace) + query, body: object, what: ` ${JSON.stringify(object)}` };
};

const read: Maker = (draw, kind, name, namespace) => {
  const path = `${kind.path(namespace)}/${name}`;
  if (draw.chance(0.2)) return { method: 'GET', path: `${path}/${draw.pick(['status', 'scale', 'nonsense'])}` };
  const headers = draw.chance(0.2) ? draw.pick([TABLE, METADATA]) : undefined;
  return { method: 'GET', path, ...(headers ? { headers } : {}) };
};

const list: Maker = (draw, kind, _, namespace) => {
  const query = new URLSearchParams();
  if (draw.chance(0.5)) query.set('labelSelector', draw.pick(LABEL_SELECTORS));
  if (draw.chance(0.3)) query.set('fieldSelector', draw.pick(kind.fieldSelectors));
  if (draw.chance(0.3)) query.set('limit', draw.pick(['1', '2', '0', 'x']));
  const headers = draw.chance(0.2) ? TABLE : undefined;
  return { method: 'GET', path: `${kind.path(namespace)}?${query}`, ...(headers ? { headers } : {}) };
};

const update: Maker = (draw, kind, name, namespace) => {
  const change = draw.pick([...kind.changes, ...kind.statusChanges]);
  const age = draw.pick([1, 1, 1, 2]);
  const version = draw.pick(['keep', 'keep', 'keep', 'none', 'zero']);
  const uid = draw.chance(0.05);
  const sub = kind.subresources.includes('status') && draw.chance(0.3) ? '/status' : '';
  const fallback = kind.make(draw, name);
  const body = (known: readonly Json[]) => {
    const object = structuredClone(known.at(-age) ?? fallback);
    delete object.metadata.managedFields;
    if (version === 'none') delete object.metadata.resourceVersion;
    if (version === 'zero') object.metadata.resourceVersion = '0';
    if (uid) object.metadata.uid = '11111111-2222-3333-4444-555555555555';
    return merged(object, change);
  };
  const what = ` ${JSON.stringify({ change, age, version, uid })}`;
  return { method: 'PUT', path: `${kind.path(namespace)}/${name}${sub}`, body, what };
};

const patch: Maker = (draw, kind, name, namespace) => {
  const onStatus = kind.statusChanges.length > 0 && draw.chance(0.4);
  const sub = onStatus ? '/status' : '';
  const json = draw.chance(0.25);
  const strategic = !json && draw.chance(0.25);
  const type = json ? 'json-patch' : strategic ? 'strategic-merge-patch' : 'merge-patch';
  const document = json ? draw.pick(JSON_PATCHES) : draw.pick(onStatus ? kind.statusChanges : kind.changes);
  const query = draw.chance(0.05) ? '?dryRun=All' : '';
  return {
    method: 'PATCH',
    path: `${kind.path(namespace)}/${name}${sub}${query}`,
    body: document,
    headers: { 'Content-Type': `application/${type}+json` },
    what: ` ${type} ${JSON.stringify(document)}`,
  };
};

const JSON_PATCHES: readonly Json[] = [
  [{ op: 'add', path: '/metadata/labels', value: { app: 'patched' } }],
  [{ op: 'remove', path: '/metadata/labels' }],
  [{ op: 'replace', path: '/metadata/labels/app', value: 'replaced' }],
  [{ op: 'test', path: '/metadata/name', value: 'a' }],
  [{ op: 'add', path: '/metadata/finalizers/-', value: 'example.com/c' }],
  [{ op: 'replace', path: '/metadata/finalizers', value: [] }],
  [{ op: 'copy', from: '/metadata/name', path: '/metadata/annotations/name' }],
  [{ op: 'replace', path: '/metadata/labels', value: 'web' }],
  [{ op: 'replace', path: '/metadata/finalizers/-1', value: 'example.com/d' }],
  [{ op: 'test', path: '/metadata/labels', value: null }],
  [{ op: 'move', from: '/metadata/labels', path: '/metadata/annotations' }],
  [{ op: 'twist', path: '/metadata' }],
  [{ op: 'remove', path: 'metadata' }],
  [],
];

const remove: Maker = (draw, kind, name, namespace) => {
  const options: Json = {};
  if (draw.chance(0.4)) options.gracePeriodSeconds = draw.pick([0, 0, 5, 100]);
  if (draw.chance(0.1)) options.dryRun = ['All'];
  if (draw.chance(0.2)) options.propagationPolicy = 'Background';
  const precondition = draw.pick(['', '', '', 'uid', 'other uid', 'version', 'old version']);
  const body = (known: readonly Json[]) => {
    const now = known.at(-1)?.metadata;
    if (precondition === 'other uid')
      return { ...options, preconditions: { uid: '11111111-2222-3333-4444-555555555555' } };
    if (now === undefined || precondition === '') return options;
    if (precondition === 'uid') return { ...options, preconditions: { uid: now.uid } };
    const { resourceVersion } = (precondition === 'version' ? known.at(-1) : known.at(-2))?.metadata ?? now;
    return { ...options, preconditions: { resourceVersion } };
  };
  const what = ` ${JSON.stringify(options)} ${precondition}`;
  return { method: 'DELETE', path: `${kind.path(namespace)}/${name}`, body, what };
};

/** Subresources of pods and scales, and collections. */
const special: Maker = (draw, kind, name, namespace) => {
  const pods = `/api/v1/namespaces/${namespace}/pods`;
  const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
  // Always another number: writing the same one through a subresource changes managedFields alone.
  const replicas = 5 + draw.number(1_000_000);
  // Custom kinds have a handler of their own for methods that make no sense, with answers of their own.
  const sensible = kind.plural === 'widgets' ? pods : kind.path(namespace);
  return draw.pick<Request>([
    { method: 'POST', path: `${pods}/${name}/eviction`, body: { metadata: { name } } },
    {
      method: 'POST',
      path: `${pods}/${name}/binding`,
      body: { metadata: { name }, target: { kind: 'Node', name: 'node-x' } },
    },
    {
      method: 'PATCH',
      path: `${deployments}/${name}/scale`,
      body: { spec: { replicas: draw.chance(0.2) ? -1 : replicas } },
      headers: { 'Content-Type': 'application/merge-patch+json' },
    },
    { method: 'GET', path: `${deployments}/${name}/scale` },
    { method: 'DELETE', path: `${kind.path(namespace)}?labelSelector=app%3Ddb`, body: { gracePeriodSeconds: 0 } },
    {
      method: draw.pick(['PUT', 'PATCH', 'POST']),
      path: draw.pick([sensible, `${sensible}/${name}`]),
      body: {},
    },
  ]);
};

function merged(target: Json, change: Json): Json {
  if (change === null || typeof change !== 'object' || Array.isArray(change)) return change;
  const result = { ...target };
  for (const [key, value] of Object.entries(change)) {
    if (value === null) delete result[key];
    else result[key] = merged(result[key], value);
  }
  return result;
}
