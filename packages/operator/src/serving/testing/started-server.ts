// A server for a test, on a port of its own, closed when the test ends; and an Access that believes everybody.
import type { TestContext } from 'node:test';
import { ALL_VISIBLE, type Visibility } from '@podtrail/history/wire';
import { systemClock } from '@podtrail/machinery';
import type { Access } from '../access/access.ts';
import { HttpServer, type HttpServerOptions } from '../http/http-server.ts';
import type { Route } from '../http/route.ts';
import { Problem } from '../problem.ts';

/** `Authorization: Bearer NAME` is the caller of that name; what each may see. Nobody else is let in. */
export function accessOf(visibilities: Readonly<Record<string, Visibility>> = { jane: ALL_VISIBLE }): Access {
  return {
    identify: async ({ headers }) => {
      const name = (headers.authorization ?? '').replace(/^Bearer /, '');
      if (!Object.hasOwn(visibilities, name)) throw new Problem(401, 'unauthenticated', 'who are you?');
      return { name, groups: [] };
    },
    visibility: async ({ name }) => visibilities[name] ?? { kind: 'namespaces', since: new Map() },
  };
}

export interface StartedServer {
  readonly server: HttpServer;
  readonly origin: string;
  /** As jane, unless it is said otherwise. */
  get(path: string, init?: RequestInit & { readonly as?: string }): Promise<Response>;
}

export async function startedServer(
  t: Pick<TestContext, 'after'>,
  routes: readonly Route[],
  options: Partial<HttpServerOptions> = {},
): Promise<StartedServer> {
  const server = await HttpServer.start({
    ...{ host: '127.0.0.1', port: 0, routes, access: accessOf(), clock: systemClock },
    ...options,
  });
  t.after(() => server.close(0));
  const origin = `http://127.0.0.1:${server.port}`;
  return {
    ...{ server, origin },
    get: (path, { as = 'jane', ...init } = {}) =>
      fetch(`${origin}${path}`, { ...init, headers: { authorization: `Bearer ${as}`, ...init.headers } }),
  };
}
