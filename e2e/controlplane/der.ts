// The few DER encodings that an X.509 certificate needs. Encodes only; reading certificates is node:crypto's job.

export function sequence(...parts: Uint8Array[]): Buffer {
  return element(0x30, ...parts);
}

export function set(...parts: Uint8Array[]): Buffer {
  return element(0x31, ...parts);
}

/** Context-specific, constructed: `[number]` around complete elements. */
export function explicit(number: number, ...parts: Uint8Array[]): Buffer {
  return element(0xa0 | number, ...parts);
}

/** Context-specific, primitive: `[number]` in place of the element's own tag. */
export function implicit(number: number, content: Uint8Array): Buffer {
  return element(0x80 | number, content);
}

/** A positive integer given by its big-endian bytes. */
export function integer(bytes: Uint8Array): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const magnitude = bytes.subarray(start);
  const negative = ((magnitude[0] ?? 0) & 0x80) !== 0;
  return element(0x02, negative ? Buffer.from([0]) : Buffer.alloc(0), magnitude);
}

export function boolean(value: boolean): Buffer {
  return element(0x01, Buffer.from([value ? 0xff : 0]));
}

export function octetString(...parts: Uint8Array[]): Buffer {
  return element(0x04, ...parts);
}

export function bitString(content: Uint8Array, unusedBits = 0): Buffer {
  return element(0x03, Buffer.from([unusedBits]), content);
}

export function utf8String(text: string): Buffer {
  return element(0x0c, Buffer.from(text, 'utf8'));
}

export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

/** UTCTime until 2049 and GeneralizedTime from 2050 on, as X.509 demands. */
export function time(date: Date): Buffer {
  const digits = date
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '');
  return date.getUTCFullYear() < 2050
    ? element(0x17, Buffer.from(digits.slice(2)))
    : element(0x18, Buffer.from(digits));
}

function element(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag]), length(content.length), content]);
}

function length(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size]);
  const bytes: number[] = [];
  for (let rest = size; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}
