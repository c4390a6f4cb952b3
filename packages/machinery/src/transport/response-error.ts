// Turns an answer that is not 2xx into an `ApiError`: the Status body in JSON or protobuf if there is one, else the
// beginning of whatever a proxy or load balancer wrote.
import { bodyFormat } from '../codec/content-type.ts';
import { readStatus, statusFromJson } from '../codec/status.ts';
import { ApiError, type StatusBody } from '../errors.ts';
import type { ResponseHeaders } from './transport.ts';

const LONGEST_FOREIGN_TEXT = 300;
/** Enough to find the text of a page behind its styles. */
const LONGEST_FOREIGN_SOURCE = 16 * 1024;

export function responseError(
  status: number,
  headers: ResponseHeaders,
  body: Buffer,
  doing: string,
  now: number,
): ApiError {
  const parsed = readBody(String(headers['content-type'] ?? ''), body);
  const message = parsed.message || `the server answered ${status} without a reason`;
  return new ApiError(
    status,
    { ...parsed, message: `${doing}: ${message}` },
    retryAfter(headers, now),
    hintFor(status),
  );
}

/** Seconds or an HTTP date, as RFC 9110 allows; milliseconds from now. */
export function retryAfter(headers: ResponseHeaders, now: number): number | undefined {
  const value = headers['retry-after'];
  if (typeof value !== 'string' || value.trim() === '') return undefined;
  const seconds = Number(value);
  if (Number.isFinite(seconds)) return seconds < 0 ? undefined : seconds * 1000;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function readBody(contentType: string, body: Buffer): StatusBody {
  try {
    if (bodyFormat(contentType) === 'protobuf') return readStatus(body);
    const json: unknown = JSON.parse(body.toString('utf8'));
    if ((json as { kind?: unknown } | null)?.kind === 'Status') return statusFromJson(json);
  } catch {
    // Not a Status: fall through to the raw text, which is what a person needs to see.
  }
  return { message: foreignText(contentType, body) };
}

function foreignText(contentType: string, body: Buffer): string {
  let text = body.toString('utf8', 0, LONGEST_FOREIGN_SOURCE);
  if (/html/i.test(contentType) || /^\s*<(!doctype|html)/i.test(text)) {
    text = text.replace(/<(style|script)\b[\s\S]*?<\/\1\s*>/gi, ' ').replace(/<[^<>]*>/g, ' ');
  }
  // Control characters must not reach a terminal by way of an error message.
  const printable = text.replace(/[\s\p{C}\ufffd]+/gu, ' ').trim();
  return printable.length > LONGEST_FOREIGN_TEXT ? `${printable.slice(0, LONGEST_FOREIGN_TEXT)}…` : printable;
}

function hintFor(status: number): { hint?: string } {
  if (status === 401)
    return { hint: 'the credentials were refused; log in again or check the token in the kubeconfig.' };
  if (status === 403) return { hint: 'the identity lacks this right; ask for a Role or ClusterRole that grants it.' };
  return {};
}
