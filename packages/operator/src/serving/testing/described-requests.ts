// Requests made from an OpenAPI document: every operation, with values for every parameter, optional ones too: one that
// names something once with what is shown, hidden and absent each. What the document describes and nobody said how to ask
// is an error, so that a new endpoint or parameter cannot be forgotten.

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

/** What a parameter may name: something that some users see, something that is hidden from them, something that is not there. */
export interface NamedValues {
  readonly shown: readonly string[];
  readonly hidden: readonly string[];
  readonly absent: readonly string[];
}

export interface RequestValues {
  /** By the name of the parameter: those that name something of the ledger. */
  readonly named: Readonly<Record<string, NamedValues>>;
  /** Those that name nothing: times, sizes, orders. */
  readonly plain: Readonly<Record<string, readonly string[]>>;
  /** By operation, as `POST /api/v1/who`. */
  readonly bodies: Readonly<Record<string, readonly SentBody[]>>;
  /** Parameters of an operation with a body that say how to read it, and name nothing of the ledger. */
  readonly ofBodies: Readonly<Record<string, readonly string[]>>;
}

export function describedRequests({ paths }: DescribedApi, values: RequestValues): DescribedRequest[] {
  const { bodies } = values;
  const requests: DescribedRequest[] = [];
  for (const [path, methods] of Object.entries(paths)) {
    for (const [name, { parameters: described = [], requestBody }] of Object.entries(methods)) {
      const method = name.toUpperCase();
      const operation = `${method} ${path}`;
      if (requestBody !== undefined) {
        const sent = bodies[operation] ?? missing(`the body of ${operation}`);
        checkAsked(operation, described, sent, values);
        for (const body of sent) requests.push({ method, operation, url: withQuery(path, body.query), body });
        continue;
      }
      for (const query of queriesOf(operation, described, values))
        requests.push({ method, operation, url: withQuery(path, query) });
    }
  }
  return requests;
}

/** All combinations of what identifies (what is required, and the namespace), each with each other parameter alone. */
function queriesOf(
  operation: string,
  described: readonly { readonly name: string; readonly required?: boolean }[],
  { named, plain }: RequestValues,
): string[] {
  const valuesOf = (name: string) => {
    const known = named[name];
    if (known === undefined) return plain[name] ?? missing(`${name} of ${operation}`);
    for (const [which, some] of Object.entries(known)) if (some.length === 0) missing(`${name} that is ${which}`);
    return [...known.shown, ...known.hidden, ...known.absent];
  };
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

/** Each parameter of an operation with a body is asked with by one of the bodies, or names nothing. */
function checkAsked(
  operation: string,
  described: readonly { readonly name: string }[],
  sent: readonly SentBody[],
  { ofBodies }: RequestValues,
): void {
  const asked = new Set(sent.flatMap(({ query }) => [...new URLSearchParams(query).keys()]));
  for (const { name } of described) {
    if (!asked.has(name) && ofBodies[operation]?.includes(name) !== true) missing(`${name} of ${operation}`);
  }
}

function withQuery(path: string, query = ''): string {
  return query === '' ? path : `${path}?${query}`;
}

function missing(what: string): never {
  throw new Error(`${what} is new: say here what it is asked with`);
}
