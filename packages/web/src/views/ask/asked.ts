// What the Ask view is asked, as its URL says it: an address at an instant, or a name. What was pasted around them stays
// in the browser: a line of a log may hold secrets, and a URL is shared. Pure.
import type { Parameters } from '../../address/page-address.ts';
import type { FoundDay } from '../../paste/days.ts';
import type { Paste } from '../../paste/read-paste.ts';
import { instantText, parseInstant } from '../../times/span.ts';
import { timesAround } from '../../times/times-around.ts';

export type AskedThing =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'address'; readonly ip: string; readonly at: string | undefined; readonly isSeen: boolean }
  /** `at`: when it was, for the trails of what is called so. */
  | { readonly kind: 'name'; readonly text: string; readonly at: string | undefined };

export function askedOf({ ip, at, q, seen }: Parameters): AskedThing {
  if (ip !== undefined) return { kind: 'address', ip, at, isSeen: seen === 'true' };
  return q === undefined ? { kind: 'nothing' } : { kind: 'name', text: q, at };
}

/** 10.1.2.256, 10.0.0.0/8: no name; the server says what is wrong with it. */
const NEARLY_IPV4 = /^(?:\d+\.){3}\d+(?:\/\d+)?$/;

/** `typedAt`: what the reader wrote into the field of the time, which goes before what the text says. */
export function parametersOf(paste: Paste, typedAt: number | undefined): Parameters {
  if (paste.kind === 'nothing') return {};
  const of: Parameters =
    paste.kind !== 'name' ? { ip: paste.ip } : NEARLY_IPV4.test(paste.text) ? { ip: paste.text } : { q: paste.text };
  const at = typedAt ?? paste.at;
  return at === undefined ? of : { ...of, at: instantText(at) };
}

/** Of the trail of something at an instant, as the URL says it. */
export function trailTimes(at: string | undefined, now: number): Parameters {
  const instant = at === undefined ? undefined : parseInstant(at, now);
  return instant === undefined ? {} : timesAround(instant, now);
}

/** A date alone names no instant; who had the address on that day is a question for Trail. */
export function dayTrail(ip: string, { from, to }: FoundDay): Parameters {
  return { by: 'pod', subject: ip, since: instantText(from), until: instantText(to) };
}
