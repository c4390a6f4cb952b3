// HTTP to one API server on undici's dispatch handlers: identity on every call, retries, time-outs, gzip with a cap.
// Knows nothing of resources; never logs (an observer is told instead).
import { gunzip } from 'node:zlib';
import type { Dispatcher } from 'undici';
import { type Clock, sleep, systemClock } from '../clock.ts';
import type { ClusterConfig, Identity } from '../config/identity.ts';
import { ApiError, ConnectionError, DecodeError } from '../errors.ts';
import { type Random, systemRandom } from '../random.ts';
import { connectionError } from './connection-fault.ts';
import { ConnectionPool } from './connection-pool.ts';
import { RateLimit } from './rate-limit.ts';
import { responseError } from './response-error.ts';
import { DEFAULT_RETRY_POLICY, type RetryPolicy, retryDelay } from './retry-policy.ts';
import type {
  HttpRequest,
  HttpResponse,
  RequestOptions,
  ResponseHeaders,
  StreamHandle,
  StreamSink,
  Transport,
} from './transport.ts';

/** Told of every try of every call; must not throw. `status` is 0 when no answer came. */
export type RequestObserver = (seen: {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly durationMs: number;
  readonly attempt: number;
}) => void;

export interface HttpTransportOptions {
  readonly clock?: Clock;
  readonly random?: Random;
  readonly userAgent?: string;
  readonly timeoutMs?: number;
  readonly connectTimeoutMs?: number;
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
const MAX_ERROR_BODY_BYTES = 1024 * 1024;

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
  readonly #headers: Readonly<Record<string, string | string[]>>;
  #closed = false;

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
      proxyUrl: config.proxyUrl,
      connectTimeoutMs: options.connectTimeoutMs ?? DEFAULT_CONNECT_TIMEOUT_MS,
      connections: options.connections ?? DEFAULT_CONNECTIONS,
    });
    this.#headers = { 'user-agent': options.userAgent ?? defaultUserAgent(), ...impersonationHeaders(config) };
  }

  async request(request: HttpRequest, options: RequestOptions = {}): Promise<HttpResponse> {
    const deadline = new AbortController();
    const timeoutMs = options.timeoutMs ?? this.#timeoutMs;
    const doing = `${request.method} ${request.path}`;
    const timer = this.#clock.setTimer(timeoutMs, () => {
      deadline.abort(
        new ConnectionError('timeout', `${doing}: no complete answer within ${timeoutMs} ms`, {
          hint: 'the server or the network is slow; a longer time-out may help.',
        }),
      );
    });
    const signal = options.signal === undefined ? deadline.signal : AbortSignal.any([options.signal, deadline.signal]);
    try {
      return await this.#tryUntilAnswered(request, doing, signal, options.beforeSend);
    } finally {
      timer.cancel();
    }
  }

  stream(request: HttpRequest, sink: StreamSink): StreamHandle {
    const call = new StreamCall(sink);
    this.#startStream(request, call).catch((error) => call.fail(error));
    return call;
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#pool.close();
  }

  async #tryUntilAnswered(
    request: HttpRequest,
    doing: string,
    signal: AbortSignal,
    beforeSend: (() => void) | undefined,
  ): Promise<HttpResponse> {
    let renewedIdentity = false;
    for (let attempt = 1; ; attempt++) {
      signal.throwIfAborted();
      await this.#rateLimit?.take(signal);
      const identity = await this.#identity(doing);
      try {
        return await this.#once(request, identity, doing, signal, attempt, beforeSend);
      } catch (error) {
        if (signal.aborted) throw signal.reason;
        if (error instanceof ApiError && error.status === 401) {
          this.#config.identity.refuse(identity);
          // One more try with a fresh identity; if that is refused too, a person has to act.
          if (!renewedIdentity && (await this.#identity(doing)).authorization !== identity.authorization) {
            renewedIdentity = true;
            continue;
          }
        }
        const delay = retryDelay(this.#retry, request.method, error, attempt, this.#random);
        if (delay === undefined) throw error;
        await sleep(this.#clock, delay, signal);
      }
    }
  }

  async #once(
    request: HttpRequest,
    identity: Identity,
    doing: string,
    signal: AbortSignal,
    attempt: number,
    beforeSend: (() => void) | undefined,
  ): Promise<HttpResponse> {
    const started = this.#clock.monotonic();
    let seenStatus = 0;
    try {
      const raw = await this.#dispatch(request, identity, doing, signal, beforeSend);
      seenStatus = raw.status;
      const body = await this.#decompress(raw, doing);
      if (raw.status < 200 || raw.status > 299) {
        throw responseError(raw.status, raw.headers, body, doing, this.#clock.now());
      }
      return { status: raw.status, headers: raw.headers, body };
    } finally {
      const durationMs = this.#clock.monotonic() - started;
      this.#observer?.({ method: request.method, path: request.path, status: seenStatus, durationMs, attempt });
    }
  }

  #dispatch(
    request: HttpRequest,
    identity: Identity,
    doing: string,
    signal: AbortSignal,
    beforeSend: (() => void) | undefined,
  ): Promise<HttpResponse> {
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let size = 0;
      let status = 0;
      let headers: ResponseHeaders = {};
      let sending: Dispatcher.DispatchController | undefined;
      const limit = this.#maxBodyBytes;
      // Also while there is no connection yet: the caller is told at once, and nothing is sent when its turn comes.
      const onAbort = () => {
        reject(signal.reason);
        sending?.abort(asError(signal.reason));
      };
      const settle = (finish: () => void) => {
        signal.removeEventListener('abort', onAbort);
        finish();
      };
      if (signal.aborted) return onAbort();
      signal.addEventListener('abort', onAbort, { once: true });
      const accept = this.#config.disableCompression ? {} : { 'accept-encoding': 'gzip' };
      this.#pool.calls(identity.tls).dispatch(this.#options(request, identity, accept), {
        onRequestStart(controller) {
          sending = controller;
          try {
            signal.throwIfAborted();
            beforeSend?.();
          } catch (error) {
            settle(() => reject(error));
            controller.abort(asError(error));
          }
        },
        onResponseStart(_controller, code, received) {
          status = code;
          headers = received;
        },
        onResponseData(controller, chunk) {
          size += chunk.length;
          if (size > limit) controller.abort(tooLarge(doing, limit));
          else chunks.push(chunk);
        },
        onResponseEnd() {
          settle(() => resolve({ status, headers, body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) }));
        },
        onResponseError(_controller, error) {
          settle(() => reject(error instanceof DecodeError ? error : connectionError(error, doing)));
        },
      });
    });
  }

  async #startStream(request: HttpRequest, call: StreamCall): Promise<void> {
    const doing = `${request.method} ${request.path}`;
    const identity = await this.#identity(doing);
    if (call.over) return;
    const refused: Buffer[] = [];
    let refusedBytes = 0;
    let status = 0;
    let headers: ResponseHeaders = {};
    const started = this.#clock.monotonic();
    const observe = () => {
      const durationMs = this.#clock.monotonic() - started;
      this.#observer?.({ method: request.method, path: request.path, status, durationMs, attempt: 1 });
    };
    this.#pool.watches(identity.tls).dispatch(this.#options(request, identity, {}), {
      onRequestStart: (controller) => call.attach(controller, doing),
      onResponseStart: (_controller, code, received) => {
        status = code;
        headers = received;
        observe();
        if (code === 200 && !call.over) call.sink.onOpen(received);
      },
      onResponseData: (_controller, chunk) => {
        if (status === 200) call.data(chunk);
        else if ((refusedBytes += chunk.length) <= MAX_ERROR_BODY_BYTES) refused.push(Buffer.from(chunk));
      },
      onResponseEnd: () => {
        if (status === 200) {
          call.end();
          return;
        }
        if (status === 401) this.#config.identity.refuse(identity);
        call.fail(responseError(status, headers, Buffer.concat(refused), doing, this.#clock.now()));
      },
      onResponseError: (_controller, error) => {
        if (status === 0) observe();
        call.fail(connectionError(error, doing));
      },
    });
  }

  async #identity(doing: string): Promise<Identity> {
    if (this.#closed) throw new ConnectionError('aborted', `${doing}: the transport is closed`);
    return await this.#config.identity.current();
  }

  #options(request: HttpRequest, identity: Identity, extra: Record<string, string>): Dispatcher.DispatchOptions {
    const headers: Record<string, string | string[]> = { ...this.#headers, ...extra, ...request.headers };
    if (identity.authorization !== undefined) headers['authorization'] = identity.authorization;
    return {
      origin: this.#origin,
      path: `${this.#prefix}${request.path}`,
      method: request.method,
      headers,
      body: request.body ?? null,
    };
  }

  #decompress(response: HttpResponse, doing: string): Promise<Buffer> | Buffer {
    if (response.headers['content-encoding'] !== 'gzip') return response.body;
    return new Promise((resolve, reject) => {
      gunzip(response.body, { maxOutputLength: this.#maxBodyBytes }, (error, body) => {
        if (error === null) resolve(body);
        else if ((error as NodeJS.ErrnoException).code === 'ERR_BUFFER_TOO_LARGE') {
          reject(tooLarge(doing, this.#maxBodyBytes));
        } else reject(new DecodeError(`${doing}: the answer's gzip body is broken`, { cause: error }));
      });
    });
  }
}

/** One running stream: passes pause, resume and close on to undici once there is a connection to pass them to. */
class StreamCall implements StreamHandle {
  readonly sink: StreamSink;
  over = false;
  #controller: Dispatcher.DispatchController | undefined;
  #paused = false;
  #doing = '';

  constructor(sink: StreamSink) {
    this.sink = sink;
  }

  attach(controller: Dispatcher.DispatchController, doing: string): void {
    this.#controller = controller;
    this.#doing = doing;
    if (this.over) controller.abort(new ConnectionError('aborted', `${doing}: closed by us`));
    else if (this.#paused) controller.pause();
  }

  data(chunk: Buffer): void {
    if (!this.over) this.sink.onData(chunk);
  }

  pause(): void {
    this.#paused = true;
    this.#controller?.pause();
  }

  resume(): void {
    this.#paused = false;
    this.#controller?.resume();
  }

  close(): void {
    if (this.over) return;
    const closed = new ConnectionError('aborted', `${this.#doing || 'the stream'}: closed by us`);
    this.fail(closed);
    this.#controller?.abort(closed);
  }

  end(): void {
    if (this.over) return;
    this.over = true;
    this.sink.onEnd();
  }

  fail(error: unknown): void {
    if (this.over) return;
    this.over = true;
    this.sink.onError(error instanceof Error ? error : new Error(String(error)));
  }
}

function tooLarge(doing: string, limit: number): DecodeError {
  return new DecodeError(`${doing}: the answer is larger than ${limit} bytes`, {
    hint: 'ask for smaller pages (limit), or raise maxBodyBytes.',
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}

function impersonationHeaders(config: ClusterConfig): Record<string, string | string[]> {
  const who = config.impersonate;
  if (who === undefined) return {};
  const headers: Record<string, string | string[]> = { 'impersonate-user': who.user };
  if (who.uid !== undefined) headers['impersonate-uid'] = who.uid;
  if (who.groups !== undefined && who.groups.length > 0) headers['impersonate-group'] = [...who.groups];
  for (const [key, values] of Object.entries(who.extra ?? {})) {
    headers[`impersonate-extra-${encodeURIComponent(key.toLowerCase())}`] = [...values];
  }
  return headers;
}

function defaultUserAgent(): string {
  return `podtrail-machinery/0.1.0 (${process.platform}/${process.arch}) node/${process.versions.node}`;
}
