// The page for people: its HTML at the path of every view, so that a deep link can be opened and loaded again, and its
// assets. The files are given as data; nothing of the ledger is in them, so they are for anyone, and not counted.
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { HttpRequest } from '../http/http-request.ts';
import type { Reply, WholeReply } from '../http/reply.ts';
import type { Route } from '../http/route.ts';
import { Problem } from '../problem.ts';

export interface PageFiles {
  readonly index: string;
  /** By their path below the page, `assets/…`; other content has another name. */
  readonly assets: ReadonlyMap<string, Uint8Array>;
}

/** Asked when somebody asks for the page, so that nobody else pays for it. Rejects with a Problem where there is none. */
export type PageSource = () => Promise<PageFiles>;

/** The views of the page; which one is shown, and of what, is in the URL. */
const VIEWS = ['/', '/trail', '/nodes', '/feed', '/health'] as const;
/** Also as people write them. */
const PATHS = VIEWS.flatMap((path) => (path === '/' ? [path] : [path, `${path}/`]));
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
};
const compress = promisify(gzip);

/** `exchange`: of a request that brings a token, what is sent instead. */
export function pageRoutes(page: PageSource, exchange?: (request: HttpRequest) => Reply | undefined): readonly Route[] {
  const packed = new PackedAssets();
  const views = PATHS.map((path): Route => {
    const handle = async (request: HttpRequest): Promise<Reply> => {
      try {
        return exchange?.(request) ?? htmlReply(200, await page());
      } catch (error) {
        // A person is shown how to sign in by the page itself, which asks and is refused.
        if (!(error instanceof Problem) || error.status !== 401 || !isForPeople(request)) throw error;
        return htmlReply(401, await page());
      }
    };
    return { method: 'GET', path, audience: 'anyone', handle };
  });
  const assets: Route = {
    method: 'GET',
    path: '/assets/{file}',
    audience: 'anyone',
    handle: async ({ captures }) => await assetReply(packed, await page(), `assets/${captures['file']}`),
  };
  return [...views, assets];
}

function htmlReply(status: number, { index }: PageFiles): WholeReply {
  return { status, headers: { 'content-type': 'text/html; charset=utf-8' }, body: index, hasETag: status === 200 };
}

async function assetReply(packed: PackedAssets, { assets }: PageFiles, path: string): Promise<WholeReply> {
  const body = assets.get(path);
  if (body === undefined) {
    throw new Problem(404, 'no-such-asset', 'the page has no such asset', {
      hint: 'load the page again: this one may be of another version.',
    });
  }
  const headers = {
    'content-type': TYPES[path.slice(path.lastIndexOf('.') + 1)] ?? 'application/octet-stream',
    // Its name says what is in it.
    'cache-control': 'public, max-age=31536000, immutable',
  };
  return { status: 200, headers, body, packed: await packed.of(body) };
}

/** Each is packed once, as well as it can be. */
class PackedAssets {
  readonly #known = new WeakMap<Uint8Array, Promise<Uint8Array>>();

  of(body: Uint8Array): Promise<Uint8Array> {
    const known = this.#known.get(body) ?? compress(body, { level: 9 });
    this.#known.set(body, known);
    return known;
  }
}

function isForPeople({ headers }: HttpRequest): boolean {
  return headers.accept?.includes('text/html') === true;
}
