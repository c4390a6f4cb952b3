// HTTP to one API server on undici's dispatch handlers: identity on every call, retries, time-outs, streams. Knows
// nothing of resources; never logs (an observer is called instead).
import { parse } from 'node:path';
import type { Dispatcher } from 'undici';
import { type Clock, sleep, systemClock } from '../clock.ts';
import type { ClusterConfig, Identity } from '../config/identity.ts';
import { ApiError } from '../errors.ts';
import { type Random, systemRandom } from '../random.ts';
import { MAX_REFUSAL_BYTES, type RawAnswer, sendBuffered } from './buffered-call.ts';
import { CallScope, closedError } from './call-scope.ts';
import { connectionError } from './connection-fault.ts';
import { ConnectionPool } from './connection-pool.ts';
import { ACCEPTED_ENCODING, decodeBody } from './content-encoding.ts';
import { type HeaderValues, impersonationHeaders } from './impersonation-headers.ts';
import { RateLimit } from './rate-limit.ts';
import { responseError } from './response-error.ts';
import { DEFAULT_RETRY_POLICY, RetryBudget, type RetryPolicy } from './retry-policy.ts';
import { StreamCall } from './stream-call.ts';
import type {
  HttpRequest,
  HttpResponse,
  RequestOptions,
  ResponseHeaders,
  StreamHandle,
  StreamSink,
  Transport,
} from './transport.ts';

/** Called for every try of every call; must not throw. `status` is 0 when no answer came. */
export type RequestObserver = (seen: {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  /** To the complete answer; for a stream to its headers. */
  readonly durationMs: number;
  readonly attempt: number;
}) => void;

export interface HttpTransportOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly userAgent?: string;
  /** For a whole buffered call, retries included. Default 60 s. */
  readonly timeoutMs?: number;
  readonly connectTimeoutMs?: number;
  /** For buffered calls, which queue for them; each stream has its own besides. */
  readonly connections?: number;
  readonly retry?: RetryPolicy;
  /** Off unless given. */
  readonly rateLimit?: { readonly perSecond: number; readonly burst: number };
  /** Bytes of one buffered body after decompression; more is an error, not a crash. */
  readonly maxBodyBytes?: number;
  readonly observer?: RequestObserver;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_CONNECT_TIMEOUT_MS = 10_000;
const DEFAULT_CONNECTIONS = 16;
const DEFAULT_MAX_BODY_BYTES = 512 * 1024 * 1024;
const LONGEST_PATH_IN_MESSAGES = 200;

export class HttpTransport implements Transport {
  readonly #config: ClusterConfig;
  readonly #origin: string;
  readonly #prefix: string;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #pool: ConnectionPool;
  readonly #retry: RetryPolicy;
  readonly #timeoutMs: number;
  readonly #maxBodyBytes: number;
  readonly #rateLimit: RateLimit | undefined;
  readonly #observer: RequestObserver | undefined;
  readonly #headers: Readonly<HeaderValues>;
  readonly #closing = new AbortController();
  readonly #streams = new Set<StreamCall>();

  constructor(config: ClusterConfig, options: HttpTransportOptions = {}) {
    const url = new URL(config.server);
    this.#config = config;
    this.#origin = url.origin;
    this.#prefix = url.pathname.replace(/\/+$/, '');
    this.#clock = options.clock ?? systemClock;
    this.#random = options.random ?? systemRandom;
    this.#retry = options.retry ?? DEFAULT_RETRY_POLICY;
    this.#timeoutMs = options.timeoutMs ?? DEFAULT_TIMEOUT_MS;
    this.#maxBodyBytes = options.maxBodyBytes ?? DEFAULT_MAX_BODY_BYTES;
    this.#observer = options.observer;
    this.#rateLimit =
      options.rateLimit && new RateLimit(this.#clock, options.rateLimit.perSecond, options.rateLimit.burst);
    this.#pool = new ConnectionPool({
      origin: this.#origin,
      proxyUrl: config.proxyUrl,
      connectTimeoutMs: options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
      connections: options.connections ?? DEFAULT_CONNECTIONS,
    });
    this.#headers = {
      'user-agent': options.userAgent ?? defaultUserAgent(),
      ...impersonationHeaders(config.impersonate),
    };
  }

  async request(request: HttpRequest, options: RequestOptions = {}): Promise<HttpResponse> {
    const scope = new CallScope({
      clock: this.#clock,
      timeoutMs: options.timeoutMs ?? this.#timeoutMs,
      doing: describe(request),
      signal: options.signal,
      closing: this.#closing.signal,
    });
    try {
      return await this.#tryUntilAnswered(request, scope, options.beforeSend);
    } finally {
      scope.end();
    }
  }

  stream(request: HttpRequest, sink: StreamSink): StreamHandle {
    const call = new StreamCall(sink, describe(request), () => this.#streams.delete(call));
    this.#streams.add(call);
    this.#startStream(request, call).catch((error) => call.fail(error));
    return call;
  }

  async close(): Promise<void> {
    this.#closing.abort();
    for (const call of this.#streams) call.fail(closedError('the stream'));
    await this.#pool.close();
  }

  async #tryUntilAnswered(
    request: HttpRequest,
    scope: CallScope,
    beforeSend: (() => void) | undefined,
  ): Promise<HttpResponse> {
    const { signal } = scope;
    const budget = new RetryBudget(this.#retry, request.method, this.#random);
    let renewedIdentity = false;
    for (let attempt = 1; ; attempt++) {
      await this.#rateLimit?.take(signal);
      const identity = await scope.wait(this.#config.identity.current());
      signal.throwIfAborted();
      try {
        return await this.#once(request, identity, signal, attempt, beforeSend);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (error instanceof ApiError && error.status === 401) {
          this.#config.identity.refuse(identity);
          // One more try with a fresh identity; if that is refused too, a person has to act.
          if (!renewedIdentity && differs(await scope.wait(this.#config.identity.current()), identity)) {
            renewedIdentity = true;
            continue;
          }
        }
        const delay = budget.spend(error);
        // A wait that cannot end in time is not begun: the caller learns at once what the server said.
        if (delay === undefined || delay >= scope.remainingMs) throw error;
        await sleep(this.#clock, delay, signal);
      }
    }
  }

  async #once(
    request: HttpRequest,
    identity: Identity,
    signal: AbortSignal,
    attempt: number,
    beforeSend: (() => void) | undefined,
  ): Promise<HttpResponse> {
    const started = this.#clock.monotonic();
    const doing = describe(request);
    let seenStatus = 0;
    try {
      const encoding: HeaderValues = this.#config.disableCompression ? {} : { 'accept-encoding': ACCEPTED_ENCODING };
      const raw = await sendBuffered(
        this.#pool.calls(identity.tls),
        this.#dispatchOptions(request, identity, encoding),
        { doing, signal, maxBytes: this.#maxBodyBytes, viaProxy: this.#config.proxyUrl !== undefined, beforeSend },
      );
      seenStatus = raw.status;
      if (raw.status < 200 || raw.status > 299) throw await this.#refusal(raw, doing);
      return { status: raw.status, headers: raw.headers, body: await decodeBody(raw, doing, this.#maxBodyBytes) };
    } finally {
      const durationMs = this.#clock.monotonic() - started;
      this.#observer?.({ method: request.method, path: request.path, status: seenStatus, durationMs, attempt });
    }
  }

  async #refusal(raw: RawAnswer, doing: string): Promise<ApiError> {
    // The status is what the caller needs; a body that cannot be read must not hide it.
    const body = await decodeBody(raw, doing, MAX_REFUSAL_BYTES).catch(() => Buffer.alloc(0));
    return responseError(raw.status, raw.headers, body, doing, this.#clock.now());
  }

  async #startStream(request: HttpRequest, call: StreamCall): Promise<void> {
    const doing = describe(request);
    if (this.#closing.signal.aborted) throw closedError(doing);
    await this.#rateLimit?.take();
    const identity = await this.#config.identity.current();
    if (call.over) return;
    const refusal: Buffer[] = [];
    let refusalBytes = 0;
    let status = 0;
    let sent = false;
    let headers: ResponseHeaders = {};
    const started = this.#clock.monotonic();
    const observe = () => {
      const durationMs = this.#clock.monotonic() - started;
      this.#observer?.({ method: request.method, path: request.path, status, durationMs, attempt: 1 });
    };
    const refuse = () => {
      if (status === 401) this.#config.identity.refuse(identity);
      call.fail(responseError(status, headers, Buffer.concat(refusal), doing, this.#clock.now()));
    };
    this.#pool.watches(identity.tls).dispatch(this.#dispatchOptions(request, identity, {}), {
      onRequestStart: (controller) => {
        sent = true;
        call.attach(controller);
      },
      onResponseStart: (_controller, code, received) => {
        if (code < 200) return;
        status = code;
        headers = received;
        observe();
        if (code === 200) call.open(received);
      },
      onResponseData: (_controller, chunk) => {
        if (status === 200) {
          call.data(chunk);
          return;
        }
        refusal.push(Buffer.from(chunk));
        if ((refusalBytes += chunk.length) > MAX_REFUSAL_BYTES) refuse();
      },
      onResponseEnd: () => {
        if (status === 200) call.end();
        else refuse();
      },
      onResponseError: (_controller, error) => {
        if (status === 0) observe();
        const viaProxy = this.#config.proxyUrl !== undefined;
        call.fail(connectionError(error, doing, { neverSent: !sent, viaProxy }));
      },
    });
  }

  #dispatchOptions(request: HttpRequest, identity: Identity, extra: HeaderValues): Dispatcher.DispatchOptions {
    const headers: HeaderValues = { ...this.#headers, ...extra };
    for (const [name, value] of Object.entries(request.headers ?? {})) headers[name.toLowerCase()] = value;
    if (identity.authorization !== undefined) headers['authorization'] = identity.authorization;
    return {
      origin: this.#origin,
      path: `${this.#prefix}${request.path}`,
      method: request.method,
      headers,
      body: request.body ?? null,
      // undici gives up the connection after a body that HTTP does not foresee; Kubernetes takes one for DELETE.
      ...(request.method === 'DELETE' ? { reset: false } : {}),
    };
  }
}

/** A renewed token, or new connections with another client certificate. */
function differs(a: Identity, b: Identity): boolean {
  return a.authorization !== b.authorization || a.tls !== b.tls;
}

function describe(request: HttpRequest): string {
  const { method, path } = request;
  return `${method} ${path.length > LONGEST_PATH_IN_MESSAGES ? `${path.slice(0, LONGEST_PATH_IN_MESSAGES)}…` : path}`;
}

/** The program first, as client-go does, so that an audit log shows who asks. */
function defaultUserAgent(): string {
  const program = parse(process.argv[1] ?? 'node').name.replaceAll(/[^\w.-]/g, '_');
  return `${program} machinery/0.1.0 (${process.platform}/${process.arch}) node/${process.versions.node}`;
}
