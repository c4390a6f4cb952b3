// Address ranges: cut into equal parts, and counted through. Pure. IPv6 is written as RFC 5952 asks.

export interface Cidr {
  readonly base: bigint;
  readonly prefix: number;
  readonly family: 4 | 6;
}

const BITS = { 4: 32, 6: 128 } as const;

export function parseCidr(text: string): Cidr {
  const [address = '', prefix = ''] = text.split('/');
  const family = address.includes(':') ? 6 : 4;
  const bits = Number(prefix);
  if (!/^\d+$/.test(prefix) || bits > BITS[family]) {
    throw new RangeError(`"${text}" is no address range: write it like 10.244.0.0/16 or fd00:10:244::/56`);
  }
  const value = family === 4 ? parseV4(address) : parseV6(address);
  const hostBits = BigInt(BITS[family] - bits);
  return { base: (value >> hostBits) << hostBits, prefix: bits, family };
}

export function formatCidr(cidr: Cidr): string {
  return `${formatAddress(cidr.base, cidr.family)}/${cidr.prefix}`;
}

/** The part with that number of a range that is cut into parts of `prefix`; undefined when there are not so many. */
export function partOf(cidr: Cidr, prefix: number, index: number): Cidr | undefined {
  if (prefix < cidr.prefix || prefix > BITS[cidr.family]) return undefined;
  if (BigInt(index) >= 1n << BigInt(prefix - cidr.prefix)) return undefined;
  const base = cidr.base + (BigInt(index) << BigInt(BITS[cidr.family] - prefix));
  return { base, prefix, family: cidr.family };
}

/** How many addresses it has, at most what a number can count. */
export function sizeOf(cidr: Cidr): number {
  return Number(1n << BigInt(Math.min(BITS[cidr.family] - cidr.prefix, 52)));
}

export function addressAt(cidr: Cidr, index: number): string {
  return formatAddress(cidr.base + BigInt(index), cidr.family);
}

export function contains(cidr: Cidr, address: string): boolean {
  const family = address.includes(':') ? 6 : 4;
  if (family !== cidr.family) return false;
  const value = family === 4 ? parseV4(address) : parseV6(address);
  const hostBits = BigInt(BITS[family] - cidr.prefix);
  return value >> hostBits === cidr.base >> hostBits;
}

function parseV4(text: string): bigint {
  const parts = text.split('.').map(Number);
  if (parts.length !== 4 || !parts.every((part) => Number.isInteger(part) && part >= 0 && part <= 255)) {
    throw new RangeError(`"${text}" is no IPv4 address`);
  }
  return parts.reduce((value, part) => (value << 8n) | BigInt(part), 0n);
}

function parseV6(text: string): bigint {
  const [head = '', tail] = text.split('::');
  const groups = (side: string): string[] => (side === '' ? [] : side.split(':'));
  const left = groups(head);
  const right = tail === undefined ? [] : groups(tail);
  const zeros = Array.from({ length: tail === undefined ? 0 : 8 - left.length - right.length }, () => '0');
  const all = [...left, ...zeros, ...right];
  if (all.length !== 8 || !all.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) {
    throw new RangeError(`"${text}" is no IPv6 address`);
  }
  return all.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}

function formatAddress(value: bigint, family: 4 | 6): string {
  if (family === 4) {
    const number = Number(value);
    return `${(number >>> 24) & 255}.${(number >>> 16) & 255}.${(number >>> 8) & 255}.${number & 255}`;
  }
  const groups = Array.from({ length: 8 }, (_, n) => Number((value >> BigInt(112 - 16 * n)) & 0xffffn));
  const run = longestZeros(groups);
  const text = (part: readonly number[]): string => part.map((group) => group.toString(16)).join(':');
  if (run.length < 2) return text(groups);
  return `${text(groups.slice(0, run.from))}::${text(groups.slice(run.from + run.length))}`;
}

function longestZeros(groups: readonly number[]): { readonly from: number; readonly length: number } {
  let best = { from: 0, length: 0 };
  for (let from = 0; from < groups.length; from++) {
    let length = 0;
    while (groups[from + length] === 0) length++;
    if (length > best.length) best = { from, length };
  }
  return best;
}
