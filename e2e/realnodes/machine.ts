// The machine of one real node as the harness holds it: a process and mount namespace whose init starts and ends
// programs on request, over a socket. To kill it is a power cut. Knows nothing of kubelets.
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { ControlPlaneError } from '../controlplane/control-plane-error.ts';
import { Part } from '../controlplane/part.ts';

export interface Service {
  readonly name: string;
  readonly file: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly log: string;
  /** Started again when it ends by itself. */
  readonly restart?: boolean;
}

interface Reply {
  readonly error?: string;
  readonly pid?: number;
  readonly starts?: number;
  readonly code: number;
}

const SIGNALS = { SIGTERM: 15, SIGKILL: 9 } as const;
export type StopSignal = keyof typeof SIGNALS;

export class Machine extends Part {
  readonly #socket: string;

  constructor(setup: { name: string; program: string; netns: () => string; home: string; log: string }) {
    const socket = join(setup.home, 'machine.sock');
    super({
      name: setup.name,
      file: setup.program,
      args: () => ['-netns', setup.netns(), '-home', setup.home],
      directory: setup.home,
      logFile: setup.log,
      port: 0,
      check: async () => void (await ask(socket, { do: 'status', name: 'any' })),
      readyWithinMs: 60_000,
    });
    this.#socket = socket;
  }

  async startService(service: Service): Promise<void> {
    await ask(this.#socket, { do: 'start', ...onWire(service) });
  }

  /** Resolves with the exit code. */
  async runToEnd(service: Service): Promise<number> {
    return (await ask(this.#socket, { do: 'run', ...onWire(service) })).code;
  }

  /** Resolves when it has ended. Stopping what does not run does nothing. */
  async stopService(name: string, signal: StopSignal): Promise<void> {
    await ask(this.#socket, { do: 'stop', name, signal: SIGNALS[signal] });
  }

  /** How often it was started; undefined while it does not run. */
  async serviceStarts(name: string): Promise<number | undefined> {
    const { pid = 0, starts } = await ask(this.#socket, { do: 'status', name });
    return pid === 0 ? undefined : starts;
  }
}

function onWire({ env, ...service }: Service): object {
  return { ...service, env: Object.entries(env).map(([name, value]) => `${name}=${value}`) };
}

/** One connection for each question: a machine may be switched off at any time. */
function ask(socket: string, request: object): Promise<Reply> {
  return new Promise((resolve, reject) => {
    let text = '';
    const connection = createConnection(socket, () => connection.write(`${JSON.stringify(request)}\n`));
    connection.setEncoding('utf8').on('data', (chunk: string) => {
      text += chunk;
      if (!text.endsWith('\n')) return;
      connection.destroy();
      const reply = JSON.parse(text) as Reply;
      if (reply.error === undefined) resolve(reply);
      else reject(new ControlPlaneError(`The machine says: ${reply.error}.`));
    });
    connection.on('error', reject);
    connection.on('close', () => reject(new ControlPlaneError('The machine was switched off before it answered.')));
  });
}
