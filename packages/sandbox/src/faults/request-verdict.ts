// From a fault of a request to what is answered instead. Called by the switchboard.
import { ApiStatusError } from '../api/api-status-error.ts';
import type { RequestVerdict, SeamRequest } from '../server/fault-seam.ts';
import type { RequestFault } from './fault.ts';

const REASONS = new Map([
  [401, ['Unauthorized', 'Unauthorized']],
  [403, ['Forbidden', 'forbidden']],
  [429, ['TooManyRequests', 'Too many requests, please try again later.']],
  [500, ['InternalError', 'Internal error occurred']],
  [503, ['ServiceUnavailable', 'apiserver is shutting down']],
  [504, ['Timeout', 'Timeout: request did not complete within the allotted timeout']],
] as const);

const PROXY_PAGE = '<html><head><title>Sign in</title></head><body>Please sign in to the network.</body></html>\n';

export function verdictOf(fault: Exclude<RequestFault, { kind: 'delay' }>, request: SeamRequest): RequestVerdict {
  switch (fault.kind) {
    case 'refuse': {
      const [reason, text] = REASONS.get(fault.code as 401) ?? ['', 'unknown'];
      const seconds = fault.retryAfterSeconds;
      const details = seconds === undefined ? undefined : { retryAfterSeconds: seconds };
      const headers = seconds === undefined ? {} : { 'retry-after': String(seconds) };
      return answer(new ApiStatusError(fault.code, reason, text, details), headers);
    }
    case 'expire': {
      const asked = request.query.get('resourceVersion') ?? '0';
      return answer(new ApiStatusError(410, 'Expired', `too old resource version: ${asked} (${Number(asked) + 1})`));
    }
    case 'wrong-body':
      return {
        kind: 'answer',
        status: 200,
        headers: { 'content-type': fault.contentType ?? 'text/html' },
        body: fault.body ?? PROXY_PAGE,
      };
    case 'close-at-once': {
      const wanted = request.headers.accept?.split(',')[0] ?? 'application/json';
      return { kind: 'answer', status: 200, headers: { 'content-type': wanted }, body: '' };
    }
    case 'break':
      return { kind: 'cut' };
    case 'never-answer':
      return { kind: 'hang' };
  }
}

function answer({ code, status }: ApiStatusError, headers: Readonly<Record<string, string>> = {}): RequestVerdict {
  return {
    kind: 'answer',
    status: code,
    headers: { 'content-type': 'application/json', ...headers },
    body: `${JSON.stringify(status)}\n`,
  };
}
