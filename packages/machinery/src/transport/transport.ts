// What the layers above need of HTTP, and no more: a buffered call and a pushed stream. `HttpTransport` is the real
// one; tests may pass another.

export interface HttpRequest {
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query below the server's base URL, already escaped. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly body?: string | Buffer | undefined;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** Decompressed. */
  readonly body: Buffer;
}

/** Names in lower case. */
export type ResponseHeaders = Readonly<Record<string, string | string[] | undefined>>;

export interface RequestOptions {
  readonly signal?: AbortSignal | undefined;
  /** Milliseconds for the whole call, waiting for retries included. */
  readonly timeoutMs?: number | undefined;
  /**
   * Asked at every try, when a connection is at hand and nothing has been sent yet. What it throws ends the call; a
   * write that waited for its turn or for a retry is so kept from leaving too late.
   */
  readonly beforeSend?: (() => void) | undefined;
}

/**
 * Called synchronously as bytes arrive. Exactly one of `onEnd` and `onError` is called, and nothing after it. What
 * `onOpen` or `onData` throw ends the stream with it; `onEnd` and `onError` must not throw.
 */
export interface StreamSink {
  onOpen(headers: ResponseHeaders): void;
  /** `chunk` belongs to the network layer: copy what must outlive the call. */
  onData(chunk: Buffer): void;
  onEnd(): void;
  /** An `ApiError` for an answer that is not 2xx, else a `ConnectionError`. */
  onError(error: Error): void;
}

export interface StreamHandle {
  /** Stops reading from the socket: the server feels it. A chunk that was read already may still be handed over. */
  pause(): void;
  resume(): void;
  /** Ends the stream; `onError` gets a ConnectionError with fault "aborted" unless it is over already. */
  close(): void;
}

export interface Transport {
  /** Resolves with 2xx only; throws `ApiError`, `ConnectionError`, `DecodeError` or the reason of the signal. */
  request(request: HttpRequest, options?: RequestOptions): Promise<HttpResponse>;
  stream(request: HttpRequest, sink: StreamSink): StreamHandle;
  /** Ends idle connections and refuses further calls; running ones are cut. */
  close(): Promise<void>;
}
