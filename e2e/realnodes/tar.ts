// As much of the tar format (ustar) as an image needs: plain files with a path of at most 100 characters.

export interface TarEntry {
  readonly path: string;
  readonly data: Buffer;
  readonly mode: number;
}

const BLOCK = 512;

export function tar(entries: readonly TarEntry[]): Buffer {
  const blocks: Buffer[] = [];
  for (const entry of entries) blocks.push(header(entry), entry.data, padding(entry.data.length));
  // Two empty blocks are the end.
  return Buffer.concat([...blocks, Buffer.alloc(2 * BLOCK)]);
}

function header({ path, data, mode }: TarEntry): Buffer {
  if (Buffer.byteLength(path) > 100) throw new RangeError(`a tar path has at most 100 bytes: ${path}`);
  const block = Buffer.alloc(BLOCK);
  const octal = (value: number, digits: number): string => value.toString(8).padStart(digits, '0');
  block.write(path, 0);
  block.write(octal(mode, 7), 100);
  block.write(octal(0, 7), 108); // owner
  block.write(octal(0, 7), 116); // group
  block.write(octal(data.length, 11), 124);
  block.write(octal(0, 11), 136); // the time is always the same, so that the bytes are
  block.write('        ', 148); // the sum is taken with its own field blank
  block.write('0', 156);
  block.write('ustar\0', 257);
  block.write('00', 263);
  const sum = block.reduce((total, byte) => total + byte, 0);
  block.write(`${octal(sum, 6)}\0 `, 148);
  return block;
}

function padding(length: number): Buffer {
  return Buffer.alloc((BLOCK - (length % BLOCK)) % BLOCK);
}
