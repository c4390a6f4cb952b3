// A caller as the key of a cache: everything of it that a decision may rest on, and nothing that can be read back.
import { createHash } from 'node:crypto';
import type { Caller } from './access.ts';

export function callerKey({ name, uid = '', groups, extra = {} }: Caller): string {
  const sorted = Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([name, uid, [...groups].sort(), sorted]))
    .digest('base64url');
}
