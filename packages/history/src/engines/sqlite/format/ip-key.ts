// An address as a key: four bytes for IPv4, sixteen for IPv6. IPv4 is on every hot path, hence read by hand.
import { crc32 } from 'node:zlib';
import { type IpAddress, ipBytes } from '../../../model/ip-address.ts';

export function ipKey(ip: IpAddress): Uint8Array {
  if (ip.includes(':')) return ipBytes(ip);
  const number = ipv4Number(ip);
  return Uint8Array.of(number >>> 24, (number >>> 16) & 255, (number >>> 8) & 255, number & 255);
}

/** 32 bits by which an address is looked for, in the head and in week files; found ones are compared in full. */
export function ipHandle(ip: IpAddress): number {
  return ip.includes(':') ? crc32(ipBytes(ip)) : ipv4Number(ip);
}

/** The same, of a key. */
export function ipHandleOfKey(key: Uint8Array): number {
  return key.length === 4 ? Buffer.from(key).readUInt32BE(0) : crc32(key);
}

/** Canonical text, so only digits and three dots. */
function ipv4Number(ip: string): number {
  let number = 0;
  let part = 0;
  for (let i = 0; i < ip.length; i++) {
    const unit = ip.charCodeAt(i);
    if (unit === 46) {
      number = number * 256 + part;
      part = 0;
    } else part = part * 10 + unit - 48;
  }
  return number * 256 + part;
}
