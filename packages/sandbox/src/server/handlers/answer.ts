// What a handler gives back: a body to be written, or a stream that it keeps.
import type { StatusBody } from '../../api/api-status-error.ts';

export interface Answer {
  readonly status: number;
  readonly contentType: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array | Iterable<string | Uint8Array>;
}

export function jsonAnswer(value: unknown, status = 200, pretty = false): Answer {
  const body = `${JSON.stringify(value, undefined, pretty ? 2 : undefined)}\n`;
  return { status, contentType: 'application/json', body };
}

export function textAnswer(body: string, status = 200): Answer {
  return { status, contentType: 'text/plain; charset=utf-8', body };
}

export function statusAnswer(status: StatusBody, pretty: boolean): Answer {
  const seconds = status.details?.retryAfterSeconds;
  const answer = jsonAnswer(status, status.code ?? 200, pretty);
  return seconds === undefined ? answer : { ...answer, headers: { 'retry-after': String(seconds) } };
}
