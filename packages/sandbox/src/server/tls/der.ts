// The few DER encodings that an X.509 certificate needs.

function element(tag: number, ...parts: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), lengthBytes(content.length), content]);
}

export const sequence = (...parts: readonly Uint8Array[]) => element(0x30, ...parts);
export const set = (...parts: readonly Uint8Array[]) => element(0x31, ...parts);
export const octets = (...parts: readonly Uint8Array[]) => element(0x04, ...parts);
export const text = (value: string) => element(0x0c, Buffer.from(value));
export const boolean = (value: boolean) => element(0x01, Buffer.from([value ? 0xff : 0]));
/** All bits are used but the given number of last ones. */
export const bits = (content: Uint8Array, unused = 0) => element(0x03, Buffer.from([unused]), content);
/** `[number]` around complete elements. */
export const wrapped = (number: number, ...parts: readonly Uint8Array[]) => element(0xa0 | number, ...parts);
/** `[number]` in place of an element's own tag. */
export const tagged = (number: number, content: Uint8Array) => element(0x80 | number, content);

/** Positive, from big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const kept = bytes.subarray(start);
  return element(0x02, Buffer.from((kept[0] ?? 0) & 0x80 ? [0] : []), kept);
}

export function identifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** UTCTime, which reaches to 2049, and GeneralizedTime after it. */
export function time(millis: number): Buffer {
  const digits = new Date(millis).toISOString().replace(/\.\d+/, '').replace(/[-:T]/g, '');
  const early = new Date(millis).getUTCFullYear() < 2050;
  return early ? element(0x17, Buffer.from(digits.slice(2))) : element(0x18, Buffer.from(digits));
}

function lengthBytes(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length]);
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}
