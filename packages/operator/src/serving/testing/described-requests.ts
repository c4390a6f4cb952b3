// Requests made from an OpenAPI document: every operation, with values for every parameter. What the document describes
// and nobody said how to ask is an error, so that a new endpoint or parameter cannot be forgotten.

export interface DescribedApi {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly parameters?: readonly { readonly name: string; readonly required?: boolean }[];
            readonly requestBody?: unknown;
          }
        >
      >
    >
  >;
}

export interface SentBody {
  readonly type: string;
  readonly text: string;
  /** Of the request, besides. */
  readonly query?: string;
}

export interface DescribedRequest {
  readonly method: string;
  /** As the document has it. */
  readonly operation: string;
  /** With its query. */
  readonly url: string;
  readonly body?: SentBody | undefined;
}

export interface RequestValues {
  /** By the name of the parameter. */
  readonly parameters: Readonly<Record<string, readonly string[]>>;
  /** By operation, as `POST /api/v1/who`. */
  readonly bodies: Readonly<Record<string, readonly SentBody[]>>;
}

export function describedRequests({ paths }: DescribedApi, { parameters, bodies }: RequestValues): DescribedRequest[] {
  const requests: DescribedRequest[] = [];
  for (const [path, methods] of Object.entries(paths)) {
    for (const [name, { parameters: described = [], requestBody }] of Object.entries(methods)) {
      const method = name.toUpperCase();
      const operation = `${method} ${path}`;
      if (requestBody !== undefined) {
        const sent = bodies[operation] ?? missing(`the body of ${operation}`);
        for (const body of sent) requests.push({ method, operation, url: withQuery(path, body.query), body });
        continue;
      }
      for (const query of queriesOf(operation, described, parameters))
        requests.push({ method, operation, url: withQuery(path, query) });
    }
  }
  return requests;
}

/** All combinations of what identifies (what is required, and the namespace), each with each other parameter alone. */
function queriesOf(
  operation: string,
  described: readonly { readonly name: string; readonly required?: boolean }[],
  values: RequestValues['parameters'],
): string[] {
  const valuesOf = (name: string) => values[name] ?? missing(`${name} of ${operation}`);
  let bases: string[][] = [[]];
  for (const { name, required } of described) {
    if (required !== true && name !== 'namespace') continue;
    const some = valuesOf(name).map((value) => `${name}=${encodeURIComponent(value)}`);
    const choices = required === true ? some : [undefined, ...some];
    bases = bases.flatMap((base) => choices.map((pair) => (pair === undefined ? base : [...base, pair])));
  }
  const others = described.filter(({ name, required }) => required !== true && name !== 'namespace');
  const alone = others.flatMap(({ name }) => valuesOf(name).map((value) => `${name}=${encodeURIComponent(value)}`));
  const hasSpan = others.some(({ name }) => name === 'since') && others.some(({ name }) => name === 'until');
  const span = hasSpan ? [[`since=${valuesOf('since')[0]}`, `until=${valuesOf('until')[0]}`]] : [];
  return bases.flatMap((base) =>
    [[], ...alone.map((pair) => [pair]), ...span].map((more) => [...base, ...more].join('&')),
  );
}

function withQuery(path: string, query = ''): string {
  return query === '' ? path : `${path}?${query}`;
}

function missing(what: string): never {
  throw new Error(`${what} is new: say here what it is asked with`);
}
