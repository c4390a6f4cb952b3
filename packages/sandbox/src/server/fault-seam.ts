// Where faults are let in. Every request and every frame of a watch passes here, so that a switchboard can misbehave
// without surgery in the server. Without hooks the server behaves.
import type { IncomingHttpHeaders } from 'node:http';
import type { StatusBody } from '../api/api-status-error.ts';

/** What a hook may know of a request, before it is answered. */
export interface SeamRequest {
  /** Counts up from 1 for each server. */
  readonly id: number;
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingHttpHeaders;
  /** get, list, watch, create, update, patch, delete, deletecollection; for other paths the method in lower case. */
  readonly verb: string;
  /** `pods`, `deployments.apps`; empty for other paths. */
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
}

/** What happens instead of the answer; undefined lets the server answer. */
export type RequestVerdict =
  | undefined
  | {
      readonly kind: 'answer';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: string | Uint8Array;
    }
  /** The connection breaks without an answer. */
  | { readonly kind: 'cut' }
  /** The request is never answered; the connection stays until the client leaves. */
  | { readonly kind: 'hang' };

/** Asked once for each request, before authentication. Returning late delays the answer. */
export type RequestHook = (request: SeamRequest) => RequestVerdict | Promise<RequestVerdict>;

export type FrameType = 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK' | 'ERROR';

/** One event of a watch as it would go out: a line of JSON, or a length and a message in protobuf. */
export interface Frame {
  readonly type: FrameType;
  /** The version the event carries; empty for errors. */
  readonly resourceVersion: string;
  /** `namespace/name` or `name`; empty for bookmarks and errors. */
  readonly key: string;
  readonly bytes: Uint8Array;
}

export interface FrameSink {
  /** Anything: the frame itself, twice, later, in another order, cut short, or something else. */
  send(bytes: Uint8Array): void;
  /** Ends the stream as the server does at a timeout. */
  end(): void;
  /** Breaks the connection. */
  cut(): void;
  /** An ERROR event, in the form of this watch, and the end. */
  fail(status: StatusBody): void;
}

/** Takes the frames of one watch in order. A filter that never calls `send` makes a half-open stream. */
export interface FrameFilter {
  frame(frame: Frame, sink: FrameSink): void;
  /** The stream is over; nothing may be sent any more. */
  closed?(): void;
}

/** Asked once for each watch that opens; undefined leaves its frames alone. */
export type FrameHook = (request: SeamRequest) => FrameFilter | undefined;

export interface FaultSeam {
  readonly request?: RequestHook;
  readonly frames?: FrameHook;
}
