// What the Kubernetes API says instead of an object: a Status, which kubectl and clients understand. Made from the same
// problems as every other refusal, and from what history throws.
import { HistoryError } from '@podtrail/history';
import { Problem } from '../problem.ts';

export interface StatusObject {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: object;
  readonly status: 'Failure';
  readonly message: string;
  readonly reason: string;
  readonly details?: object;
  readonly code: number;
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  405: 'MethodNotAllowed',
  406: 'NotAcceptable',
  410: 'Expired',
  413: 'RequestEntityTooLarge',
  415: 'UnsupportedMediaType',
  429: 'TooManyRequests',
  500: 'InternalError',
  503: 'ServiceUnavailable',
};

/** What a caller can do nothing about; to be asked again. */
const LATER = new Set(['empty-store', 'snapshot-expired', 'snapshot-too-old', 'store-closed', 'unknown-cluster']);

/** Undefined: not thrown on purpose. */
export function problemFrom(error: unknown): Problem | undefined {
  if (error instanceof Problem) return error;
  if (!(error instanceof HistoryError)) return undefined;
  const { code, message, hint } = error;
  if (code === 'forbidden') return new Problem(403, code, message, { hint });
  if (LATER.has(code)) return new Problem(503, code, message, { hint, headers: { 'retry-after': '1' } });
  if (code === 'damaged') return new Problem(503, code, message, { hint });
  return new Problem(400, code, message, { hint });
}

export function statusOf({ status, message, hint, code }: Problem, details: object = {}): StatusObject {
  const sentence = hint === undefined ? message : `${message}: ${hint}`;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message: sentence,
    reason: REASONS[status] ?? 'Unknown',
    details: { ...details, causes: [{ reason: code, message: sentence }] },
    code: status,
  };
}
