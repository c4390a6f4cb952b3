// A URL of what is shown that means the same tomorrow: its times are absolute.
import { type PageAddress, printAddress, withParameters } from '../address/page-address.ts';
import { instantText, parseInstant } from './span.ts';

const TIMES = ['at', 'against', 'since', 'until'] as const;

function absoluteAddress(address: PageAddress, now: number): PageAddress {
  const changes: Record<string, string> = {};
  for (const name of TIMES) {
    const text = address.parameters[name];
    const at = text === undefined ? undefined : parseInstant(text, now);
    if (at !== undefined) changes[name] = instantText(at);
  }
  // A span that goes on with time ends now.
  if (changes['since'] !== undefined && changes['until'] === undefined) changes['until'] = instantText(now);
  return withParameters(address, changes);
}

export function absoluteUrl(address: PageAddress, now: number): string {
  return `${location.origin}${printAddress(absoluteAddress(address, now))}`;
}
