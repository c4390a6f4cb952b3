// A caller as the key of a cache: everything of it that a decision may rest on, and nothing that can be read back.
import { createHash } from 'node:crypto';
import type { Caller } from './access.ts';

/** API servers put it there for their audit log: which token or certificate was shown, and not who has it. */
const CREDENTIAL_ID = 'authentication.kubernetes.io/credential-id';

/**
 * The caller as its rights are asked about: the same with each of its credentials, so that a new token of a service account
 * costs no new reviews. A decision about the caller without the id cannot rest on it, so each credential may share it.
 */
export function withoutCredential(caller: Caller): Caller {
  if (caller.extra === undefined || !Object.hasOwn(caller.extra, CREDENTIAL_ID)) return caller;
  const { [CREDENTIAL_ID]: _, ...extra } = caller.extra;
  const { extra: __, ...rest } = caller;
  return Object.keys(extra).length === 0 ? rest : { ...rest, extra };
}

export function callerKey({ name, uid = '', groups, extra = {} }: Caller): string {
  const sorted = Object.entries(extra).sort(([a], [b]) => (a < b ? -1 : 1));
  return createHash('sha256')
    .update(JSON.stringify([name, uid, [...groups].sort(), sorted]))
    .digest('base64url');
}
