// What goes wrong when the ledger is asked, as problems: one table, for every door that speaks HTTP.
import type { HistoryError } from '@podtrail/history';
import { Problem } from '../problem.ts';

/** By the codes of history's errors. What is not in it is a bug of ours: 500. */
const STATUS: Readonly<Record<string, number>> = {
  'bad-address': 400,
  'bad-cursor': 400,
  'bad-page': 400,
  'bad-parameter': 400,
  'bad-selector': 400,
  'bad-span': 400,
  'bad-subject': 400,
  'choose-cluster': 400,
  'span-too-long': 400,
  'window-too-full': 400,
  ambiguous: 400,
  forbidden: 403,
  'unknown-cluster': 404,
  // Nothing is recorded yet; it will be.
  'empty-store': 503,
  'snapshot-closed': 503,
  'snapshot-expired': 503,
  'snapshot-too-old': 503,
  'store-closed': 503,
  'store-locked': 503,
  'store-io': 503,
  'store-failed': 503,
  // A part of the store cannot be believed. It may be repaired; no other request brings it back.
  damaged: 503,
  'week-missing': 503,
  'store-damaged': 503,
  'store-not-readable': 503,
  'head-lost': 503,
};

/** With the hint for who asks with parameters. */
export function historyProblem(error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof Problem) return error;
  const { code, hint: atCommandLine, parameterHint: hint = atCommandLine } = error as Partial<HistoryError>;
  const status = typeof code === 'string' && Object.hasOwn(STATUS, code) ? STATUS[code] : undefined;
  if (typeof code !== 'string' || status === undefined) return error;
  return new Problem(status, code, error.message, {
    ...(typeof hint === 'string' ? { hint } : {}),
    ...(status === 503 ? { headers: { 'retry-after': '1' } } : {}),
    cause: error,
  });
}
