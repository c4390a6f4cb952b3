// What a handler gives back: a whole body, or one that is written piece by piece. Headers that every answer has are added
// by the server.

/** Names in lower case; a list is a header that comes several times. */
export type ReplyHeaders = Readonly<Record<string, string | readonly string[]>>;

export interface WholeReply {
  readonly status: number;
  readonly headers?: ReplyHeaders | undefined;
  readonly body?: string | Uint8Array | undefined;
  /** The same body packed by gzip, where it was packed beforehand. */
  readonly packed?: Uint8Array | undefined;
  /** A strong ETag is made of the bytes; whoever has them already gets 304. */
  readonly hasETag?: boolean | undefined;
}

export interface StreamedReply {
  readonly status: number;
  readonly headers?: ReplyHeaders | undefined;
  /** By gzip, for clients that take it. Not for events that somebody waits for. */
  readonly mayBePacked?: boolean | undefined;
  /** Headers are sent with the first write, so that a Problem before it is still one. */
  readonly stream: (out: ReplyStream) => Promise<void>;
}

export type Reply = WholeReply | StreamedReply;

export interface ReplyStream {
  /** Resolves when more may be written. Rejects when the client has gone or takes nothing for too long. */
  write(chunk: string | Uint8Array): Promise<void>;
  /** Sends the headers before there is anything to write. From here on an error can only end the connection. */
  begin(): void;
  /** Written and not yet taken by the client. */
  readonly bufferedBytes: number;
  /** Aborts when the client has gone, or the server ends. */
  readonly signal: AbortSignal;
}

const JSON_TYPE = 'application/json';
const TEXT_TYPE = 'text/plain; charset=utf-8';

type More = Omit<WholeReply, 'status' | 'body'> & { status?: number };

export function jsonReply(document: unknown, more: More = {}): WholeReply {
  return jsonTextReply(JSON.stringify(document), more);
}

/** Of what is JSON already. */
export function jsonTextReply(body: string, more: More = {}): WholeReply {
  const { status = 200, headers, ...rest } = more;
  return { status, headers: { 'content-type': JSON_TYPE, ...headers }, body, ...rest };
}

export function textReply(status: number, body: string): WholeReply {
  return { status, headers: { 'content-type': TEXT_TYPE }, body };
}
