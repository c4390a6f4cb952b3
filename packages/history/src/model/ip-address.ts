// Addresses: one spelling for each, sixteen bytes as the key. An IPv4 address and its IPv4-mapped IPv6 form are the
// same address; a zone (`fe80::1%eth0`) belongs to a host, not to the address. What is not an address gives undefined:
// empty, redacted and placeholder texts must never become a key.
import ipaddr from 'ipaddr.js';

declare const brand: unique symbol;
/** Canonical text: dotted decimals, or RFC 5952 for IPv6. Equal texts are equal addresses. */
export type IpAddress = string & { readonly [brand]: 'IpAddress' };

/** Four decimals without leading zeros: that is the canonical spelling already, and nearly every address there is. */
const PLAIN_V4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)\.){3}(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)$/;

/** The same few thousand addresses come again and again, and IPv6 takes long to read. */
const recent = new Map<string, IpAddress | undefined>();
const MOST_RECENT = 4096;

export function parseIp(text: string): IpAddress | undefined {
  if (PLAIN_V4.test(text)) return text as IpAddress;
  const known = recent.get(text);
  if (known !== undefined || recent.has(text)) return known;
  const parsed = parseSlowly(text);
  if (recent.size >= MOST_RECENT) recent.clear();
  // Nobody's hostile megabyte is remembered.
  if (text.length <= 64) recent.set(text, parsed);
  return parsed;
}

function parseSlowly(text: string): IpAddress | undefined {
  const trimmed = text.trim();
  const bare = trimmed.includes('%') ? trimmed.slice(0, trimmed.indexOf('%')) : trimmed;
  const unbracketed = bare.startsWith('[') && bare.endsWith(']') ? bare.slice(1, -1) : bare;
  if (unbracketed.includes(':')) {
    const groups = unbracketed.includes('.') ? withoutDots(unbracketed) : unbracketed;
    if (groups === undefined || !ipaddr.IPv6.isValid(groups)) return undefined;
    const six = ipaddr.IPv6.parse(groups);
    return (six.isIPv4MappedAddress() ? six.toIPv4Address().toString() : six.toRFC5952String()) as IpAddress;
  }
  // Only four plain decimals: `010.1.2.3` is octal to one program and decimal to another, so it is nobody's address.
  if (!ipaddr.IPv4.isValidFourPartDecimal(unbracketed) || /(^|\.)0\d/.test(unbracketed)) return undefined;
  return ipaddr.IPv4.parse(unbracketed).toString() as IpAddress;
}

/**
 * `::ffff:10.0.0.1` as `::ffff:a00:1`. The decimals are as strict as anywhere; and only that prefix makes an IPv4
 * address of it, `::10.0.0.1` is another one.
 */
function withoutDots(text: string): string | undefined {
  const start = text.lastIndexOf(':') + 1;
  const decimals = text.slice(start);
  if (!PLAIN_V4.test(decimals)) return undefined;
  const [a = 0, b = 0, c = 0, d = 0] = decimals.split('.').map(Number);
  return `${text.slice(0, start)}${(a * 256 + b).toString(16)}:${(c * 256 + d).toString(16)}`;
}

/** Sixteen bytes; IPv4 in its mapped form, so that both families sort in one index. */
export function ipBytes(ip: IpAddress): Uint8Array {
  const parsed = ipaddr.parse(ip);
  const six = parsed.kind() === 'ipv4' ? (parsed as ipaddr.IPv4).toIPv4MappedAddress() : (parsed as ipaddr.IPv6);
  return Uint8Array.from(six.toByteArray());
}

export function ipFromBytes(bytes: Uint8Array): IpAddress {
  const six = ipaddr.fromByteArray([...bytes]) as ipaddr.IPv6;
  return (six.isIPv4MappedAddress() ? six.toIPv4Address().toString() : six.toRFC5952String()) as IpAddress;
}
