// Makes a screenshot small: of its colours the 256 that are seen most stay, every other becomes the nearest of them, and
// one byte is enough for a pixel. Pages have few colours but for the edges of letters. Used by images.ts.
import { crc32, deflateSync, inflateSync } from 'node:zlib';

const SIGNATURE = 8;
const COLOURS = 256;

/** `picture`: a PNG of 8 bits, without alpha and not interlaced, as Chromium makes it. */
export function smallPng(picture: Buffer): Buffer {
  const parts = chunksOf(picture);
  const header = parts.find(({ type }) => type === 'IHDR')?.data;
  if (header === undefined || header[8] !== 8 || header[9] !== 2)
    throw new Error('not a PNG of three bytes for a pixel');
  const [width, height] = [header.readUInt32BE(0), header.readUInt32BE(4)];
  const packed = Buffer.concat(parts.filter(({ type }) => type === 'IDAT').map(({ data }) => data));
  const pixels = unfiltered(inflateSync(packed), width * 3, height);
  const { palette, indexOf } = paletteOf(pixels);
  const rows = Buffer.alloc((width + 1) * height);
  for (let i = 0; i < width * height; i++) {
    rows[i + Math.floor(i / width) + 1] = indexOf.get(pixels.readUIntBE(i * 3, 3)) ?? 0;
  }
  const indexed = Buffer.from(header);
  indexed[9] = 3;
  return Buffer.concat([
    picture.subarray(0, SIGNATURE),
    ...[chunk('IHDR', indexed), chunk('PLTE', palette)],
    ...[chunk('IDAT', deflateSync(rows, { level: 9, memLevel: 9 })), chunk('IEND', Buffer.alloc(0))],
  ]);
}

function chunksOf(picture: Buffer) {
  const found: { readonly type: string; readonly data: Buffer }[] = [];
  for (let at = SIGNATURE; at < picture.length; ) {
    const length = picture.readUInt32BE(at);
    found.push({ type: picture.toString('latin1', at + 4, at + 8), data: picture.subarray(at + 8, at + 8 + length) });
    at += 12 + length;
  }
  return found;
}

function chunk(type: string, data: Buffer): Buffer {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  const around = [Buffer.alloc(4), Buffer.alloc(4)] as const;
  around[0].writeUInt32BE(data.length);
  around[1].writeUInt32BE(crc32(named));
  return Buffer.concat([around[0], named, around[1]]);
}

/** Each row begins with the filter that was used for it; a pixel is three bytes. */
function unfiltered(raw: Buffer, stride: number, height: number): Buffer {
  const out = Buffer.alloc(stride * height);
  for (let y = 0; y < height; y++) {
    const filter = raw[y * (stride + 1)];
    for (let x = 0; x < stride; x++) {
      const at = y * stride + x;
      const left = x >= 3 ? out[at - 3]! : 0;
      const above = y > 0 ? out[at - stride]! : 0;
      const corner = x >= 3 && y > 0 ? out[at - stride - 3]! : 0;
      const predicted = [0, left, above, (left + above) >> 1, paeth(left, above, corner)][filter ?? 0] ?? 0;
      out[at] = raw[y * (stride + 1) + 1 + x]! + predicted;
    }
  }
  return out;
}

function paeth(left: number, above: number, corner: number): number {
  const guess = left + above - corner;
  const [a, b, c] = [Math.abs(guess - left), Math.abs(guess - above), Math.abs(guess - corner)];
  if (a <= b && a <= c) return left;
  return b <= c ? above : corner;
}

function paletteOf(pixels: Buffer) {
  const counts = new Map<number, number>();
  for (let at = 0; at < pixels.length; at += 3) {
    const colour = pixels.readUIntBE(at, 3);
    counts.set(colour, (counts.get(colour) ?? 0) + 1);
  }
  const kept = [...counts]
    .sort((a, b) => b[1] - a[1])
    .slice(0, COLOURS)
    .map(([colour]) => colour);
  const palette = Buffer.alloc(kept.length * 3);
  for (const [i, colour] of kept.entries()) palette.writeUIntBE(colour, i * 3, 3);
  const indexOf = new Map<number, number>();
  for (const colour of counts.keys()) indexOf.set(colour, nearest(kept, colour));
  return { palette, indexOf };
}

function nearest(kept: readonly number[], colour: number): number {
  let best = 0;
  let least = Number.POSITIVE_INFINITY;
  for (const [i, other] of kept.entries()) {
    const [r, g, b] = [
      (other >> 16) - (colour >> 16),
      ((other >> 8) & 255) - ((colour >> 8) & 255),
      (other & 255) - (colour & 255),
    ];
    const distance = r * r + g * g + b * b;
    if (distance < least) [best, least] = [i, distance];
  }
  return best;
}
