// Runs a command that asks, for a caller, and gives back what it printed: behind every door that takes commands. Nothing
// of the server's machine is within its reach: no files, no kubeconfig, no other store, no environment.
import type { Engine } from '@podtrail/history';
import { epochMillis, type Visibility } from '@podtrail/history/wire';
import { ConfigError } from '@podtrail/machinery';
import { type AskedLedger, type Caller, Problem } from '@podtrail/operator/serving';
import type { CommandEnv, Sink } from '../command-env.ts';
import { runPodtrail } from '../run.ts';
import { attributeQuestions } from './attribute-questions.ts';
import { commandSchema } from './command-schemas.ts';
import { isAsking, type RanCommand, type RemoteCommand } from './remote-command.ts';

/** More is asked for page by page: the whole output is held here at once. */
const MOST_RECORDS = 10_000;
const MOST_OUTPUT_BYTES = 64_000_000;
/** Of the machine that runs the command, or of where it asks: both are the server's. */
const OURS = /^--(?:store|server|server-ca|send-kubeconfig-token|kubeconfig|context)(?:=|$)/;

export function commandRunner(ledger: AskedLedger, { clock, random }: Pick<CommandEnv, 'clock' | 'random'>) {
  return async (posted: unknown, { caller, visibility, signal }: Asker): Promise<RanCommand> => {
    const command = checked(posted);
    const request = { gone: signal, caller };
    const engine = ledger.readerFor(request) as Engine;
    if (command.words[0] === 'attribute') {
      const now = epochMillis(clock.now());
      const ran = await ledger.ask(() => attributeQuestions(command, { engine, visibility, now }), false, request);
      return { ...ran, err: ran.err + narrowedNote(visibility) };
    }
    if (command.words[0] === 'anomalies' && visibility.kind !== 'all') {
      throw new Problem(403, 'forbidden', 'anomalies is for who may list pods in all namespaces');
    }
    const asked = { visibility, clock, random, signal, engine };
    const ran = await ledger.ask(() => run(command, asked), false, request);
    return { ...ran, err: ran.err + narrowedNote(visibility) };
  };
}

interface Asker {
  /** Of whose places on the store it takes one. */
  readonly caller: Pick<Caller, 'name'>;
  readonly visibility: Visibility;
  readonly signal: AbortSignal;
}

const MOST_NAMED = 5;

/** Who sees a part should not take it for the whole. */
function narrowedNote(visibility: Visibility): string {
  if (visibility.kind === 'all') return '';
  const names = [...visibility.since.keys()].sort();
  const more = names.length > MOST_NAMED ? ' …' : '';
  const listed = names.length === 0 ? '' : `: ${names.slice(0, MOST_NAMED).join(', ')}${more}`;
  return `narrowed to the namespaces in which you may list pods${listed}\n`;
}

function checked(body: unknown): RemoteCommand {
  const parsed = commandSchema.safeParse(body);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw new Problem(400, 'bad-command', `${issue?.path.join('.')}: ${issue?.message}`, {
      hint: 'use a podtrail of the version of this server.',
    });
  }
  const { words, zone } = parsed.data;
  if (!isZone(zone)) {
    throw new Problem(400, 'bad-command', `${zone} is no time zone that this server knows`, {
      hint: 'set TZ to one that it knows, such as UTC.',
    });
  }
  const isLog = words[0] === 'attribute' && parsed.data.asked !== undefined;
  if (!isAsking(words[0]) && !isLog) {
    throw new Problem(400, 'bad-command', `${words[0]} is not a command that a server runs`);
  }
  const ours = words.find((word) => OURS.test(word));
  if (ours !== undefined) throw new Problem(400, 'bad-command', `${ours} is not for a server`);
  if (limitsIn(words).some((limit) => limit === 0 || limit > MOST_RECORDS)) {
    throw new Problem(400, 'bad-page', `a server prints ${MOST_RECORDS} records at most`, {
      hint: `ask with --limit ${MOST_RECORDS}, and go on with the cursor that it prints.`,
    });
  }
  return parsed.data;
}

/** Times of a zone that is not known would be shown, and read, as those of UTC. */
function isZone(name: string): boolean {
  if (name === 'UTC') return true;
  try {
    new Intl.DateTimeFormat('en', { timeZone: name });
    return true;
  } catch {
    return false;
  }
}

/**
 * All that may be one: the last that looks so need not count, because it may be the value of another flag. None for what
 * the command refuses.
 */
function limitsIn(words: readonly string[]): readonly number[] {
  return words.flatMap((word, i) => {
    const text = word === '--limit' ? words[i + 1] : /^--limit=(.*)$/s.exec(word)?.[1];
    return text !== undefined && /^\d+$/.test(text) ? [Number(text)] : [];
  });
}

interface Around extends Pick<CommandEnv, 'clock' | 'random' | 'signal' | 'visibility'> {
  readonly engine: Engine;
}

async function run({ words, zone, namespace, colour }: RemoteCommand, around: Around): Promise<RanCommand> {
  const { engine, ...rest } = around;
  const out = new BoundedText(colour);
  const err = new BoundedText(false);
  const exitCode = await runPodtrail(words, {
    ...rest,
    // Colours are wanted or not: that was decided where the terminal is.
    isServed: true,
    ...{ env: { TERM: 'xterm' }, home: '/', hostname: '', systemZone: zone },
    ...{ stdin: nothing(), stdout: out, stderr: err },
    openStore: async () => ({ ...bound(engine), close: async () => {} }),
    planMigration: refused,
    loadConfig: async () => {
      if (namespace !== null) return { namespace } as Awaited<ReturnType<CommandEnv['loadConfig']>>;
      throw new ConfigError('config-not-found', 'no Kubernetes configuration');
    },
    connect: refused,
    fileSystemOf: refused,
    readFile: refused,
    mustBeReadable: refused,
    filesIn: refused,
  });
  return { exitCode, out: out.text, err: err.text };
}

function bound({ clusters, snapshot, joined }: AskedLedger['reader']): Engine {
  return { clusters, snapshot, joined } as unknown as Engine;
}

function refused(): never {
  throw new Problem(400, 'bad-command', 'this command reaches beyond the ledger');
}

async function* nothing(): AsyncGenerator<Uint8Array> {}

class BoundedText implements Sink {
  readonly isTTY: boolean;
  text = '';

  constructor(isTTY: boolean) {
    this.isTTY = isTTY;
  }

  async write(chunk: string | Uint8Array): Promise<void> {
    this.text += typeof chunk === 'string' ? chunk : new TextDecoder().decode(chunk);
    if (this.text.length <= MOST_OUTPUT_BYTES) return;
    throw new Problem(400, 'too-much-output', 'that is more than a server prints at once', {
      hint: 'ask with a smaller --limit, and go on with the cursor that it prints.',
    });
  }
}
