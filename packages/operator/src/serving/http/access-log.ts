// One line for each request: who, what, how it went. Never what a request carries: no query, no Authorization, no cookie,
// no body; a path only as its route, because a client may write anything into a path.

export interface AccessLogEntry {
  readonly requestId: string;
  readonly caller: string;
  readonly method: string;
  /** Undefined where no route is at the path. */
  readonly route: string | undefined;
  readonly status: number;
  readonly ms: number;
  /** Of the body, as it was sent. */
  readonly bytes: number;
  /** Its time is as long as the client stayed. */
  readonly isStream: boolean;
  readonly remote: string | undefined;
  /** Why, where it was refused. */
  readonly code?: string | undefined;
  /** Of a bug of ours. */
  readonly error?: unknown;
}

export type AccessLog = (entry: AccessLogEntry) => void;
