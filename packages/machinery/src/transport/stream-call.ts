// One running stream: keeps the promises of `StreamSink` (exactly one end, nothing after it), and passes pause, resume
// and close on to undici once there is a connection to pass them to.
import type { Dispatcher } from 'undici';
import { ConnectionError } from '../errors.ts';
import type { ResponseHeaders, StreamHandle, StreamSink } from './transport.ts';

export class StreamCall implements StreamHandle {
  readonly #sink: StreamSink;
  readonly #doing: string;
  readonly #onOver: (call: StreamCall) => void;
  #controller: Dispatcher.DispatchController | undefined;
  #paused = false;
  #over = false;

  constructor(sink: StreamSink, doing: string, onOver: (call: StreamCall) => void) {
    this.#sink = sink;
    this.#doing = doing;
    this.#onOver = onOver;
  }

  get over(): boolean {
    return this.#over;
  }

  attach(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#over) controller.abort(this.#closedByUs());
    else if (this.#paused) controller.pause();
  }

  open(headers: ResponseHeaders): void {
    if (!this.#over) this.#sink.onOpen(headers);
  }

  data(chunk: Buffer): void {
    if (!this.#over) this.#sink.onData(chunk);
  }

  end(): void {
    if (this.#finish()) this.#sink.onEnd();
  }

  /** Ends it with this error; a connection that is still there is cut. */
  fail(error: unknown): void {
    if (!this.#finish()) return;
    const reason = error instanceof Error ? error : new Error(String(error));
    this.#sink.onError(reason);
    this.#controller?.abort(reason);
  }

  pause(): void {
    this.#paused = true;
    this.#controller?.pause();
  }

  resume(): void {
    this.#paused = false;
    // Not at once: the caller may stand in the data callback of another stream, and undici's parser, which all streams
    // share, then refuses to be entered again.
    queueMicrotask(() => {
      if (!this.#paused && !this.#over) this.#controller?.resume();
    });
  }

  close(): void {
    this.fail(this.#closedByUs());
  }

  #finish(): boolean {
    if (this.#over) return false;
    this.#over = true;
    this.#onOver(this);
    return true;
  }

  #closedByUs(): ConnectionError {
    return new ConnectionError('aborted', `${this.#doing}: closed by us`);
  }
}
