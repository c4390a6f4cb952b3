// The real machine around a command: its streams, signals, files, store and cluster.
import { constants, createReadStream } from 'node:fs';
import { access, readdir, stat, statfs } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join, relative } from 'node:path';
import type { Writable } from 'node:stream';
import { homeDirectory, systemClock, systemRandom } from '@podtrail/machinery/machine';
import type { CommandEnv, Sink } from './command-env.ts';
import { InterruptedError } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import { podtrailVersion } from './podtrail-version.ts';

/** Who asks, in the audit log of the API server, however the command was started. */
const USER_AGENT = `podtrail/${podtrailVersion()} (${process.platform}/${process.arch}) node/${process.versions.node}`;

export interface SystemCommandEnv {
  readonly commandEnv: CommandEnv;
  /** Lets go of signals and input, so that the process can end. */
  ended(): void;
}

/** SIGHUP: the terminal was closed. (Node takes no notice of nohup: without us it would end there and then.) */
const ENDING = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
/** A terminal signals everybody in it, and those who started us (npm, its shell, scripts/start.ts) signal us once more. */
const SAME_REQUEST_MS = 1_000;

export function systemCommandEnv(): SystemCommandEnv {
  const stop = new AbortController();
  let askedAt = 0;
  const onSignal = (): void => {
    const now = systemClock.monotonic();
    // Whoever asks twice does not want to wait.
    if (stop.signal.aborted && now - askedAt > SAME_REQUEST_MS) process.exit(EXIT.interrupted);
    if (stop.signal.aborted) return;
    askedAt = now;
    stop.abort(new InterruptedError());
  };
  for (const signal of ENDING) process.on(signal, onSignal);
  const commandEnv: CommandEnv = {
    env: process.env,
    stdin: process.stdin,
    stdout: streamSink(process.stdout),
    stderr: streamSink(process.stderr),
    clock: systemClock,
    random: systemRandom,
    home: homeDirectory(process.env),
    hostname: hostname(),
    // Read when a time without a zone is met: the tables behind it are 8 MB.
    get systemZone() {
      return Intl.DateTimeFormat().resolvedOptions().timeZone;
    },
    signal: stop.signal,
    openStore: async (url, how) => (await stores()).openStore(url, { access: how }),
    planMigration: async (...args) => (await stores()).planMigration(...args),
    loadConfig: async (options) => (await machinery()).loadClusterConfig(options),
    connect: async (config, observer) =>
      (await machinery()).Client.connect(config, { userAgent: USER_AGENT, ...(observer && { observer }) }),
    fileSystemOf: async (path) => (process.platform === 'linux' ? (await statfs(path)).type : undefined),
    readFile: bytesOf,
    mustBeReadable: (path) => access(path, constants.R_OK),
    filesIn,
  };
  return {
    commandEnv,
    ended() {
      for (const signal of ENDING) process.off(signal, onSignal);
      process.stdin.destroy();
    },
  };
}

function stores(): Promise<typeof import('./open-store.ts')> {
  return import('./open-store.ts');
}

/** Only those who talk to a cluster wait for it to be loaded. */
function machinery(): Promise<typeof import('@podtrail/machinery')> {
  return import('@podtrail/machinery');
}

/** Names that begin with a dot are left out, as a shell does. */
async function filesIn(path: string): Promise<readonly string[] | undefined> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory() !== true) return undefined;
  const entries = await readdir(path, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return files.filter((file) => !/(?:^|[\\/])\./.test(relative(path, file))).sort();
}

/** An error of a stream does not say of which file it is (EISDIR). */
async function* bytesOf(path: string, chunkBytes: number = 1 << 22): AsyncGenerator<Uint8Array> {
  try {
    yield* createReadStream(path, { highWaterMark: chunkBytes });
  } catch (error) {
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  }
}

/** Waits when the reader is slow; a reader that has gone rejects the write with EPIPE. */
function streamSink(stream: Writable & { isTTY?: boolean }): Sink {
  let failure: Error | undefined;
  stream.on('error', (error) => (failure ??= error));
  return {
    isTTY: stream.isTTY === true,
    write: (text) =>
      new Promise((resolve, reject) => {
        if (failure !== undefined) return reject(failure);
        stream.write(text, (error) => (error ? reject(error) : resolve()));
      }),
  };
}
