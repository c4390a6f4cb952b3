// What is read: files, all files of directories, or standard input; plain, gzip or zstd, whatever they are called.
import { Readable } from 'node:stream';
import { constants, createGunzip, createZstdDecompress } from 'node:zlib';
import { CliError } from '../errors.ts';
import { FILE_LIMITS, type LogLimits } from './log-limits.ts';

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
/** A log that is small may shrink to anything. */
const SMALL_UNPACKED = 4 << 20;

export async function* inputsOf(
  paths: readonly string[],
  reader: InputReader,
  limits = FILE_LIMITS,
): AsyncGenerator<Input> {
  const unpacked = (bytes: AsyncIterable<Uint8Array>, name: string) => unpackedWithin(limits, bytes, name);
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
async function* unpackedWithin(
  limits: LogLimits,
  packed: AsyncIterable<Uint8Array>,
  name: string,
): AsyncGenerator<Uint8Array> {
  const chunks = packed[Symbol.asyncIterator]();
  let head: Buffer = Buffer.alloc(0);
  let isAtEnd = false;
  while (head.length < 4 && !isAtEnd) {
    const { value, done } = await chunks.next();
    if (done === true) isAtEnd = true;
    else head = Buffer.concat([head, value]);
  }
  let came = head.length;
  const all = async function* () {
    if (head.length > 0) yield head;
    while (!isAtEnd) {
      const { value, done } = await chunks.next();
      if (done === true) return;
      came += value.length;
      yield value;
    }
  };
  const unpacker = unpackerOf(head, limits);
  if (unpacker === undefined) {
    yield* all();
    return;
  }
  const source = Readable.from(all());
  source.on('error', (error) => unpacker.destroy(error));
  let unpacked = 0;
  try {
    for await (const chunk of source.pipe(unpacker)) {
      unpacked += (chunk as Buffer).length;
      refuseBomb(came, unpacked, limits, name);
      yield chunk as Buffer;
    }
  } catch (cause) {
    const code = (cause as { code?: unknown }).code;
    if (typeof code !== 'string' || !/^Z(?:STD)?_/.test(code)) throw cause;
    throw new CliError('damaged-archive', `${name} is damaged, or breaks off: ${(cause as Error).message}`, {
      hint: 'the rows before that were read and are in the output.',
      cause,
    });
  }
}

/** What is packed is small on its way; the work is that of what it unpacks to. */
function refuseBomb(came: number, unpacked: number, { mostUnpacked, mostRatio }: LogLimits, name: string): void {
  const isBomb = unpacked > mostUnpacked || (unpacked > SMALL_UNPACKED && unpacked > came * mostRatio);
  if (!isBomb) return;
  throw new CliError(
    'unpacks-too-large',
    `${name} unpacks to more than ${mostRatio} times its size, or to more than ${mostUnpacked / 2 ** 30} GiB`,
    { hint: 'send it in parts, or unpacked.' },
  );
}

function unpackerOf(head: Buffer, { zstdWindowLog }: LogLimits) {
  const options = { chunkSize: UNPACKED_CHUNK, readableHighWaterMark: UNPACKED_AHEAD };
  if (head[0] === 0x1f && head[1] === 0x8b) return createGunzip(options);
  if (head.length < 4 || head.readUInt32LE(0) !== 0xfd2fb528) return undefined;
  return createZstdDecompress({ ...options, params: { [constants.ZSTD_d_windowLogMax]: zstdWindowLog } });
}
