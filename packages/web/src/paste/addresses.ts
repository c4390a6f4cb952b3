// Finds IP addresses in a text that somebody pasted: a line of a log, a record of a flow, or just an address. Pure.
// Ports, brackets, zones of interfaces and JSON around them are no part of them.

export type Role = 'source' | 'destination';

export interface FoundAddress {
  /** As the server prints it: IPv6 compressed and in lower case. */
  readonly ip: string;
  readonly role: Role | null;
  /** Where it stands in the text. */
  readonly index: number;
}

/** tcpdump puts the port behind a fifth dot. A network (10.0.0.0/8) is no address; a path behind one is. */
const IPV4 = /(?<![\w.-])((?:\d{1,3}\.){3}\d{1,3})(?:\.\d{1,5})?(?![\w]|\.\w|\/\d{1,2}(?!\d|\.))/g;
const IPV6 =
  /(?<![\w:.])\[?([0-9a-f]*:[0-9a-f:]*:(?:(?:\d{1,3}\.){3}\d{1,3}|[0-9a-f:]*[0-9a-f])?)(?:%\w+)?\]?(?!\w|\.\d)/gi;
const SOURCE = /(?:src|source|saddr|client|remote|orig|from|initiator)[\w.\-"'\s]{0,12}[:=>"'\s[(]*$/i;
const DESTINATION =
  /(?:dst|dest|destination|daddr|server|resp|upstream|peer|\bto\b|->|→|>)[\w.\-"'\s]{0,12}[:=>"'\s[(]*$/i;
/** How much before an address may say what it is. */
const BEFORE = 28;

export function findAddresses(text: string): readonly FoundAddress[] {
  const found: FoundAddress[] = [];
  const add = (ip: string | undefined, index: number) => {
    if (ip === undefined || found.some((other) => other.ip === ip)) return;
    found.push({ ip, role: roleBefore(text.slice(Math.max(0, index - BEFORE), index)), index });
  };
  for (const { 1: ip = '', index } of text.matchAll(IPV4)) add(isIpv4(ip) ? ip : undefined, index);
  for (const { 1: ip = '', index } of text.matchAll(IPV6)) add(asIpv6(ip), index);
  return withPair(found.sort((a, b) => a.index - b.index));
}

/** The one that was most likely meant: an address of a cluster before one of the outside, the first of them. */
export function likeliest(addresses: readonly FoundAddress[]): FoundAddress | undefined {
  return addresses.find(({ ip }) => isPrivate(ip)) ?? addresses[0];
}

function roleBefore(before: string): Role | null {
  const [source, destination] = [SOURCE.exec(before), DESTINATION.exec(before)];
  if (source !== null && destination !== null) return source.index > destination.index ? 'source' : 'destination';
  if (source !== null) return 'source';
  return destination === null ? null : 'destination';
}

/** Where nothing says it of two addresses, flow logs have the source first. */
function withPair(found: readonly FoundAddress[]): readonly FoundAddress[] {
  const [first, second] = found;
  if (found.length !== 2 || first === undefined || second === undefined) return found;
  if (first.role === null && second.role !== 'source') {
    return [
      { ...first, role: 'source' },
      { ...second, role: 'destination' },
    ];
  }
  return found;
}

function isIpv4(text: string): boolean {
  return text.split('.').every((part) => Number(part) <= 255 && (part === '0' || !part.startsWith('0')));
}

function asIpv6(text: string): string | undefined {
  try {
    const { hostname } = new URL(`http://[${text}]/`);
    return asMapped(hostname.slice(1, -1));
  } catch {
    return undefined;
  }
}

/** `::ffff:a01:203` is 10.1.2.3, and pods have it under that name. */
function asMapped(ip: string): string {
  const [, high, low] = /^::ffff:([0-9a-f]{1,4}):([0-9a-f]{1,4})$/.exec(ip) ?? [];
  if (high === undefined || low === undefined) return ip;
  const bytes = [high, low].map((part) => Number.parseInt(part, 16)).flatMap((word) => [word >> 8, word & 255]);
  return bytes.join('.');
}

function isPrivate(ip: string): boolean {
  if (ip.includes(':')) return /^f[cd]/.test(ip);
  const [a = 0, b = 0] = ip.split('.').map(Number);
  return a === 10 || (a === 172 && b >= 16 && b < 32) || (a === 192 && b === 168) || (a === 100 && b >= 64 && b < 128);
}
