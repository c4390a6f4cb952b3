// As much of ASN.1's distinguished encoding as one certificate needs. Writes only.

export function sequence(...parts: Buffer[]): Buffer {
  return tagged(0x30, Buffer.concat(parts));
}

export function setOf(...parts: Buffer[]): Buffer {
  return tagged(0x31, Buffer.concat(parts));
}

/** Non-negative, most significant byte first. */
export function integer(bytes: Buffer): Buffer {
  let start = 0;
  while (start < bytes.length - 1 && bytes[start] === 0) start++;
  const digits = bytes.subarray(start);
  const negative = ((digits[0] ?? 0) & 0x80) !== 0;
  return tagged(0x02, negative ? Buffer.concat([Buffer.from([0]), digits]) : digits);
}

export function objectIdentifier(dotted: string): Buffer {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
}

export function utf8(text: string): Buffer {
  return tagged(0x0c, Buffer.from(text));
}

export function bitString(bytes: Buffer, unusedBits = 0): Buffer {
  return tagged(0x03, Buffer.concat([Buffer.from([unusedBits]), bytes]));
}

export function octetString(bytes: Buffer): Buffer {
  return tagged(0x04, bytes);
}

export function yes(): Buffer {
  return tagged(0x01, Buffer.from([0xff]));
}

/** Until 2049 with two digits for the year, as certificates must. */
export function time(epochMillis: number): Buffer {
  const digits = `${new Date(epochMillis).toISOString().replace(/[-:T]|\.\d+/g, '')}`;
  const year = Number(digits.slice(0, 4));
  return year < 2050 ? tagged(0x17, Buffer.from(digits.slice(2))) : tagged(0x18, Buffer.from(digits));
}

/** A part that only its place in a structure explains; `constructed` if it holds others. */
export function context(number: number, content: Buffer, constructed: boolean): Buffer {
  return tagged((constructed ? 0xa0 : 0x80) | number, content);
}

function tagged(tag: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([tag]), length(content.length), content]);
}

function length(value: number): Buffer {
  if (value < 0x80) return Buffer.from([value]);
  const bytes: number[] = [];
  for (let rest = value; rest > 0; rest >>>= 8) bytes.unshift(rest & 0xff);
  return Buffer.from([0x80 | bytes.length, ...bytes]);
}

function base128(value: number): number[] {
  const bytes = [value & 0x7f];
  for (let rest = value >>> 7; rest > 0; rest >>>= 7) bytes.unshift((rest & 0x7f) | 0x80);
  return bytes;
}
