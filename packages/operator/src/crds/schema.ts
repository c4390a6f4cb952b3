// A small typed builder: one expression gives the OpenAPI v3 structural schema that the API server checks by and, by
// inference, the TypeScript type that our code works with. Used by the kinds beside it; knows nothing of them.

/** A CEL rule. The message says what to write instead; `messageExpression` may name the offending value. */
export interface Validation {
  readonly rule: string;
  readonly message: string;
  readonly messageExpression?: string;
  /** The same rule here, of a value that is of the right type. Not part of the schema that is written out. */
  readonly holds: (value: unknown) => boolean;
}

export interface JsonSchema {
  readonly type: 'object' | 'array' | 'string' | 'integer' | 'boolean';
  readonly description?: string;
  readonly default?: unknown;
  readonly format?: string;
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly maxProperties?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: JsonSchema;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-map-type'?: 'atomic' | 'granular';
  readonly 'x-kubernetes-validations'?: readonly Validation[];
}

/** `type` exists only for the type checker: it carries what `json` describes. */
export interface Schema<T, Needed extends boolean = boolean> {
  readonly json: JsonSchema;
  readonly needed: Needed;
  readonly type?: T;
}

export type Infer<S> = S extends Schema<infer T> ? T : never;

export type Shape = Readonly<Record<string, Schema<unknown>>>;

type NeededKeys<S extends Shape> = { [K in keyof S]: S[K] extends Schema<unknown, true> ? K : never }[keyof S];

type InferShape<S extends Shape> = { [K in NeededKeys<S>]: Infer<S[K]> } & {
  [K in Exclude<keyof S, NeededKeys<S>>]?: Infer<S[K]>;
};

/** Anything of the schema that has no function of its own here. */
type More = Omit<Partial<JsonSchema>, 'type' | 'description'>;

export function text(description: string, more: More = {}): Schema<string, true> {
  return { needed: true, json: { type: 'string', description, ...more } };
}

export function oneOf<const V extends string>(description: string, values: readonly V[]): Schema<V, true> {
  return { needed: true, json: { type: 'string', description, enum: values } };
}

export function time(description: string): Schema<string, true> {
  return { needed: true, json: { type: 'string', format: 'date-time', description } };
}

export function count(description: string): Schema<number, true> {
  return { needed: true, json: { type: 'integer', format: 'int64', minimum: 0, description } };
}

export function flag(description: string, more: More = {}): Schema<boolean, true> {
  return { needed: true, json: { type: 'boolean', description, ...more } };
}

export function list<T>(description: string, items: Schema<T>, more: More = {}): Schema<T[], true> {
  const listType = more['x-kubernetes-list-type'] ?? 'atomic';
  return {
    needed: true,
    json: { type: 'array', description, items: items.json, ...more, 'x-kubernetes-list-type': listType },
  };
}

/** By keys that the schema does not know. Atomic, so that managed fields do not repeat every key in every object. */
export function mapOf<T>(description: string, values: Schema<T>, more: More = {}): Schema<Record<string, T>, true> {
  return {
    needed: true,
    json: {
      type: 'object',
      description,
      additionalProperties: values.json,
      'x-kubernetes-map-type': 'atomic',
      ...more,
    },
  };
}

export function object<S extends Shape>(description: string, shape: S, more: More = {}): Schema<InferShape<S>, true> {
  const required = Object.entries(shape).flatMap(([name, { needed }]) => (needed ? [name] : []));
  const properties = Object.fromEntries(Object.entries(shape).map(([name, { json }]) => [name, json]));
  return {
    needed: true,
    json: { type: 'object', description, properties, ...(required.length === 0 ? {} : { required }), ...more },
  };
}

/** May be left out. */
export function optional<T>(schema: Schema<T>): Schema<T, false> {
  return { ...schema, needed: false };
}

/** The server fills it in: may be left out when written, is there when read. */
export function withDefault<T>(schema: Schema<T>, value: T): Schema<T, false> {
  return { needed: false, json: { ...schema.json, default: value } };
}
