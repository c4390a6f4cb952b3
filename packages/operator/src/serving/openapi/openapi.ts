// The OpenAPI 3.1 document of a list of operations, made from the schemas by which requests are checked and documents are
// described. What several operations share stands once, under components.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import * as wire from '@podtrail/history/wire/schemas';
import { z } from 'zod';
import type { Contents, Operation } from '../api/operation.ts';
import { jsonTextReply, type WholeReply } from '../http/reply.ts';

type Json = Record<string, unknown>;

const compress = promisify(gzip);

const problemSchema = z.strictObject({
  type: z.literal('about:blank'),
  title: z.string(),
  status: z.int(),
  detail: z.string().meta({ description: 'One sentence about this request.' }),
  code: z.string().meta({ description: 'Stable; branch on this one.' }),
  hint: z.string().exactOptional().meta({ description: 'What to do.' }),
  requestId: z.string().exactOptional(),
});

const PROBLEMS: Readonly<Record<string, string>> = {
  400: 'The request cannot be meant; the detail says what is wrong, and where there is a limit, which.',
  401: 'The request does not prove who asks.',
  403: 'The caller may not ask this.',
  404: 'There is no such cluster or path.',
  429: 'The caller asks too often; Retry-After says when to come again.',
  503: 'The ledger cannot answer now; Retry-After says when to come again.',
};
/** Of requests with a body. */
const BODY_PROBLEMS: Readonly<Record<string, string>> = {
  408: 'The body came too slowly.',
  413: 'The body is too large; the detail says what is allowed.',
  415: 'The body is of another media type, or has a Content-Encoding.',
};

function openApi(operations: readonly Operation[], version: string): Json {
  const schemas = new Components(operations);
  const paths: Record<string, Json> = {};
  for (const operation of operations) {
    const path = (paths[operation.path] ??= {});
    path[operation.method.toLowerCase()] = describe(operation, schemas);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'podtrail',
      version,
      summary: 'Which pod held this IP at that instant, on which node, and why did it move?',
      description:
        'Every answer is held, free, ambiguous or unknown, with its evidence. Times are RFC 3339 with a zone. A listing has `more` and `cursor`: pass the cursor with the same question for the next page.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    paths,
    components: {
      schemas: schemas.all(),
      responses: {
        ...Object.fromEntries(
          Object.entries({ ...PROBLEMS, ...BODY_PROBLEMS }).map(([status, text]) => [
            `Problem${status}`,
            problem(text),
          ]),
        ),
        NotModified: {
          description: 'If-None-Match names the ETag of this answer: who asks has it already.',
          headers: { ETag: { description: 'Of the bytes of the answer.', schema: { type: 'string' } } },
        },
      },
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer' } },
    },
  };
}

/** GET /openapi.json, of these and itself. */
export function openApiRoute(operations: readonly Operation[], version: string): Operation {
  const own: Operation = {
    ...{ method: 'GET', path: '/openapi.json', id: 'openapi', audience: 'anyone' },
    summary: 'This document.',
    reply: { 'application/json': z.record(z.string(), z.unknown()) },
    handle: () => (reply ??= replyOf(openApi([...operations, own], version))),
  };
  // Made once, written and packed: it is for anyone, who may ask as often as they like.
  let reply: Promise<WholeReply> | undefined;
  return own;
}

async function replyOf(document: Json): Promise<WholeReply> {
  const text = JSON.stringify(document);
  return jsonTextReply(text, { hasETag: true, packed: await compress(text) });
}

function describe(operation: Operation, schemas: Components): Json {
  const { id, summary, query, headers = {}, body, reply, also = {}, example, audience, method } = operation;
  const parameters = [
    ...(query === undefined ? [] : parametersOf(query, example ?? {})),
    ...Object.entries(headers).map(([name, description]) => ({
      ...{ name, in: 'header', description, required: false, schema: { type: 'string' } },
    })),
  ];
  const mayHaveETag = method === 'GET' && 'application/json' in reply;
  const problems = { ...PROBLEMS, ...(body === undefined ? {} : BODY_PROBLEMS) };
  return {
    operationId: id,
    summary,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(body === undefined ? {} : { requestBody: { required: true, content: contentOf(body, schemas) } }),
    ...(audience === 'anyone' ? { security: [] } : {}),
    responses: {
      200: {
        description: 'The answer.',
        headers: {
          'X-Request-Id': { description: 'Names this request in the log.', schema: { type: 'string' } },
          ...(mayHaveETag ? { ETag: { description: 'Of a range that is over.', schema: { type: 'string' } } } : {}),
        },
        content: contentOf(reply, schemas),
      },
      ...Object.fromEntries(Object.entries(also).map(([status, description]) => [status, { description }])),
      // Of a range that is over, which no later record changes; anything else has no ETag.
      ...(mayHaveETag ? { 304: { $ref: '#/components/responses/NotModified' } } : {}),
      ...Object.fromEntries(
        Object.keys(problems).map((status) => [status, { $ref: `#/components/responses/Problem${status}` }]),
      ),
    },
  };
}

function parametersOf(query: z.ZodObject, example: NonNullable<Operation['example']>): readonly Json[] {
  const { properties = {}, required = [] } = z.toJSONSchema(query, { io: 'input' });
  return Object.entries(properties).map(([name, property]) => {
    const { description, ...schema } = property as Json & { readonly description?: string };
    return {
      ...{ name, in: 'query', description, required: required.includes(name), schema },
      ...(schema['type'] === 'array' ? { style: 'form', explode: false } : {}),
      ...(name in example
        ? { example: schema['type'] === 'array' ? String(example[name]).split(',') : example[name] }
        : {}),
    };
  });
}

function contentOf(contents: Contents, schemas: Components): Json {
  return Object.fromEntries(
    Object.entries(contents).map(([type, schema]) => [
      type,
      { schema: schema === 'text' ? { type: 'string' } : schemas.refer(schema) },
    ]),
  );
}

function problem(description: string): Json {
  return {
    description,
    headers: { 'Retry-After': { description: 'Seconds.', schema: { type: 'string' } } },
    content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
  };
}

/** Every schema has a name: those of the wire their own, the others that of their operation. */
class Components {
  readonly #names = new Map<z.ZodType, string>([[problemSchema, 'Problem']]);
  readonly #schemas: Json;

  constructor(operations: readonly Operation[]) {
    for (const [name, schema] of Object.entries(wire))
      if (schema instanceof z.ZodType) this.#names.set(schema, componentName(name));
    for (const { id, body = {}, reply } of operations) {
      for (const schema of Object.values(body)) this.#add(schema, componentName(`${id}Request`));
      for (const schema of Object.values(reply)) this.#add(schema, componentName(`${id}Reply`));
    }
    const registry = z.registry<{ id: string }>();
    for (const [schema, id] of this.#names) registry.add(schema, { id });
    // As a request may be written; what is sent back is the same either way.
    const { schemas } = z.toJSONSchema(registry, { io: 'input', uri: (id) => `#/components/schemas/${id}` });
    this.#schemas = Object.fromEntries(Object.entries(schemas).map(([id, schema]) => [id, plain(schema as Json)]));
  }

  all(): Json {
    return this.#schemas;
  }

  refer(schema: z.ZodType): Json {
    return { $ref: `#/components/schemas/${this.#names.get(schema)}` };
  }

  #add(schema: z.ZodType | 'text', name: string): void {
    if (schema !== 'text' && !this.#names.has(schema)) this.#names.set(schema, name);
  }
}

function componentName(name: string): string {
  const stem = name.replace(/Schema$/, '');
  return `${stem.charAt(0).toUpperCase()}${stem.slice(1)}`;
}

/** Without what says where it stands: that is said by the document around it. */
function plain({ $schema, $id, id, ...schema }: Json): Json {
  return schema;
}
