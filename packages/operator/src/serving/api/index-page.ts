// What is at /: a few lines that lead on. The page will take its place.
import type { HttpRequest } from '../http/http-request.ts';
import type { Reply } from '../http/reply.ts';
import type { Route } from '../http/route.ts';

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>podtrail</title>
<h1>podtrail</h1>
<p>Which pod held this IP at that instant, on which node, and why did it move?</p>
<ul>
<li><a href="/openapi.json">/openapi.json</a>: every question that can be asked here, as OpenAPI 3.1</li>
<li><a href="/api/v1/clusters">/api/v1/clusters</a>: the clusters of this ledger</li>
<li><a href="/api/v1/gaps">/api/v1/gaps</a>: when nobody was watching</li>
</ul>
</html>
`;

/** `exchange`: of a request that brings a token, what is sent instead. */
export function indexPage(exchange?: (request: HttpRequest) => Reply | undefined): Route {
  return {
    method: 'GET',
    path: '/',
    audience: 'anyone',
    handle: async (request) =>
      exchange?.(request) ?? { status: 200, headers: { 'content-type': 'text/html; charset=utf-8' }, body: PAGE },
  };
}
