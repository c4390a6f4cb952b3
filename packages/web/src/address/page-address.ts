// The URL as the state of the page: which view, and what is asked. Pure; address/location.ts keeps the browser's URL.
// Whoever opens the same URL sees the same: nothing that matters is kept elsewhere.

export const VIEWS = ['ask', 'trail', 'nodes', 'feed', 'health'] as const;
export type ViewName = (typeof VIEWS)[number];

/** Values by name; a name that is not there has no value. */
export type Parameters = Readonly<Record<string, string>>;

export interface PageAddress {
  readonly view: ViewName;
  readonly parameters: Parameters;
}

export function parseAddress(path: string, query: string): PageAddress {
  const name = path.replaceAll('/', '');
  const view = VIEWS.find((known) => known === name) ?? 'ask';
  const parameters: Record<string, string> = {};
  for (const [key, value] of new URLSearchParams(query)) if (value !== '') parameters[key] = value;
  return { view, parameters };
}

/** Parameters in the order of their names, so that the same state is the same URL. */
export function printAddress({ view, parameters }: PageAddress): string {
  const query = new URLSearchParams();
  for (const key of Object.keys(parameters).sort()) {
    const value = parameters[key];
    if (value !== undefined && value !== '') query.set(key, value);
  }
  const path = view === 'ask' ? '/' : `/${view}`;
  const text = query.toString().replaceAll('%3A', ':').replaceAll('%2F', '/').replaceAll('%2C', ',');
  return text === '' ? path : `${path}?${text}`;
}

/** Of the parameters those of every view: a link to another view takes them along. */
export function sharedParameters({ cluster }: Parameters): Parameters {
  return cluster === undefined ? {} : { cluster };
}

/** `undefined` removes a parameter. */
export function withParameters(
  address: PageAddress,
  changes: Readonly<Record<string, string | undefined>>,
): PageAddress {
  const parameters: Record<string, string> = {};
  for (const [key, value] of Object.entries({ ...address.parameters, ...changes }))
    if (value !== undefined && value !== '') parameters[key] = value;
  return { view: address.view, parameters };
}
