// One question to the server: GET /api/v1/NAME with its parameters, and the document or a problem. Rejects with
// ApiProblem, or with the reason of `signal`.

import { learnTime } from '../times/server-clock.ts';
import { ApiProblem, problemOf, unreachable } from './problem.ts';
import { isSignedOut, token } from './session.ts';

export type AskedParameters = Readonly<Record<string, string | number | boolean | undefined>>;

export function askPath(name: string, parameters: AskedParameters): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) if (value !== undefined) query.set(key, String(value));
  const text = query.toString();
  return `/api/v1/${name}${text === '' ? '' : `?${text}`}`;
}

export async function ask<Document>(
  name: string,
  parameters: AskedParameters,
  signal?: AbortSignal,
): Promise<Document> {
  const response = await send(askPath(name, parameters), { headers: { accept: 'application/json' } }, signal);
  try {
    return (await response.json()) as Document;
  } catch {
    if (signal?.aborted) throw signal.reason;
    throw unreachable();
  }
}

/** With who asks. Rejects with an ApiProblem for everything but 2xx. */
export async function send(path: string, init: RequestInit, signal?: AbortSignal): Promise<Response> {
  const headers = new Headers(init.headers);
  const bearer = token.peek();
  if (bearer !== undefined) headers.set('authorization', `Bearer ${bearer}`);
  const sent = Date.now();
  let response: Response;
  try {
    response = await fetch(path, { ...init, headers, credentials: 'same-origin', signal: signal ?? null });
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw error instanceof ApiProblem ? error : unreachable();
  }
  learnTime(response.headers.get('date'), sent, Date.now());
  if (response.ok) {
    isSignedOut.value = false;
    return response;
  }
  if (response.status === 401) isSignedOut.value = true;
  throw await problemOf(response);
}
