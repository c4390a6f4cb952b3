// Finds the route of a request. Paths are compared as they came, segment by segment; only what a name stands for is
// decoded, once.
import { Problem } from '../problem.ts';
import type { Route } from './route.ts';

interface Found {
  readonly route: Route;
  readonly captures: Readonly<Record<string, string>>;
}

interface Pattern {
  readonly segments: readonly string[];
  readonly byMethod: Map<string, Route>;
}

const NOTHING: Readonly<Record<string, string>> = Object.freeze({});

export class Router {
  readonly #exact = new Map<string, Map<string, Route>>();
  readonly #patterns: Pattern[] = [];

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const byMethod = this.#methodsOf(route.path);
      if (byMethod.has(route.method)) throw new Error(`two routes are ${route.method} ${route.path}`);
      byMethod.set(route.method, route);
    }
  }

  /** Rejects with a Problem of 404 or, with the methods that there are, 405. HEAD is answered as GET. */
  find(method: string, path: string): Found {
    const exact = this.#exact.get(path);
    if (exact !== undefined) return { route: routeOf(exact, method), captures: NOTHING };
    const segments = path.split('/');
    for (const pattern of this.#patterns) {
      const captures = capturesOf(pattern.segments, segments);
      if (captures !== undefined) return { route: routeOf(pattern.byMethod, method), captures };
    }
    throw new Problem(404, 'no-such-path', 'there is nothing at this path', {
      hint: '/openapi.json lists what there is.',
    });
  }

  #methodsOf(path: string): Map<string, Route> {
    if (!path.includes('{')) {
      const known = this.#exact.get(path);
      if (known !== undefined) return known;
      const added = new Map<string, Route>();
      this.#exact.set(path, added);
      return added;
    }
    const segments = path.split('/');
    const known = this.#patterns.find((pattern) => pattern.segments.join('/') === path);
    if (known !== undefined) return known.byMethod;
    const added = { segments, byMethod: new Map<string, Route>() };
    this.#patterns.push(added);
    return added.byMethod;
  }
}

function routeOf(byMethod: ReadonlyMap<string, Route>, method: string): Route {
  const route = byMethod.get(method === 'HEAD' ? 'GET' : method);
  if (route !== undefined) return route;
  const known = [...byMethod.keys()].flatMap((name) => (name === 'GET' ? ['GET', 'HEAD'] : [name])).join(', ');
  throw new Problem(405, 'method-not-allowed', `${method} is not answered here`, {
    hint: `use ${known}.`,
    headers: { allow: known },
  });
}

function capturesOf(pattern: readonly string[], segments: readonly string[]): Record<string, string> | undefined {
  if (pattern.length !== segments.length) return undefined;
  const captures: Record<string, string> = {};
  for (const [i, expected] of pattern.entries()) {
    const segment = segments[i] ?? '';
    if (!expected.startsWith('{')) {
      if (expected !== segment) return undefined;
      continue;
    }
    const value = decoded(segment);
    if (value === undefined || value === '') return undefined;
    captures[expected.slice(1, -1)] = value;
  }
  return captures;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}
