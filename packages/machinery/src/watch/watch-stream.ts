// One watch request from its opening to its end: frames in, typed events out, a deadline on silence. It never
// reconnects; the reflector decides what comes after the end.
import { type Clock, systemClock, type Timer } from '../clock.ts';
import type { ObjectCodec } from '../codec/codec.ts';
import { acceptHeader, type BodyFormat, bodyFormat, jsonOnly } from '../codec/content-type.ts';
import { JsonLineSplitter, ProtobufFrameSplitter, type WatchFrameSplitter } from '../codec/watch-frame-splitter.ts';
import { decodeJsonFrame, decodeProtobufFrame, type WatchMessage } from '../codec/watch-message.ts';
import { ApiError, ConnectionError, DecodeError } from '../errors.ts';
import type { Cacheable } from '../objects/kube-object.ts';
import type { ResponseHeaders, StreamHandle, StreamSink, Transport } from '../transport/transport.ts';
import { DEFAULT_LIVENESS, Liveness, type LivenessLimits } from './liveness.ts';

export interface WatchSink<T extends Cacheable> {
  onEvent(type: 'ADDED' | 'MODIFIED' | 'DELETED', object: T): void;
  onBookmark(resourceVersion: string, endsInitialEvents: boolean): void;
}

export interface WatchStreamOptions<T extends Cacheable> {
  readonly transport: Transport;
  /** With its query, `watch=true` included. */
  readonly path: string;
  readonly codec: ObjectCodec<T>;
  /** Ask for protobuf first; JSON is taken when the server prefers it. */
  readonly protobuf: boolean;
  /** How long the server was asked to keep the stream, plus grace: after that it is ended from here. */
  readonly deadlineMs: number;
  readonly sink: WatchSink<T>;
  readonly clock?: Clock;
  readonly liveness?: LivenessLimits;
}

export type WatchEnd =
  /** In order: by the server (its time-out, a restart), or by us (`close`, or the deadline that the server missed). */
  { readonly kind: 'closed'; readonly by: 'server' | 'us' } | { readonly kind: 'failed'; readonly error: Error };

export class WatchStream<T extends Cacheable> implements StreamSink {
  /** Never rejects. */
  readonly ended: Promise<WatchEnd>;

  readonly #options: WatchStreamOptions<T>;
  readonly #liveness: Liveness;
  readonly #deadline: Timer;
  readonly #handle: StreamHandle;
  #finish: (end: WatchEnd) => void = () => {};
  #splitter: WatchFrameSplitter | undefined;
  #over = false;
  /** When the answer began (monotonic); undefined before. */
  openedAt: number | undefined;

  constructor(options: WatchStreamOptions<T>) {
    this.#options = options;
    this.ended = new Promise((resolve) => {
      this.#finish = resolve;
    });
    const clock = options.clock ?? systemClock;
    this.#liveness = new Liveness(clock, options.liveness ?? DEFAULT_LIVENESS, (silentMs) => this.#silent(silentMs));
    this.#deadline = clock.setTimer(options.deadlineMs, () => this.#end({ kind: 'closed', by: 'us' }));
    const accept = acceptHeader(options.protobuf ? options.codec : jsonOnly(options.codec), 'watch');
    this.#handle = options.transport.stream({ method: 'GET', path: options.path, headers: { accept } }, this);
  }

  pause(): void {
    this.#liveness.hold();
    this.#handle.pause();
  }

  resume(): void {
    this.#liveness.release();
    this.#handle.resume();
  }

  /** Ends it from this side; `ended` resolves with `closed`. */
  close(): void {
    this.#end({ kind: 'closed', by: 'us' });
  }

  onOpen(headers: ResponseHeaders): void {
    this.#liveness.opened();
    this.openedAt = (this.#options.clock ?? systemClock).monotonic();
    this.#splitter = this.#splitterOf(bodyFormat(String(headers['content-type'] ?? '')));
  }

  onData(chunk: Buffer): void {
    if (this.#over) return;
    this.#liveness.received();
    try {
      this.#splitter?.push(chunk);
    } catch (error) {
      this.#end({ kind: 'failed', error: asDecodeError(error, this.#options.path) });
    }
  }

  onEnd(): void {
    if (this.#over) return;
    try {
      this.#splitter?.end();
      this.#end({ kind: 'closed', by: 'server' });
    } catch (error) {
      this.#end({ kind: 'failed', error: asDecodeError(error, this.#options.path) });
    }
  }

  onError(error: Error): void {
    this.#end({ kind: 'failed', error });
  }

  #splitterOf(format: BodyFormat): WatchFrameSplitter {
    const [Splitter, decode] =
      format === 'protobuf'
        ? ([ProtobufFrameSplitter, decodeProtobufFrame<T>] as const)
        : ([JsonLineSplitter, decodeJsonFrame<T>] as const);
    const { codec } = this.#options;
    return new Splitter((bytes, start, end) => {
      // The chunk may hold more frames than the one that ended the stream.
      if (!this.#over) this.#take(decode(codec, bytes, start, end));
    });
  }

  #take(message: WatchMessage<T>): void {
    const { sink } = this.#options;
    switch (message.type) {
      case 'BOOKMARK':
        this.#liveness.bookmarkSeen();
        sink.onBookmark(message.resourceVersion, message.initialEventsEnd);
        return;
      case 'ERROR':
        // The server ends the watch and says why.
        this.#end({ kind: 'failed', error: new ApiError(message.status.code ?? 500, message.status, undefined) });
        return;
      default:
        sink.onEvent(message.type, message.object);
    }
  }

  #silent(silentMs: number): void {
    const seconds = Math.round(silentMs / 1000);
    this.#end({
      kind: 'failed',
      error: new ConnectionError('timeout', `watch ${this.#options.path}: silent for ${seconds} s`, {
        hint: 'the connection looks open but carries nothing; it is opened again.',
      }),
    });
  }

  #end(end: WatchEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#liveness.stop();
    this.#deadline.cancel();
    this.#finish(end);
    this.#handle.close();
  }
}

function asDecodeError(error: unknown, path: string): Error {
  if (error instanceof DecodeError || error instanceof ApiError) return error;
  return new DecodeError(`watch ${path}: an event could not be read`, { cause: error });
}
