// Files of a store are for their owner alone: annotations can hold secrets. Made before SQLite opens them, which takes an
// empty file for a new one and gives its rights to what it lays beside.
import { closeSync, existsSync, openSync } from 'node:fs';

/** For directories. */
export const OWNER_ONLY = 0o700;
export const OWNER_ONLY_FILE = 0o600;

/** Does nothing to a file that is there. */
export function makePrivate(path: string): void {
  if (!existsSync(path)) closeSync(openSync(path, 'a', 0o600));
}
