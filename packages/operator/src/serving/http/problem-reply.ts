// A Problem as it is sent, and what becomes of an error that is none: 500, one constant sentence, and the rest in the log.
import { Problem, type ProblemDocument } from '../problem.ts';
import type { WholeReply } from './reply.ts';

const PROBLEM_TYPE = 'application/problem+json';

// Not imported: see plain-server.ts.
const { STATUS_CODES } = process.getBuiltinModule('node:http');

/** `path`: what was asked for; there need not be a route at it. */
export type RenderProblem = (problem: Problem, requestId: string, path: string) => WholeReply;

export const renderProblem = (problem: Problem, requestId: string): WholeReply => ({
  status: problem.status,
  headers: { 'content-type': PROBLEM_TYPE, ...problem.headers },
  body: JSON.stringify(problemDocument(problem, requestId)),
});

export function problemDocument({ status, code, message, hint }: Problem, requestId: string): ProblemDocument {
  return {
    type: 'about:blank',
    title: STATUS_CODES[status] ?? 'Problem',
    status,
    detail: message,
    code,
    ...(hint === undefined ? {} : { hint }),
    requestId,
  };
}

export function asProblem(error: unknown): Problem {
  if (error instanceof Problem) return error;
  return new Problem(500, 'internal', 'this request could not be answered because of a bug in podtrail', {
    hint: 'the log of the server has the cause under the requestId; please report it.',
    cause: error,
  });
}
