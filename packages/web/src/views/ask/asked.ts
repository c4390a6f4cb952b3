// What the Ask view is asked, as its URL says it: an address at an instant, or a name. What was pasted around them stays
// in the browser: a line of a log may hold secrets, and a URL is shared. Pure.
import type { Parameters } from '../../address/page-address.ts';
import type { FoundDay } from '../../paste/days.ts';
import type { Paste } from '../../paste/read-paste.ts';
import { instantText } from '../../times/span.ts';

export type AskedThing =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'address'; readonly ip: string; readonly at: string | undefined; readonly isSeen: boolean }
  | { readonly kind: 'name'; readonly text: string };

export function askedOf({ ip, at, q, seen }: Parameters): AskedThing {
  if (ip !== undefined) return { kind: 'address', ip, at, isSeen: seen === 'true' };
  return q === undefined ? { kind: 'nothing' } : { kind: 'name', text: q };
}

/** `typedAt`: what the reader wrote into the field of the time, which goes before what the text says. */
export function parametersOf(paste: Paste, typedAt: number | undefined): Parameters {
  if (paste.kind === 'nothing') return {};
  if (paste.kind === 'name') return { q: paste.text };
  const at = typedAt ?? paste.at;
  return at === undefined ? { ip: paste.ip } : { ip: paste.ip, at: instantText(at) };
}

/** A date alone names no instant; who had the address on that day is a question for Trail. */
export function dayTrail(ip: string, { from, to }: FoundDay): Parameters {
  return { by: 'pod', subject: ip, since: instantText(from), until: instantText(to) };
}
