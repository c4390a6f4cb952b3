// An address as people write it. What is none is refused with a hint that fits what was written: people paste ranges,
// addresses with ports, halves of addresses and names of pods.
import { HistoryError } from '../errors.ts';
import { type IpAddress, parseIp } from '../model/ip-address.ts';

export function addressOf(text: string): IpAddress {
  const ip = parseIp(text);
  if (ip !== undefined) return ip;
  throw new HistoryError('bad-address', `"${text}" is not an IP address`, hintsFor(text.trim()));
}

function hintsFor(text: string): { readonly hint: string; readonly parameterHint?: string } {
  if (!/^[a-z][-a-z0-9./]*$/i.test(text)) return { hint: hintFor(text) };
  const about = 'this is asked about an address; for a pod or a workload';
  return {
    hint: `${about} write: podtrail trail ${text}.`,
    parameterHint: `${about} ask trail, with subject=${text} and namespace=NAME.`,
  };
}

function hintFor(text: string): string {
  const [beforeSlash = ''] = text.split('/');
  if (text.includes('/') && parseIp(beforeSlash) !== undefined)
    return `ask about one address, without the length of its prefix: ${beforeSlash}.`;
  const withoutPort = /^(\[.+\]|[^:]+):\d+$/.exec(text)?.[1]?.replace(/^\[|\]$/g, '') ?? '';
  if (parseIp(withoutPort) !== undefined) return `leave the port out: ${withoutPort}.`;
  if (/^[\d.]+$/.test(text)) return hintForNumbers(text.split('.').filter((part) => part !== ''));
  return FORMS;
}

const FORMS = 'write IPv4 as 10.1.2.3, and IPv6 as fd00::17.';

function hintForNumbers(parts: readonly string[]): string {
  if (parts.length !== 4)
    return `an IPv4 address has four numbers, as 10.1.2.3, and this has ${parts.length}; a range cannot be asked about.`;
  if (parts.some((part) => Number(part) > 255)) return 'the numbers of an IPv4 address go from 0 to 255.';
  return `leave out the zeros in front, which some programs read as octal: ${parts.map(Number).join('.')}.`;
}
