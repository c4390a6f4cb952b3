// The token of the next page: the cursor of the ledger, and when it was given. It is good on every replica, because a
// cursor names a record and not a row; it is not good for ever, because what it goes on from may have been pruned.
import type { EpochMillis } from '@podtrail/history/wire';
import { Problem } from '../problem.ts';

const GOOD_FOR_MS = 15 * 60_000;
const LONGEST = 4096;

export function continueToken(cursor: string, now: EpochMillis): string {
  return Buffer.from(JSON.stringify([1, now, cursor]), 'utf8').toString('base64url');
}

export function cursorOf(token: string, now: EpochMillis): string {
  const [version, given, cursor] = parsed(token);
  if (version !== 1 || typeof given !== 'number' || typeof cursor !== 'string') {
    throw new Problem(400, 'bad-continue', 'this is no token that a list came with', {
      hint: 'pass `continue` of the page before as it is, or leave it out to begin again.',
    });
  }
  if (now - given <= GOOD_FOR_MS) return cursor;
  throw new Problem(410, 'expired', 'the provided continue parameter is too old to go on with a list', {
    hint: 'begin the list again without it.',
  });
}

function parsed(token: string): readonly unknown[] {
  if (token.length > LONGEST || !/^[\w-]+$/.test(token)) return [];
  try {
    const value: unknown = JSON.parse(Buffer.from(token, 'base64url').toString('utf8'));
    return Array.isArray(value) ? value : [];
  } catch {
    return [];
  }
}
