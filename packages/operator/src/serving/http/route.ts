// What a server answers, as data: a list of routes, and where each leads. Documents that describe a server (OpenAPI,
// discovery, the matrix of who may see what) are made from the same lists.
import type { HttpRequest } from './http-request.ts';
import type { Reply } from './reply.ts';

export interface Route {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** `/api/v1/who`; `{name}` stands for one segment. A path that is written out goes before one with names. */
  readonly path: string;
  /** `anyone`: nobody is asked who they are, because nothing of the ledger is said. */
  readonly audience?: 'callers' | 'anyone' | undefined;
  /** Not counted against the caller's rate: documents about the API, which clients read before they ask. */
  readonly isFree?: boolean | undefined;
  /** Rejects with a Problem where the request is refused. GET changes nothing. */
  readonly handle: (request: HttpRequest) => Promise<Reply>;
}
