// One question to the server: GET /api/v1/NAME with its parameters, and the document or a problem. Rejects with
// ApiProblem, or with the reason of `signal`.

import { learnTime } from '../times/server-clock.ts';
import { ApiProblem, problemOf, silent, unreachable } from './problem.ts';
import { isSignedOut, token } from './session.ts';

/** The server refuses by itself whatever takes it longer than 20 s. */
const LONGEST_MS = 30_000;

export type AskedParameters = Readonly<Record<string, string | number | boolean | undefined>>;

export function askPath(name: string, parameters: AskedParameters): string {
  const query = new URLSearchParams();
  for (const [key, value] of Object.entries(parameters)) if (value !== undefined) query.set(key, String(value));
  // A blank as a plus would be a plus to the server.
  const text = query.toString().replaceAll('+', '%20');
  return `/api/v1/${name}${text === '' ? '' : `?${text}`}`;
}

export async function ask<Document>(
  name: string,
  parameters: AskedParameters,
  signal?: AbortSignal,
): Promise<Document> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), LONGEST_MS);
  const end = AbortSignal.any(signal === undefined ? [late.signal] : [signal, late.signal]);
  try {
    const response = await send(askPath(name, parameters), { headers: { accept: 'application/json' } }, end);
    return (await response.json()) as Document;
  } catch (error) {
    if (signal?.aborted) throw signal.reason;
    throw late.signal.aborted ? silent() : error instanceof ApiProblem ? error : unreachable();
  } finally {
    clearTimeout(timer);
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
  } catch {
    if (signal?.aborted) throw signal.reason;
    throw unreachable();
  }
  learnTime(response.headers.get('date'), sent, Date.now());
  if (response.ok) {
    isSignedOut.value = false;
    return response;
  }
  if (response.status === 401) isSignedOut.value = true;
  throw await problemOf(response);
}
