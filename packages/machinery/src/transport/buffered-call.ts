// One try of one call, the whole answer in memory: from undici's callbacks to a promise. Repeats nothing and judges no
// status; `HttpTransport` does.
import type { Dispatcher } from 'undici';
import { DecodeError } from '../errors.ts';
import { connectionError } from './connection-fault.ts';
import type { ResponseHeaders } from './transport.ts';

export interface BufferedCall {
  /** Names the call in messages. */
  readonly doing: string;
  readonly signal: AbortSignal;
  /** More bytes than this on the wire are a DecodeError. */
  readonly maxBytes: number;
  readonly viaProxy: boolean;
  readonly beforeSend: (() => void) | undefined;
}

export interface RawAnswer {
  readonly status: number;
  readonly headers: ResponseHeaders;
  /** As it came, maybe compressed. */
  readonly body: Buffer;
}

/** Of a refusal no more is read, also if it never ends: its status is known, and its reason stands at the beginning. */
export const MAX_REFUSAL_BYTES = 1024 * 1024;

/** Rejects with a ConnectionError that knows whether anything was sent, with the signal's reason, or with a DecodeError. */
export function sendBuffered(
  dispatcher: Dispatcher,
  options: Dispatcher.DispatchOptions,
  { doing, signal, maxBytes, viaProxy, beforeSend }: BufferedCall,
): Promise<RawAnswer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let status = 0;
    let headers: ResponseHeaders = {};
    let sending: Dispatcher.DispatchController | undefined;
    // Also while there is no connection yet: the call fails at once, and nothing is sent later.
    const onAbort = () => {
      reject(signal.reason);
      sending?.abort(asError(signal.reason));
    };
    const answer = () => ({ status, headers, body: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) });
    const settle = (finish: () => void) => {
      signal.removeEventListener('abort', onAbort);
      finish();
    };
    if (signal.aborted) return onAbort();
    signal.addEventListener('abort', onAbort, { once: true });
    dispatcher.dispatch(options, {
      // undici calls this when a connection is at hand, right before it writes: what fails earlier was never sent.
      onRequestStart(controller) {
        try {
          signal.throwIfAborted();
          beforeSend?.();
          sending = controller;
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
        if (status > 299 && size > MAX_REFUSAL_BYTES) {
          settle(() => resolve(answer()));
          controller.abort(new Error('the rest is not wanted'));
        } else if (size > maxBytes) controller.abort(tooLarge(doing, maxBytes));
        else chunks.push(chunk);
      },
      onResponseEnd() {
        // undici takes the connection back one turn of the event loop later: a caller that goes on at once with its
        // next call would get a second connection.
        settle(() => queueMicrotask(() => setImmediate(resolve, answer())));
      },
      onResponseError(_controller, error) {
        const neverSent = sending === undefined;
        settle(() =>
          reject(error instanceof DecodeError ? error : connectionError(error, doing, { neverSent, viaProxy })),
        );
      },
    });
  });
}

export function tooLarge(doing: string, limit: number): DecodeError {
  return new DecodeError(`${doing}: the answer is larger than ${limit} bytes`, {
    hint: 'ask for smaller pages (limit), or raise maxBodyBytes.',
  });
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason));
}
