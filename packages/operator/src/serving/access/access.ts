// Who asks, and what it may see. Every door that serves over a network is given one of these, and asks it before anything
// is read: the page and the API on loopback a one-time token, the API of the operator bearer tokens, the aggregated API
// the certificate of the API server. Nothing in here says how.
import type { IncomingMessage } from 'node:http';
import type { Visibility } from '@podtrail/history/wire';

/** As Kubernetes names users, in reviews and in front-proxy headers. */
export interface Caller {
  readonly name: string;
  readonly uid?: string | undefined;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>> | undefined;
}

export interface Access {
  /** Rejects with a Problem of status 401 where the request does not prove who asks, or that cannot be found out. */
  identify(request: Pick<IncomingMessage, 'headers' | 'headersDistinct' | 'socket'>): Promise<Caller>;
  /**
   * Everything, or the namespaces in which the caller may list pods. Where that cannot be found out: none of them. With a
   * namespace only that one is asked about, and is all that is visible to whoever may not see everything. Rejects with a
   * Problem of 503 where too much waits to be found out. `waiter`: who waits for it; when it is gone, it may end.
   */
  visibility(caller: Caller, namespace?: string, waiter?: { readonly gone: AbortSignal }): Promise<Visibility>;
}
