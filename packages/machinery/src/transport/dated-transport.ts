// A transport that reports what time the server says it is: every answer has a `Date`, also the one that opens a watch.
// The recorder compares clocks with it. Changes nothing of what passes through.
import type { Clock } from '../clock.ts';
import type {
  HttpRequest,
  HttpResponse,
  RequestOptions,
  ResponseHeaders,
  StreamHandle,
  StreamSink,
  Transport,
} from './transport.ts';

/** The server wrote `date` at some moment between the two others. */
export interface ServerDate {
  /** Milliseconds since the epoch, cut to whole seconds; undefined when the answer does not say. */
  readonly date: number | undefined;
  /** By the monotonic clock: before the request left, and when its answer was here. */
  readonly sentAt: number;
  readonly receivedAt: number;
}

export class DatedTransport implements Transport {
  readonly #inner: Transport;
  readonly #clock: Clock;
  readonly #onDate: (seen: ServerDate) => void;

  /** `onDate` must not throw. Closing this does not close `inner`'s other users: it is the same transport. */
  constructor(inner: Transport, clock: Clock, onDate: (seen: ServerDate) => void) {
    this.#inner = inner;
    this.#clock = clock;
    this.#onDate = onDate;
  }

  async request(request: HttpRequest, options?: RequestOptions): Promise<HttpResponse> {
    const sentAt = this.#clock.monotonic();
    const response = await this.#inner.request(request, options);
    this.#report(response.headers, sentAt);
    return response;
  }

  stream(request: HttpRequest, sink: StreamSink): StreamHandle {
    const sentAt = this.#clock.monotonic();
    return this.#inner.stream(request, {
      onOpen: (headers) => {
        this.#report(headers, sentAt);
        sink.onOpen(headers);
      },
      onData: (chunk) => sink.onData(chunk),
      onEnd: () => sink.onEnd(),
      onError: (error) => sink.onError(error),
    });
  }

  close(): Promise<void> {
    return this.#inner.close();
  }

  #report(headers: ResponseHeaders, sentAt: number): void {
    // A proxy that answers from its memory passes the date of then.
    if (headers['age'] !== undefined) return;
    const date = Date.parse(String(headers['date'] ?? ''));
    this.#onDate({ date: Number.isNaN(date) ? undefined : date, sentAt, receivedAt: this.#clock.monotonic() });
  }
}
