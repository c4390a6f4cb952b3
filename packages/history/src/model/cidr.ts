// Networks in CIDR notation: whether an address lies in one, and the one of a given length around an address.
import { type IpAddress, ipBytes, ipFromBytes, parseIp } from './ip-address.ts';

interface Network {
  readonly bytes: Uint8Array;
  /** Of 128: IPv4 networks are those of the mapped form. */
  readonly bits: number;
}

/** The same few networks are asked about again and again. */
const known = new Map<string, Network | undefined>();
const MOST_KNOWN = 4096;
const V4_OFFSET = 96;

/** False for what is no network. */
export function isWithin(cidr: string, ip: IpAddress): boolean {
  const network = networkOf(cidr);
  if (network === undefined) return false;
  const bytes = ipBytes(ip);
  const whole = network.bits >> 3;
  for (let i = 0; i < whole; i++) if (bytes[i] !== network.bytes[i]) return false;
  const rest = network.bits & 7;
  if (rest === 0) return true;
  const mask = (0xff << (8 - rest)) & 0xff;
  return ((bytes[whole] ?? 0) & mask) === ((network.bytes[whole] ?? 0) & mask);
}

/** `bits` counts within the address's own family: 26 of 32, or 122 of 128. */
export function networkAround(ip: IpAddress, bits: { readonly v4: number; readonly v6: number }): string {
  const isV4 = !ip.includes(':');
  const length = isV4 ? bits.v4 : bits.v6;
  const kept = isV4 ? V4_OFFSET + length : length;
  const bytes = ipBytes(ip).map((byte, i) => {
    const left = kept - i * 8;
    return left >= 8 ? byte : left <= 0 ? 0 : byte & ((0xff << (8 - left)) & 0xff);
  });
  return `${ipFromBytes(bytes)}/${length}`;
}

function networkOf(cidr: string): Network | undefined {
  const found = known.get(cidr);
  if (found !== undefined || known.has(cidr)) return found;
  if (known.size >= MOST_KNOWN) known.clear();
  const network = parse(cidr);
  known.set(cidr, network);
  return network;
}

function parse(cidr: string): Network | undefined {
  const cut = cidr.indexOf('/');
  const ip = cut < 0 ? undefined : parseIp(cidr.slice(0, cut));
  const length = cidr.slice(cut + 1);
  if (ip === undefined || !/^\d{1,3}$/.test(length)) return undefined;
  const isV4 = !ip.includes(':');
  const bits = Number(length) + (isV4 ? V4_OFFSET : 0);
  return bits > 128 ? undefined : { bytes: ipBytes(ip), bits };
}
