// What every command stands on: its flags, its streams, its store, its times. One instance per run; the exit code of
// the command that ran ends up here.
import { type Cluster, type Engine, type EpochMillis, epochMillis, parseIp } from '@podtrail/history';
import { ALL_VISIBLE, type Visibility } from '@podtrail/history/wire';
import { Command, type CommanderError } from 'commander';
import type { CommandEnv } from './command-env.ts';
import { CliError, InterruptedError, UsageError } from './errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { chooseCluster } from './options/choose-cluster.ts';
import {
  flagMeant,
  type SharedFlagName,
  type SharedOptions,
  sharedOption,
  whyNotTaken,
} from './options/shared-flags.ts';
import { storeUrl } from './options/store-url.ts';
import { isFormat } from './output/output-format.ts';
import type { PrintOptions } from './output/print.ts';
import { visible } from './output/visible.ts';
import { isAsking } from './remote/remote-command.ts';
import { parseTime } from './times/parse-time.ts';
import { toUtcText } from './times/show-time.ts';
import { parseZone, UTC, type Zone } from './times/zone.ts';

/** An open ledger: a store and one of its clusters. */
export interface OpenLedger {
  readonly engine: Engine;
  readonly cluster: Cluster;
}

/** Of every command that asks: where, and as whom. */
const ASKING_FLAGS: readonly SharedFlagName[] = [
  ...(['server', 'serverCa', 'sendKubeconfigToken', 'context', 'kubeconfig', 'quiet'] as const),
];

export class Cli {
  readonly commandEnv: CommandEnv;
  /** One now for the whole run, so that `--since 1h --until 1h` is an empty span and not a millisecond. */
  readonly now: EpochMillis;
  exitCode: ExitCode = EXIT.answered;

  get visibility(): Visibility {
    return this.commandEnv.visibility ?? ALL_VISIBLE;
  }

  constructor(commandEnv: CommandEnv) {
    this.commandEnv = commandEnv;
    this.now = epochMillis(commandEnv.clock.now());
  }

  /** A subcommand with the shared flags that it takes. */
  command(name: string, summary: string, flags: readonly SharedFlagName[]): Command {
    const command = new Command(name).description(summary).exitOverride().allowExcessArguments(false);
    const asked = isAsking(name) || name === 'attribute' ? ASKING_FLAGS.filter((flag) => !flags.includes(flag)) : [];
    for (const flag of [...flags, ...asked]) command.addOption(sharedOption(flag));
    command.configureOutput(this.#quiet());
    command.exitOverride((error) => {
      throw usageOf(error, pathOf(command), command);
    });
    return command;
  }

  root(): Command {
    const program = new Command('podtrail').configureOutput(this.#quiet());
    program.exitOverride((error) => {
      throw usageOf(error, undefined, program);
    });
    return program;
  }

  /** Wraps what a command does, so that its exit code is kept and Ctrl+C ends it at once. */
  does<Args extends unknown[]>(work: (...args: Args) => Promise<ExitCode>): (...args: Args) => Promise<void> {
    return async (...args) => {
      const { signal } = this.commandEnv;
      const interrupted = Promise.withResolvers<never>();
      const onAbort = () => interrupted.reject(new InterruptedError());
      signal.addEventListener('abort', onAbort, { once: true });
      if (signal.aborted) onAbort();
      try {
        this.exitCode = await Promise.race([work(...args), interrupted.promise]);
      } finally {
        signal.removeEventListener('abort', onAbort);
      }
    };
  }

  /** The same for a command that hears the signal itself and has something to bring to its end first. */
  finishes<Args extends unknown[]>(work: (...args: Args) => Promise<ExitCode>): (...args: Args) => Promise<void> {
    return async (...args) => {
      this.exitCode = await work(...args);
    };
  }

  async withLedger<T>(
    options: SharedOptions,
    use: (ledger: OpenLedger) => Promise<T>,
    access: 'read' | 'write' = 'read',
  ): Promise<T> {
    const opened = async (engine: Engine) =>
      await use({ engine, cluster: await chooseCluster(engine, options.cluster) });
    return await this.withStore(options, opened, access);
  }

  /** For commands that can ask elsewhere, too: standard error names the ledger. */
  async askLedger<T>(options: SharedOptions, ask: (ledger: OpenLedger) => Promise<T>): Promise<T> {
    return await this.withStore(options, async (engine, url) => {
      if (this.commandEnv.isServed !== true) await this.noteAsked(`asking ${url}`, options);
      return await ask({ engine, cluster: await chooseCluster(engine, options.cluster) });
    });
  }

  /** What is asked, and where. */
  async noteAsked(text: string, { quiet }: SharedOptions): Promise<void> {
    if (quiet !== true) await this.note(text);
  }

  async withStore<T>(
    options: SharedOptions,
    use: (engine: Engine, url: string) => Promise<T>,
    access: 'read' | 'write' = 'read',
  ): Promise<T> {
    const url = storeUrl(options.store, this.commandEnv);
    const engine = await this.commandEnv.openStore(url, access).catch(async (error: unknown) => {
      throw (await this.#nowhere(error, options)) ?? error;
    });
    try {
      return await use(engine, url);
    } finally {
      await engine.close();
    }
  }

  /** Who has no ledger may have meant a cluster: why that is not asked, too. */
  async #nowhere(error: unknown, options: SharedOptions): Promise<CliError | undefined> {
    const { isServed, loadConfig } = this.commandEnv;
    if ((error as { code?: unknown }).code !== 'no-store' || options.store !== undefined || isServed === true)
      return undefined;
    const { message } = error as Error;
    const cause = await loadConfig({}).then(
      () => undefined,
      (failure: Error) => failure,
    );
    if (cause === undefined) return undefined;
    return new CliError('no-store', `${message}, and there is no cluster to ask: ${cause.message}`, {
      hint: 'start `podtrail record`, name a ledger with --store or a server with --server, or set KUBECONFIG to ask the operator of a cluster.',
      cause: error,
    });
  }

  zone({ timezone }: SharedOptions): Zone {
    if (timezone === undefined) return parseZone(this.commandEnv.systemZone) ?? UTC;
    const zone = parseZone(timezone === 'local' ? this.commandEnv.systemZone : timezone);
    if (zone !== undefined) return zone;
    throw new UsageError(
      `there is no time zone ${timezone}`,
      'use a name as Europe/Berlin, an offset as +02:00, UTC or local.',
    );
  }

  /** The instant behind a flag, in UTC on standard error, with the zone that was assumed: what was asked must be plain. */
  async time(flag: string, text: string, options: SharedOptions): Promise<EpochMillis> {
    const parsed = parseTime(text, this.now, this.zone(options));
    if (!parsed.ok) {
      const [sentence = '', hint] = parsed.problem.split(/; (.*)/s);
      throw new UsageError(`${flag}: ${sentence}`, hint === undefined ? undefined : `${hint}.`);
    }
    const assumed = parsed.byZone === true ? this.#assumedZone(text, options) : '';
    await this.noteAsked(`${flag} ${toUtcText(parsed.at)}${assumed}`, options);
    return parsed.at;
  }

  #assumedZone(text: string, options: SharedOptions): string {
    const whose = options.timezone === undefined ? `, the zone of this machine; --timezone names another` : '';
    return ` (${text.trim()} in ${this.zone(options).name}${whose})`;
  }

  /** `--at`, else now. */
  async at(options: SharedOptions): Promise<EpochMillis> {
    if (options.at !== undefined) return await this.time('--at', options.at, options);
    await this.noteAsked(`--at ${toUtcText(this.now)}`, options);
    return this.now;
  }

  /** `-n`, else the namespace of the current context as kubectl has it, else "default". */
  async namespace({ namespace, context, kubeconfig }: SharedOptions): Promise<string> {
    if (namespace !== undefined) return namespace;
    const named = context !== undefined || kubeconfig !== undefined;
    try {
      return (await this.commandEnv.loadConfig({ context, kubeconfig })).namespace;
    } catch (error) {
      if (named) throw error;
      return 'default';
    }
  }

  /** A sentence for people, beside the data. Names in it come from clusters and files: it is made visible here. */
  async note(text: string): Promise<void> {
    await this.commandEnv.stderr.write(`${text.split('\n').map(visible).join('\n')}\n`);
  }

  print(options: SharedOptions): PrintOptions {
    const { stdout, env } = this.commandEnv;
    const format = options.output ?? 'table';
    if (!isFormat(format)) throw new UsageError(`-o ${format} is not a format`);
    const wanted = options.color ?? 'auto';
    const colour =
      wanted === 'always' || (wanted === 'auto' && stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb');
    const zoneOf = () => this.zone(options);
    // A wrong one is refused at once; that of the machine is looked up when a time is shown.
    const named = options.timezone === undefined ? undefined : zoneOf();
    return {
      ...{ out: stdout, format, headers: options.headers !== false, colour },
      get zone() {
        return named ?? zoneOf();
      },
    };
  }

  /** Help goes to standard output; errors are printed once, at the edge. */
  #quiet() {
    return {
      writeOut: (text: string) => void this.commandEnv.stdout.write(text),
      writeErr: (text: string) => void this.commandEnv.stderr.write(text),
      outputError: () => {},
      getOutHasColors: () => false,
    };
  }
}

/** Thrown by the parser after help was printed: there is nothing more to say. */
export class HelpShown extends Error {
  readonly exitCode: ExitCode;

  constructor(exitCode: ExitCode) {
    super('help was shown');
    this.exitCode = exitCode;
  }
}

/** `store retain`: the words between podtrail and the arguments. */
function pathOf(command: Command): string {
  const { parent } = command;
  return parent === null || parent.parent === null ? command.name() : `${pathOf(parent)} ${command.name()}`;
}

function usageOf(error: CommanderError, command: string | undefined, { commands }: Command): Error {
  const subcommands = commands.map((subcommand) => subcommand.name());
  if (error.code === 'commander.helpDisplayed' || error.code === 'commander.help') {
    // Not asked for, it stands for the command that is missing.
    return new HelpShown(error.exitCode === 0 ? EXIT.answered : EXIT.usage);
  }
  const message = error.message.replace(/^error: /, '').replaceAll('\n', ' ');
  const flag = error.code === 'commander.unknownOption' ? /'([^']+)'/.exec(message)?.[1] : undefined;
  const reason = flag === undefined ? undefined : whyNotTaken(flag.split('=')[0] ?? '');
  const meant = flag === undefined ? undefined : flagMeant(flag.split('=')[0] ?? '');
  const help = `see podtrail ${command === undefined ? '' : `${command} `}--help.`;
  const advice = meant === undefined ? adviceFor(error.code, message, command) : `write ${meant}`;
  const hint = advice === undefined ? help : `${advice}; ${help}`;
  if (reason !== undefined && command !== undefined) {
    const { length } = subcommands;
    if (length === 0) return new UsageError(`${command} does not take ${flag}: ${reason}`, hint);
    return new UsageError(`${command} needs one of ${subcommands.join(', ')}, before its flags`, help);
  }
  // The parser suggests what is written alike; we know what is meant.
  return new UsageError(meant === undefined ? message : message.replace(/ \(Did you mean .*\)$/, ''), hint);
}

/** What a person most likely meant by words that the parser refuses. */
function adviceFor(code: string, message: string, command: string | undefined): string | undefined {
  const words = /: (.*?)\.?$/.exec(message)?.[1]?.split(', ') ?? [];
  switch (code) {
    case 'commander.excessArguments':
      if (words.some((word) => /^(?:ago|\d{1,2}:\d{2}.*)$/.test(word)))
        return "put quotes around a time with a blank in it: --at '15m ago'";
      if (command === 'who') return 'ask about one address at a time, or about a file of them with podtrail attribute';
      return undefined;
    case 'commander.unknownCommand': {
      const name = /'([^']+)'/.exec(message)?.[1] ?? '';
      return command === undefined && parseIp(name) !== undefined ? `write podtrail who ${name}` : undefined;
    }
    case 'commander.missingMandatoryOptionValue':
      return message.includes('--before') ? '--before 720h forgets what ended thirty days ago' : undefined;
    default:
      return undefined;
  }
}
