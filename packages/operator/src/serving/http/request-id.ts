// The name of a request, in its answer and in the log: the client's own where that is short and harmless, else a new one.
import { randomBytes } from 'node:crypto';

const HARMLESS = /^[A-Za-z0-9._:-]{1,64}$/;
/** Drawn together: one call of the system for many requests. */
const BYTES = 12;
let pool = Buffer.alloc(0);
let used = 0;

export function requestIdOf(given: string | readonly string[] | undefined): string {
  return typeof given === 'string' && HARMLESS.test(given) ? given : newRequestId();
}

function newRequestId(): string {
  if (used + BYTES > pool.length) {
    pool = randomBytes(BYTES * 256);
    used = 0;
  }
  const id = pool.toString('base64url', used, used + BYTES);
  used += BYTES;
  return id;
}
