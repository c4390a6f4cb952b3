// The token that asks for the next page of a list: a version and the key to go on after. Same shape as the real
// server's, so that clients which look inside (none should) see what they expect.
import { badRequest } from '../../api/api-status-error.ts';
import { isObject } from '../../api/json-object.ts';

export interface ContinueToken {
  /** -1: go on with what is there now, without consistency. */
  readonly version: number;
  /** The last key of the page before, relative to what is listed. */
  readonly after: string;
}

const API_VERSION = 'meta.k8s.io/v1';

export function writeContinueToken({ version, after }: ContinueToken): string {
  const text = JSON.stringify({ v: API_VERSION, rv: version, start: `/${after}\u0000` });
  return Buffer.from(text).toString('base64url');
}

export function readContinueToken(token: string): ContinueToken {
  const text = Buffer.from(token, 'base64url').toString();
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    const first = text[0] ?? '';
    throw badRequest(
      `invalid continue token: continue key is not valid: invalid character '${first}' looking for beginning of value`,
    );
  }
  if (!isObject(value) || value['v'] !== API_VERSION || typeof value['start'] !== 'string') {
    const version = isObject(value) ? value['v'] : undefined;
    throw badRequest(
      `invalid continue token: continue key is not valid: server does not recognize this encoded version ${JSON.stringify(version ?? '')} (v1)`,
    );
  }
  return { version: Number(value['rv']), after: value['start'].replace(/^\//, '').replace(/\u0000$/, '') };
}
