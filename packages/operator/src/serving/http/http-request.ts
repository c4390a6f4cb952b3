// A request as handlers see it: what was asked, by whom, and what that caller may see.
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import type { Visibility } from '@podtrail/history/wire';
import type { Access, Caller } from '../access/access.ts';
import { type BodyLimits, type BodyWaits, RequestBody } from './request-body.ts';

/** Of routes that are for anyone. */
const NOBODY: Caller = { name: '', groups: [] };

export class HttpRequest {
  readonly id: string;
  readonly method: string;
  /** As it came, without the query. */
  readonly path: string;
  /** As it came, without the question mark. */
  readonly query: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: RequestBody;
  /** What the names of the route's path stand for. */
  captures: Readonly<Record<string, string>> = {};
  /** The path of the route, for logs and metrics: a bounded number of values. */
  route: string | undefined;
  caller: Caller = NOBODY;
  /** Of the body of the answer, as it was sent. */
  sentBytes = 0;
  /** A bug of ours that the answer does not show, for the log. */
  bug: unknown;
  readonly #access: Access;
  readonly #ended = new LazyAbort();
  readonly #gone = new LazyAbort();

  constructor(id: string, incoming: IncomingMessage, access: Access, limits: BodyLimits, waits?: BodyWaits) {
    this.id = id;
    this.method = incoming.method ?? '';
    const url = incoming.url ?? '';
    const mark = url.indexOf('?');
    this.path = mark === -1 ? url : url.slice(0, mark);
    this.query = mark === -1 ? '' : url.slice(mark + 1);
    this.headers = incoming.headers;
    this.body = new RequestBody(incoming, limits, waits);
    this.#access = access;
  }

  /** Asked when it is needed: some answers are the same for everybody. With a namespace: of that one alone. */
  visibility(namespace?: string): Promise<Visibility> {
    return this.#access.visibility(this.caller, namespace, this);
  }

  /** Aborts when the client has gone, the time is up, or the server ends. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Aborts when nobody waits for the answer any more. Not when the server ends: what is under way may end. */
  get gone(): AbortSignal {
    return this.#gone.signal;
  }

  /** By a server that ends. */
  abort(reason: unknown): void {
    this.#ended.abort(reason);
  }

  /** By the server, when the client has gone or the time is up. */
  abandon(reason: unknown): void {
    this.#ended.abort(reason);
    this.#gone.abort(reason);
  }
}

/** Most requests are answered before anybody looks: a controller for each would cost more than the rest of it. */
class LazyAbort {
  #controller: AbortController | undefined;
  #reason: { readonly reason: unknown } | undefined;

  get signal(): AbortSignal {
    this.#controller ??= new AbortController();
    if (this.#reason !== undefined) this.#controller.abort(this.#reason.reason);
    return this.#controller.signal;
  }

  abort(reason: unknown): void {
    this.#reason ??= { reason };
    this.#controller?.abort(reason);
  }
}
