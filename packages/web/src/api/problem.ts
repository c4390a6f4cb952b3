// Why a question was not answered: the server's problem document, or that the server cannot be reached. Always with a
// sentence, mostly with what to do.

import { problemWords } from './problem-words.ts';

export interface ProblemDocument {
  readonly status: number;
  readonly code: string;
  readonly detail: string;
  readonly hint?: string | undefined;
  readonly requestId?: string | undefined;
  /** What the server said, where the page has other words for it. */
  readonly said?: string | undefined;
}

export class ApiProblem extends Error {
  declare readonly status: number;
  declare readonly code: string;
  declare readonly hint: string | undefined;
  declare readonly requestId: string | undefined;
  declare readonly said: string | undefined;

  constructor({ detail, ...rest }: ProblemDocument) {
    super(detail);
    Object.assign(this, rest);
  }

  /** It may go away by itself: the same question is asked again. */
  get isPassing(): boolean {
    return this.status === 0 || this.status === 429 || this.status === 503;
  }
}

export async function problemOf(response: Response): Promise<ApiProblem> {
  const { status } = response;
  const requestId = response.headers.get('x-request-id') ?? undefined;
  try {
    const { code, detail, hint } = (await response.json()) as Partial<ProblemDocument>;
    if (typeof code === 'string' && typeof detail === 'string') {
      const words = problemWords(code);
      if (words !== undefined)
        return new ApiProblem({ status, code, detail: words[0], hint: words[1], requestId, said: detail });
      return new ApiProblem({ status, code, detail, hint: typeof hint === 'string' ? hint : undefined, requestId });
    }
  } catch {
    // Not one of our documents: a proxy in between answered.
  }
  const detail = `a proxy in between answered with status ${status}`;
  return new ApiProblem({ status, code: 'not-podtrail', detail, hint: 'look at that proxy.', requestId });
}

export function unreachable(detail = 'podtrail cannot be reached'): ApiProblem {
  const hint = 'start it again; this page asks again by itself.';
  return new ApiProblem({ status: 0, code: 'unreachable', detail, hint });
}

/** It can be reached, and hangs. */
export function silent(): ApiProblem {
  return unreachable('podtrail does not answer');
}

export function asProblem(error: unknown): ApiProblem {
  if (error instanceof ApiProblem) return error;
  const detail = error instanceof Error ? error.message : String(error);
  return new ApiProblem({ status: -1, code: 'bug', detail, hint: 'this is a defect of the page: please report it.' });
}
