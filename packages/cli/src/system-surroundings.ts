// The real machine around a command: its streams, signals, files, store and cluster.
import { createReadStream } from 'node:fs';
import { homedir, hostname } from 'node:os';
import type { Writable } from 'node:stream';
import { openStore, planMigration } from '@podtrail/history';
import { Client, loadClusterConfig, systemClock, systemRandom } from '@podtrail/machinery';
import { InterruptedError } from './errors.ts';
import { EXIT } from './exit-codes.ts';
import type { Sink, Surroundings } from './surroundings.ts';

export interface SystemSurroundings {
  readonly surroundings: Surroundings;
  /** Lets go of signals and input, so that the process can end. */
  ended(): void;
}

export function systemSurroundings(): SystemSurroundings {
  const stop = new AbortController();
  const onSignal = (): void => {
    // Whoever asks twice does not want to wait.
    if (stop.signal.aborted) process.exit(EXIT.interrupted);
    stop.abort(new InterruptedError());
  };
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, onSignal);
  const surroundings: Surroundings = {
    env: process.env,
    stdin: process.stdin,
    stdout: streamSink(process.stdout),
    stderr: streamSink(process.stderr),
    clock: systemClock,
    random: systemRandom,
    home: homedir(),
    hostname: hostname(),
    systemZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    signal: stop.signal,
    openStore: (url, access) => openStore(url, { access }),
    planMigration,
    loadConfig: (options) => loadClusterConfig(options),
    connect: (config, observer) => Client.connect(config, observer === undefined ? {} : { observer }),
    readFile: (path) => createReadStream(path, { highWaterMark: 1 << 22 }),
  };
  return {
    surroundings,
    ended() {
      for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, onSignal);
      process.stdin.destroy();
    },
  };
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
