// One open watch: takes what the store emits, encodes it when the socket has room, and ends on timeout, on a slow
// reader, or when the client leaves. Waiting events are kept as references, never as bytes.
import type { ServerResponse } from 'node:http';
import type { StatusBody } from '../../api/api-status-error.ts';
import type { ObjectStore } from '../../store/object-store.ts';
import type { StoreEvent } from '../../store/resource-table.ts';
import type { ObjectEncoder } from '../encoding/object-encoder.ts';
import type { Frame, FrameFilter, FrameSink } from '../fault-seam.ts';
import type { Timers } from '../timers.ts';
import type { FrameCache } from './frame-cache.ts';
import type { WatchItem, WatchStart } from './watch-events.ts';

export interface WatchStreamOptions {
  readonly store: ObjectStore;
  /** The table's name in the store. */
  readonly resource: string;
  readonly start: WatchStart;
  readonly encoder: ObjectEncoder;
  /** Frames that several watches share; undefined where an encoder's frames are its own. */
  readonly cache: { readonly frames: FrameCache; readonly form: string } | undefined;
  readonly filter: FrameFilter | undefined;
  readonly timers: Timers;
  readonly timeoutMillis: number;
  /** Undefined: no bookmarks. */
  readonly bookmarkMillis: number | undefined;
  /** Events that may wait for a slow reader before its watch ends. */
  readonly mostWaiting: number;
}

/** Milliseconds before a timeout at which a last bookmark goes out. */
const LAST_BOOKMARK = 2000;

/** Bytes handed to the socket before waiting for it. */
const WINDOW = 256 * 1024;

export class WatchStream implements FrameSink {
  readonly #options: WatchStreamOptions;
  readonly #response: ServerResponse;
  readonly #initial: Iterator<WatchItem>;
  #initialDone = false;
  #waiting: WatchItem[] = [];
  #at = 0;
  #over = false;
  readonly #endings: (() => void)[] = [];

  constructor(response: ServerResponse, options: WatchStreamOptions) {
    this.#response = response;
    this.#options = options;
    this.#initial = options.start.initial[Symbol.iterator]();
  }

  open(): void {
    const { store, resource, timers, timeoutMillis, bookmarkMillis } = this.#options;
    this.#response.writeHead(200, {
      'content-type': this.#options.encoder.watchContentType,
      'cache-control': 'no-cache, private',
    });
    this.#response.flushHeaders();
    this.#endings.push(store.listen(resource, (event) => this.#onEvent(event)));
    this.#endings.push(timers.after(timeoutMillis, () => this.end()));
    if (bookmarkMillis !== undefined) {
      const bookmark = () => this.#bookmark(String(store.version));
      this.#endings.push(timers.every(bookmarkMillis, bookmark));
      // So that a client that comes again knows how far it came.
      if (timeoutMillis > LAST_BOOKMARK) this.#endings.push(timers.after(timeoutMillis - LAST_BOOKMARK, bookmark));
    }
    this.#response.on('drain', () => this.#pump());
    this.#response.on('close', () => this.#finish());
    this.#response.on('error', () => this.#finish());
    this.#pump();
  }

  send(bytes: Uint8Array): void {
    if (!this.#over) this.#response.write(bytes);
  }

  end(): void {
    if (this.#over) return;
    this.#finish();
    this.#response.end();
  }

  cut(): void {
    if (this.#over) return;
    this.#finish();
    this.#response.socket?.destroy();
  }

  fail(status: StatusBody): void {
    this.send(this.#options.encoder.error(status));
    this.end();
  }

  #onEvent(event: StoreEvent): void {
    if (this.#over || event.version <= this.#options.start.after) return;
    const item = this.#options.start.translate(event);
    if (item !== undefined) this.#push(item);
  }

  #bookmark(version: string): void {
    if (!this.#over) this.#push({ kind: 'bookmark', version, initialEventsEnd: false });
  }

  #push(item: WatchItem): void {
    if (this.#waiting.length - this.#at >= this.#options.mostWaiting) {
      this.end();
      return;
    }
    this.#waiting.push(item);
    this.#pump();
  }

  #pump(): void {
    while (!this.#over && this.#response.writableLength < WINDOW) {
      const item = this.#next();
      if (item === undefined) return;
      this.#write(item);
    }
  }

  #next(): WatchItem | undefined {
    if (!this.#initialDone) {
      const next = this.#initial.next();
      if (next.done !== true) return next.value;
      this.#initialDone = true;
    }
    if (this.#at >= this.#waiting.length) return undefined;
    const item = this.#waiting[this.#at++];
    if (this.#at === this.#waiting.length || this.#at > 1024) {
      this.#waiting = this.#waiting.slice(this.#at);
      this.#at = 0;
    }
    return item;
  }

  #write(item: WatchItem): void {
    const frame = this.#frame(item);
    const { filter } = this.#options;
    if (filter === undefined) this.send(frame.bytes);
    else filter.frame(frame, this);
    if (item.kind === 'error') this.end();
  }

  #frame(item: WatchItem): Frame {
    const { encoder, cache } = this.#options;
    switch (item.kind) {
      case 'error':
        return { type: 'ERROR', resourceVersion: '', key: '', bytes: encoder.error(item.status as StatusBody) };
      case 'bookmark': {
        const bytes = encoder.bookmark(item.version, item.initialEventsEnd);
        return { type: 'BOOKMARK', resourceVersion: item.version, key: '', bytes };
      }
      case 'event': {
        const { type, object, source } = item;
        const encode = () => encoder.event(type, object);
        const bytes =
          cache === undefined || source === undefined
            ? encode()
            : cache.frames.get(source, `${cache.form} ${type}`, encode);
        const { name, namespace, resourceVersion = '' } = object.metadata;
        return { type, resourceVersion, key: namespace === undefined ? `${name}` : `${namespace}/${name}`, bytes };
      }
    }
  }

  #finish(): void {
    if (this.#over) return;
    this.#over = true;
    this.#waiting = [];
    for (const ending of this.#endings.splice(0)) ending();
    this.#options.filter?.closed?.();
  }
}
