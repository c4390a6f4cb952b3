// What is read: files, all files of directories, or standard input; plain, gzip or zstd, whatever they are called.
import { Readable } from 'node:stream';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import { CliError } from '../errors.ts';

export interface Input {
  /** For messages; undefined for standard input. */
  readonly name: string | undefined;
  /** It was found in a directory: if it is no log, the others still are. */
  readonly isFound: boolean;
  readonly bytes: AsyncIterable<Uint8Array>;
}

export interface InputReader {
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly readFile: (path: string) => AsyncIterable<Uint8Array>;
  /** All files below a directory; undefined where the path is none. */
  readonly filesIn: (path: string) => Promise<readonly string[] | undefined>;
}

const UNPACKED_CHUNK = 256 << 10;
const UNPACKED_AHEAD = 1 << 20;

export async function* inputsOf(paths: readonly string[], reader: InputReader): AsyncGenerator<Input> {
  for (const path of paths) {
    if (path === '-') {
      yield { name: undefined, isFound: false, bytes: unpacked(reader.stdin, 'the input') };
      continue;
    }
    const files = await reader.filesIn(path);
    if (files === undefined) yield { name: path, isFound: false, bytes: unpacked(reader.readFile(path), path) };
    else if (files.length === 0) throw noFiles(path);
    for (const file of files ?? []) yield { name: file, isFound: true, bytes: unpacked(reader.readFile(file), file) };
  }
}

function noFiles(path: string): CliError {
  return new CliError('no-files', `${path} is a directory without files`, {
    hint: 'files whose names begin with a dot are left out; name another directory, or a file.',
  });
}

/** The bytes, unpacked where they are packed: by their first four, not by a name. */
async function* unpacked(packed: AsyncIterable<Uint8Array>, name: string): AsyncGenerator<Uint8Array> {
  const chunks = packed[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  let isAtEnd = false;
  while (head.length < 4 && !isAtEnd) {
    const { value, done } = await chunks.next();
    if (done === true) isAtEnd = true;
    else head = Buffer.concat([head, value]);
  }
  const all = async function* () {
    if (head.length > 0) yield head;
    while (!isAtEnd) {
      const { value, done } = await chunks.next();
      if (done === true) return;
      yield value;
    }
  };
  const unpacker = unpackerOf(head);
  if (unpacker === undefined) {
    yield* all();
    return;
  }
  const source = Readable.from(all());
  source.on('error', (error) => unpacker.destroy(error));
  try {
    for await (const chunk of source.pipe(unpacker)) yield chunk as Buffer;
  } catch (cause) {
    const code = (cause as { code?: unknown }).code;
    if (typeof code !== 'string' || !/^Z(?:STD)?_/.test(code)) throw cause;
    throw new CliError('damaged-archive', `${name} is damaged, or breaks off: ${(cause as Error).message}`, {
      hint: 'the rows before that were read and are in the output.',
      cause,
    });
  }
}

function unpackerOf(head: Buffer) {
  const options = { chunkSize: UNPACKED_CHUNK, readableHighWaterMark: UNPACKED_AHEAD };
  if (head[0] === 0x1f && head[1] === 0x8b) return createGunzip(options);
  return head.length >= 4 && head.readUInt32LE(0) === 0xfd2fb528 ? createZstdDecompress(options) : undefined;
}
