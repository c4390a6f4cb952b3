// A URL of what is shown that means the same tomorrow: its times are absolute, also those that the URL need not say.
import { type PageAddress, printAddress, withParameters } from '../address/page-address.ts';
import { instantText, parseInstant, resolveSpan } from './span.ts';
import { hasSpan, USUAL_SPAN } from './usual-span.ts';

export function absoluteAddress(address: PageAddress, now: number): PageAddress {
  const { view, parameters } = address;
  if (hasSpan(view)) {
    const { from, to } = resolveSpan(parameters, now, USUAL_SPAN[view]);
    return withParameters(address, { since: instantText(from), until: instantText(to) });
  }
  const { ip, q, at, against } = parameters;
  // The home asks nothing.
  if (view === 'ask' && (ip ?? q) === undefined) return address;
  const absolute = (text: string | undefined, otherwise?: number) => {
    const instant = (text === undefined ? undefined : parseInstant(text, now)) ?? otherwise;
    return instant === undefined ? undefined : instantText(instant);
  };
  return withParameters(address, { at: absolute(at, now), against: absolute(against) });
}

export function absoluteUrl(address: PageAddress, now: number): string {
  return `${location.origin}${printAddress(absoluteAddress(address, now))}`;
}
