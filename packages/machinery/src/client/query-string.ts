// Builds the query part of a request path; undefined values are left out, empty ones are kept (resourceVersion='').

export type QueryValue = string | number | boolean | undefined;

export function withQuery(path: string, query: Readonly<Record<string, QueryValue>>): string {
  const parts: string[] = [];
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parts.push(`${name}=${encodeURIComponent(value)}`);
  }
  return parts.length === 0 ? path : `${path}${path.includes('?') ? '&' : '?'}${parts.join('&')}`;
}
