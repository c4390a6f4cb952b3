// Everything that a command touches outside itself, as parameters: streams, environment, clock, the store and the
// cluster. `system-command-env.ts` is the real one; tests hand in their own.
import type { Engine, Migration } from '@podtrail/history';
import type { Visibility } from '@podtrail/history/wire';
import type { Client, Clock, ClusterConfig, Random, RequestObserver } from '@podtrail/machinery';

export interface Sink {
  readonly isTTY: boolean;
  /** Resolves when more may be written. */
  write(text: string | Uint8Array): Promise<void>;
}

export interface ConnectOptions {
  readonly kubeconfig?: string | undefined;
  readonly context?: string | undefined;
}

export interface CommandEnv {
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly stdin: AsyncIterable<Uint8Array>;
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly clock: Clock;
  readonly random: Random;
  readonly home: string;
  readonly hostname: string;
  /** IANA name of the machine's time zone. */
  readonly systemZone: string;
  /** Aborts at SIGINT, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal;
  /** Only `write` makes a store where there is none, and keeps other writers out. */
  readonly openStore: (url: string, access: 'read' | 'write') => Promise<Engine>;
  /** A server runs the command: it has one ledger, and says nothing about where it asks. */
  readonly isServed?: boolean;
  /** What may be seen of the store; everything, unless a server asks for somebody. */
  readonly visibility?: Visibility;
  /** What opening the store for writing would change in it; changes nothing. */
  readonly planMigration: (url: string) => Promise<Migration>;
  readonly loadConfig: (options: ConnectOptions) => Promise<ClusterConfig>;
  /** `observer` sees every request. */
  readonly connect: (config: ClusterConfig, observer?: RequestObserver) => Client | Promise<Client>;
  /** The type of the file system that a path lies on, as statfs gives it; undefined where the system has no such types. */
  readonly fileSystemOf: (path: string) => Promise<number | undefined>;
  /** The bytes of a file, in chunks of this size at most; large ones are faster, small ones take less memory. */
  readonly readFile: (path: string, chunkBytes?: number) => AsyncIterable<Uint8Array>;
  /** Rejects where a path is not there or cannot be read; takes nothing out of a pipe. */
  readonly mustBeReadable: (path: string) => Promise<void>;
  /** The paths of all files below a directory, in order; undefined where the path is no directory. */
  readonly filesIn: (path: string) => Promise<readonly string[] | undefined>;
}
