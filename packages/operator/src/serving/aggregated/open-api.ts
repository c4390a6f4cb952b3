// The OpenAPI documents of the group, version 3 and version 2: what `kubectl explain` reads and clients are generated
// from. Made from the resources.
import { createHash } from 'node:crypto';
import { ATTRIBUTIONS, COMMANDS } from './discovery.ts';
import { GROUP, GROUP_VERSION, VERSION } from './history-object.ts';
import type { HistoryResource, JsonSchema } from './resource.ts';
import { RESOURCES } from './resources.ts';
import { boundary, holder, instant, integer, listOf, object, text, yesOrNo } from './shapes.ts';

const META = 'io.k8s.apimachinery.pkg.apis.meta.v1';
const PREFIX = 'dev.podtrail.history.v1';
const OBJECT_META = `${META}.ObjectMeta`;
const LIST_META = `${META}.ListMeta`;
const ROOT = `/apis/${GROUP_VERSION}`;

const ITS_METADATA = 'Its name, namespace and version.';

type Reference = (name: string, description: string) => JsonSchema;

const IP_ATTRIBUTION: Readonly<Record<string, JsonSchema>> = {
  spec: {
    ...object('What is asked.', {
      ip: text('An IPv4 or IPv6 address.'),
      at: { ...instant('The instant; now if left out.') },
      seen: yesOrNo('The address was seen in use then: nobody is ruled out, and one candidate is the holder.'),
    }),
    required: ['ip'],
  },
  status: object('The answer. Written by the server.', {
    answer: text('held, free, ambiguous or unknown.'),
    reason: text('Why it is unknown, or free.'),
    provisional: yesOrNo('The instant is so recent that more may become known.'),
    narrowed: yesOrNo('You may see some namespaces only; what is in others is left out.'),
    at: instant('The instant that was asked about.'),
    holders: listOf(
      holder('Who had it, or may have had it.', {
        start: boundary('When it began to have it.'),
        end: boundary('When it had it no more.'),
        why: object('Why it is in doubt.', { code: text('A word.'), text: text('A sentence.') }),
      }),
      'One if it was held; the candidates if that is ambiguous.',
    ),
  }),
};

const COMMAND: Readonly<Record<string, JsonSchema>> = {
  spec: {
    ...object('A command of podtrail that asks, as the command line sends it.', {
      words: listOf({ type: 'string' }, 'The command first: who, 10.1.2.3, --at, 15m.'),
      zone: text('The time zone of whoever asks, as Europe/Berlin.'),
      namespace: text('That of the current context; null where there is none.'),
      colour: yesOrNo('Tables may have colours.'),
      asked: object('With the words attribute: what the rows of a log ask.', {
        aboutFree: yesOrNo('Who had an address before and after is wanted, too.'),
        questions: listOf({ type: 'array', items: {} }, 'An address, and one time or two, in epoch milliseconds.'),
      }),
    }),
    required: ['words', 'zone', 'colour'],
  },
  status: object('What it printed. Written by the server.', {
    exitCode: integer('As that of the command.'),
    out: text('Standard output.'),
    err: text('Standard error.'),
    attributions: object('The answers to asked.', {
      unique: listOf({ type: 'object' }, 'Each answer once.'),
      answers: listOf({ type: 'integer' }, 'For each question, which of them it is.'),
    }),
  }),
};

function schemas(reference: Reference): Record<string, JsonSchema> {
  const kindOf = (kind: string) => [{ group: GROUP, version: VERSION, kind }];
  const typed = {
    apiVersion: text('The version of the schema of this object.'),
    kind: text('The kind of this object.'),
  };
  const all: Record<string, JsonSchema> = {
    [OBJECT_META]: object('What all objects have.', {
      name: text('Unique within its namespace; made of what it records, and the same for ever.'),
      namespace: text('The namespace of the pod or Service.'),
      uid: text('Made of kind, namespace and name.'),
      resourceVersion: text('When something of it was last observed. Opaque.'),
      creationTimestamp: { type: 'string', format: 'date-time', description: 'When it began.' },
    }),
    [LIST_META]: object('What all lists have.', {
      resourceVersion: text('How far the ledger had been recorded. Opaque; a watch may begin at it.'),
      continue: text('There are more: the token for the next page. Opaque.'),
    }),
  };
  for (const { kind, description, properties } of RESOURCES) {
    all[`${PREFIX}.${kind}`] = {
      ...object(description, { ...typed, metadata: reference(OBJECT_META, ITS_METADATA), ...properties }),
      'x-kubernetes-group-version-kind': kindOf(kind),
    };
    all[`${PREFIX}.${kind}List`] = {
      ...object(`A list of ${kind}.`, {
        ...typed,
        metadata: reference(LIST_META, 'The version of the list, and the token of its next page.'),
        items: listOf(reference(`${PREFIX}.${kind}`, `One ${kind}.`), 'The objects.'),
      }),
      required: ['items'],
      'x-kubernetes-group-version-kind': kindOf(`${kind}List`),
    };
  }
  all[`${PREFIX}.${ATTRIBUTIONS.kind}`] = {
    ...object('Who held an address at an instant. It is answered at once, and nothing is kept of it.', {
      ...{ ...typed, metadata: reference(OBJECT_META, ITS_METADATA), ...IP_ATTRIBUTION },
    }),
    required: ['spec'],
    'x-kubernetes-group-version-kind': kindOf(ATTRIBUTIONS.kind),
  };
  all[`${PREFIX}.${COMMANDS.kind}`] = {
    ...object('A command that asks, run on the ledger of the server; nothing is kept of it.', {
      ...{ ...typed, metadata: reference(OBJECT_META, ITS_METADATA), ...COMMAND },
    }),
    required: ['spec'],
    'x-kubernetes-group-version-kind': kindOf(COMMANDS.kind),
  };
  return all;
}

const LIST_PARAMETERS: Readonly<Record<string, JsonSchema>> = {
  fieldSelector: text('FIELD=VALUE, separated by commas.'),
  labelSelector: text('Of the labels that pods had, as kubectl writes it; only moves have them.'),
  limit: { type: 'integer', description: 'Objects on a page, at most.' },
  continue: text('The token of the page before.'),
  resourceVersion: text('With watch: begin after it.'),
  watch: yesOrNo('Report what comes, as a stream of events.'),
  allowWatchBookmarks: yesOrNo('Report now and then how far the watch has come.'),
  sendInitialEvents: yesOrNo('Report what there is first, and then a bookmark.'),
  timeoutSeconds: { type: 'integer', description: 'End the watch after this.' },
};

/** How operations of the two versions differ. */
interface Dialect {
  readonly parameter: (name: string, within: 'query' | 'path', schema: JsonSchema) => object;
  readonly response: (schema: string, description: string) => object;
  readonly body: (schema: string) => object;
  readonly reference: Reference;
}

function paths(dialect: Dialect): Record<string, object> {
  const all: Record<string, object> = {
    [`${ROOT}/`]: {
      get: {
        ...{ description: 'The resources that there are.', operationId: 'getHistoryV1APIResources' },
        responses: { 200: { description: 'OK' } },
      },
    },
  };
  for (const resource of RESOURCES) {
    const { plural, namespaced } = resource;
    const list = operation(resource, 'list', dialect);
    if (!namespaced) all[`${ROOT}/${plural}`] = { get: list('') };
    else {
      const inNamespace = [dialect.parameter('namespace', 'path', { type: 'string', description: 'A namespace.' })];
      all[`${ROOT}/${plural}`] = { get: list('ForAllNamespaces') };
      all[`${ROOT}/namespaces/{namespace}/${plural}`] = { parameters: inNamespace, get: list('InNamespace') };
    }
    const one = namespaced ? `${ROOT}/namespaces/{namespace}/${plural}/{name}` : `${ROOT}/${plural}/{name}`;
    const named = ['name', ...(namespaced ? ['namespace'] : [])];
    all[one] = {
      parameters: named.map((name) => dialect.parameter(name, 'path', { type: 'string', description: `Its ${name}.` })),
      get: operation(resource, 'get', dialect)(''),
    };
  }
  const post = (kind: string, description: string, suffix = '') => ({
    post: {
      ...{ description, operationId: `createHistoryV1${kind}${suffix}` },
      'x-kubernetes-action': 'post',
      'x-kubernetes-group-version-kind': { group: GROUP, version: VERSION, kind },
      ...dialect.body(`${PREFIX}.${kind}`),
      responses: { 201: dialect.response(`${PREFIX}.${kind}`, 'Created') },
    },
  });
  const ran = 'Run a command that asks.';
  all[`${ROOT}/${ATTRIBUTIONS.plural}`] = post(ATTRIBUTIONS.kind, 'Who held an address at an instant.');
  all[`${ROOT}/${COMMANDS.plural}`] = post(COMMANDS.kind, ran, 'ForAllNamespaces');
  all[`${ROOT}/namespaces/{namespace}/${COMMANDS.plural}`] = {
    parameters: [dialect.parameter('namespace', 'path', { type: 'string', description: 'A namespace.' })],
    ...post(COMMANDS.kind, ran, 'InNamespace'),
  };
  return all;
}

function operation({ kind }: HistoryResource, verb: 'list' | 'get', dialect: Dialect): (suffix: string) => object {
  const schema = `${PREFIX}.${verb === 'list' ? `${kind}List` : kind}`;
  const parameters = Object.entries(verb === 'list' ? LIST_PARAMETERS : {});
  return (suffix) => ({
    description: verb === 'list' ? `List or watch objects of kind ${kind}.` : `Read one ${kind}.`,
    operationId: `${verb === 'list' ? 'list' : 'read'}HistoryV1${kind}${suffix}`,
    ...(parameters.length === 0
      ? {}
      : { parameters: parameters.map(([name, of]) => dialect.parameter(name, 'query', of)) }),
    'x-kubernetes-action': verb,
    'x-kubernetes-group-version-kind': { group: GROUP, version: VERSION, kind },
    responses: { 200: dialect.response(schema, 'OK') },
  });
}

const INFO = { title: 'podtrail history', version: VERSION };
const JSON_TYPE = 'application/json';

const V3: Dialect = {
  reference: (name, description) => ({ allOf: [{ $ref: `#/components/schemas/${name}` }], description }),
  parameter: (name, within, { description, ...schema }) => ({
    ...{ name, in: within, description, schema, ...(within === 'path' ? { required: true } : {}) },
  }),
  response: (name, description) => ({
    description,
    content: { [JSON_TYPE]: { schema: { $ref: `#/components/schemas/${name}` } } },
  }),
  body: (name) => ({
    requestBody: { required: true, content: { [JSON_TYPE]: { schema: { $ref: `#/components/schemas/${name}` } } } },
  }),
};

const V2: Dialect = {
  reference: (name, description) => ({ $ref: `#/definitions/${name}`, description }),
  parameter: (name, within, schema) => ({
    ...{ name, in: within, ...schema, ...(within === 'path' ? { required: true } : {}) },
  }),
  response: (name, description) => ({ description, schema: { $ref: `#/definitions/${name}` } }),
  body: (name) => ({
    parameters: [{ name: 'body', in: 'body', required: true, schema: { $ref: `#/definitions/${name}` } }],
  }),
};

export function openApiV3(): object {
  return {
    ...{ openapi: '3.0.0', info: INFO, paths: paths(V3) },
    components: { schemas: schemas(V3.reference) },
  };
}

export function openApiV2(): object {
  return {
    ...{ swagger: '2.0', info: INFO, consumes: [JSON_TYPE], produces: [JSON_TYPE] },
    ...{ paths: paths(V2), definitions: schemas(V2.reference) },
  };
}

/** Where the documents of version 3 are; the hash changes with the document, so that it may be kept for ever. */
export function openApiV3Index(): object {
  const hash = createHash('sha256').update(JSON.stringify(openApiV3())).digest('hex').slice(0, 32);
  const serverRelativeURL = `/openapi/v3/apis/${GROUP_VERSION}?hash=${hash.toUpperCase()}`;
  return { paths: { [`apis/${GROUP_VERSION}`]: { serverRelativeURL } } };
}
