// What this server, and the way to it, have been found to carry: streamed listings, protobuf, our version. Asked by the
// reflector before each request, and informed of each failure.

/** A server or proxy that cannot carry the stream, for whatever reason, is listed by pages every now and then. */
const FAILED_STREAMS_BEFORE_PAGES = 2;
const DECODE_FAILURES_BEFORE_JSON = 2;
const DECODE_FAILURES_BEFORE_RELIST = 4;
/** A server that cannot do with our version what we ask says so each time: then another version is needed. */
const REFUSALS_BEFORE_RELIST = 3;

export class Negotiation {
  #streaming: boolean;
  #protobuf: boolean;
  /** Each in a row. */
  #failedStreams = 0;
  #decodeFailures = 0;
  #refusedWatches = 0;

  constructor(options: { readonly streaming: boolean; readonly protobuf: boolean }) {
    this.#streaming = options.streaming;
    this.#protobuf = options.protobuf;
  }

  get streaming(): boolean {
    return this.#streaming;
  }

  get protobuf(): boolean {
    return this.#protobuf;
  }

  /** How the next listing is to be made. */
  nextListing(): 'stream' | 'pages' {
    if (this.#streaming && this.#failedStreams < FAILED_STREAMS_BEFORE_PAGES) return 'stream';
    this.#failedStreams = 0;
    return 'pages';
  }

  /** The server cannot list by stream; it is not asked to again. */
  streamingUnserved(): void {
    this.#streaming = false;
  }

  streamFailed(): void {
    this.#failedStreams++;
  }

  listed(): void {
    this.#failedStreams = 0;
  }

  /** An event or a bookmark was read. */
  received(): void {
    this.#decodeFailures = 0;
    this.#refusedWatches = 0;
  }

  /** True when the watch cannot go on past what cannot be read, so that only a listing helps. */
  decodeFailed(): boolean {
    this.#decodeFailures++;
    // Perhaps only our protobuf reader fails on this object: JSON is slower and more forgiving.
    if (this.#decodeFailures >= DECODE_FAILURES_BEFORE_JSON) this.#protobuf = false;
    return this.#decodeFailures >= DECODE_FAILURES_BEFORE_RELIST;
  }

  /** True when the same request would be refused for ever. */
  watchRefused(): boolean {
    if (++this.#refusedWatches < REFUSALS_BEFORE_RELIST) return false;
    this.#refusedWatches = 0;
    return true;
  }
}
