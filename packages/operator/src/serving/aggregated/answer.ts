// What is particular to answers and bodies here: warnings as kubectl prints them, and JSON that need not say that it is.
import type { ReplyHeaders } from '../http/reply.ts';
import type { RequestBody } from '../http/request-body.ts';

const LARGEST_BODY = 64 * 1024;
const LONGEST_WARNING = 400;

/** 299 and a quoted text. */
export function warnings(sentences: readonly string[]): ReplyHeaders {
  if (sentences.length === 0) return {};
  const quoted = (text: string) =>
    text
      .slice(0, LONGEST_WARNING)
      .replaceAll(/[^\x20-\x7e]/g, '?')
      .replaceAll(/["\\]/g, '\\$&');
  return { warning: sentences.map((text) => `299 - "${quoted(text)}"`) };
}

/** kubectl create --raw sends no type. */
export async function postedObject(body: RequestBody, mostBytes: number = LARGEST_BODY): Promise<unknown> {
  return await body.json(mostBytes, { mayLackType: true });
}
