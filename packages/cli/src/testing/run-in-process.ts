// Runs podtrail inside the test's process: words in, exit code and both outputs out. The store is an engine that the
// test has filled, the clock stands still.
import { type Engine, HistoryError } from '@podtrail/history';
import { ConfigError, seededRandom } from '@podtrail/machinery';
import { ManualClock } from '@podtrail/machinery/testing';
import type { CommandEnv, Sink } from '../command-env.ts';
import { runPodtrail } from '../run.ts';

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface RunOptions extends Partial<CommandEnv> {
  readonly engine?: Engine | undefined;
  readonly now?: number;
  readonly input?: string | Uint8Array;
  /** By their paths; whatever lies before a slash is a directory. */
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  /** Both outputs are terminals. */
  readonly isTTY?: boolean;
  /** Standard error with the line that names the default ledger. */
  readonly keepsPlace?: boolean;
}

export async function run(words: readonly string[], options: RunOptions = {}): Promise<Ran> {
  const { engine, now, input = '', files = {}, isTTY = false, keepsPlace = false, ...replaced } = options;
  const out = new TextSink(isTTY);
  const err = new TextSink(isTTY);
  const commandEnv: CommandEnv = {
    env: {},
    stdin: chunks(input),
    stdout: out,
    stderr: err,
    clock: new ManualClock(now ?? Date.UTC(2026, 10, 15, 12)),
    random: seededRandom(1),
    home: '/home/jane',
    hostname: 'test-host',
    systemZone: 'UTC',
    signal: new AbortController().signal,
    openStore: async () => {
      if (engine === undefined) throw new HistoryError('no-store', 'there is no store');
      // The commands close what they open; the test's engine lives on.
      return new Proxy(engine, {
        get: (target, key) => (key === 'close' ? async () => {} : bound(target, key)),
      });
    },
    planMigration: async () => ({ from: 1, to: 1, steps: [], files: 0 }),
    loadConfig: async () => {
      throw new ConfigError('config-not-found', 'no Kubernetes configuration');
    },
    connect: () => {
      throw new Error('this test has no cluster');
    },
    fileSystemOf: async () => undefined,
    readFile: (path) => chunks(files[path] ?? missing(path)),
    mustBeReadable: async (path) => {
      // The engine of the test is its default ledger.
      if (engine !== undefined && path === DEFAULT_LEDGER) return;
      const isThere = Object.keys(files).some((file) => file === path || file.startsWith(`${path}/`));
      if (!isThere && replaced.readFile === undefined) missing(path);
    },
    filesIn: async (path) => {
      const found = Object.keys(files).filter((file) => file.startsWith(`${path}/`));
      return found.length === 0 ? undefined : found.sort();
    },
    ...replaced,
  };
  const code = await runPodtrail(words, commandEnv);
  return { code, out: out.text, err: keepsPlace ? err.text : err.text.replace(ASKING, '') };
}

const DEFAULT_LEDGER = '/home/jane/.local/share/podtrail/ledger.db';
const ASKING = new RegExp(`^asking sqlite:${DEFAULT_LEDGER}\n`, 'm');

class TextSink implements Sink {
  readonly isTTY: boolean;
  text = '';
  readonly #decoder = new TextDecoder();

  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }

  async write(text: string | Uint8Array): Promise<void> {
    this.text += typeof text === 'string' ? text : this.#decoder.decode(text, { stream: true });
  }
}

async function* chunks(input: string | Uint8Array): AsyncGenerator<Uint8Array> {
  yield typeof input === 'string' ? Buffer.from(input) : input;
}

function bound(target: Engine, key: string | symbol): unknown {
  const value = Reflect.get(target, key) as unknown;
  return typeof value === 'function' ? value.bind(target) : value;
}

function missing(path: string): never {
  throw Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: 'ENOENT', path });
}
