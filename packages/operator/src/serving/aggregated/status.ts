// What the Kubernetes API says instead of an object: a Status, which kubectl and clients understand. Made from the same
// problems as every other refusal, and from what history throws.
import { HistoryError } from '@podtrail/history';
import { historyProblem } from '../api/history-problems.ts';
import { jsonReply, type WholeReply } from '../http/reply.ts';
import { Problem } from '../problem.ts';
import { POSTED } from './discovery.ts';

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

/** Undefined: not thrown on purpose. */
export function problemFrom(error: unknown): Problem | undefined {
  const known = historyProblem(error);
  if (known instanceof Problem) return known;
  if (!(known instanceof HistoryError)) return undefined;
  const { code, message, hint } = known;
  return new Problem(400, code, message, { hint });
}

/** Of the Kubernetes API, where refusals are Status objects. */
export function isClusterPath(path: string): boolean {
  return /^\/(?:apis|openapi)(?:\/|$)/.test(path);
}

export function statusReply(problem: Problem, path: string): WholeReply {
  const { status, headers } = problem;
  return jsonReply(statusOf(status === 405 ? notDone(problem, path) : problem), { status, headers });
}

/** What `kubectl delete`, `label` and `apply` print, and `kubectl get` of what can only be created. */
function notDone({ status, code }: Problem, path: string): Problem {
  const posted = POSTED.find(({ plural }) => path.split('/').includes(plural));
  if (posted !== undefined) return new Problem(status, code, posted.notKept, { hint: posted.instead });
  return new Problem(status, code, 'the history is read-only: nothing of it can be created, changed or deleted', {
    hint: 'what is older than --retention is pruned by itself.',
  });
}

export function statusOf(problem: Problem, details: object = {}): StatusObject {
  const { status, message, code } = problem;
  const hint = commandLineHint(problem);
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

/** kubectl is a command line: a namespace is -n there. */
function commandLineHint({ hint, cause }: Problem): string | undefined {
  return cause instanceof HistoryError ? cause.hint : hint;
}
