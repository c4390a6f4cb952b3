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

/**
 * tcpdump puts the port behind a fifth dot. A network (10.0.0.0/8) is no address; one with a mask (10.1.2.3/24, as `ip
 * addr` prints it), a port (10.1.2.3/80, as Cisco does) or a path behind it is.
 */
const IPV4 = /(?<![\w.-])(?!(?:\d+\.){3}0\/\d)((?:\d{1,3}\.){3}\d{1,3})(?:\.\d{1,5})?(?![\w]|\.\w)/g;
const IPV6 =
  /(?<![\w:.])\[?([\da-f]*:[\da-f:]*:(?:(?:\d{1,3}\.){3}\d{1,3}|[\da-f:]*[\da-f])?)(?:%\w+)?\]?(?:\.\d{1,5})?(?!\w|\.\d)/gi;
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

/** The nearest word that says it. */
function roleBefore(before: string): Role | null {
  const [source, destination] = [before.search(SOURCE), before.search(DESTINATION)];
  return source === destination ? null : source > destination ? 'source' : 'destination';
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
  return text.split('.').every((part) => String(Math.min(Number(part), 255)) === part);
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
  const word = (hex: string) => [Number.parseInt(hex, 16) >> 8, Number.parseInt(hex, 16) & 255];
  return ip.replace(/^::ffff:(\w+):(\w+)$/, (_, high, low) => [...word(high), ...word(low)].join('.'));
}

function isPrivate(ip: string): boolean {
  return /^(?:f[cd]|(?:10|192\.168|172\.(?:1[6-9]|2\d|3[01])|100\.(?:6[4-9]|[7-9]\d|1[01]\d|12[0-7]))\.)/.test(ip);
}
