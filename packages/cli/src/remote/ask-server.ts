// Has a server run a command that asks: `--server URL`. Prints what it printed, and ends with its exit code.
import type { CommandEnv } from '../command-env.ts';
import { CliError, UsageError } from '../errors.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import { COMMANDS_PATH, type RanCommand, type RemoteCommand } from './remote-command.ts';

const ANSWERED_WITHIN_MS = 120_000;

/** `words`: with the command first, and without `--server`. */
export async function askServer(url: string, words: readonly string[], commandEnv: CommandEnv): Promise<ExitCode> {
  const server = serverOf(url);
  const { stdout, stderr, env, systemZone } = commandEnv;
  const command: RemoteCommand = {
    ...{ words: withoutCluster(words), zone: systemZone, namespace: await namespaceOf(words, commandEnv) },
    colour: stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb',
  };
  await stderr.write(`asking ${server.origin}\n`);
  const { exitCode, out, err } = await post(server, command, commandEnv);
  if (err !== '') await stderr.write(err);
  if (out !== '') await stdout.write(out);
  return exitCode as ExitCode;
}

function serverOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol !== 'http:' && url?.protocol !== 'https:') {
    throw new UsageError(`--server ${text} is not the address of a server`, 'write --server http://127.0.0.1:7080.');
  }
  return url;
}

/** These choose a kubeconfig, which is read here. */
const CLUSTER_FLAG = /^--(kubeconfig|context)(?:=(.*))?$/s;

function withoutCluster(words: readonly string[]): string[] {
  return words.filter((word, i) => {
    if (CLUSTER_FLAG.test(word)) return false;
    const before = CLUSTER_FLAG.exec(words[i - 1] ?? '');
    return before === null || before[2] !== undefined;
  });
}

function flagValue(flag: string, words: readonly string[]): string | undefined {
  const at = words.findLastIndex((word) => word === flag || word.startsWith(`${flag}=`));
  if (at === -1) return undefined;
  return words[at] === flag ? words[at + 1] : words[at]?.slice(flag.length + 1);
}

/** Of the current context, as kubectl has it. */
async function namespaceOf(words: readonly string[], { loadConfig }: CommandEnv): Promise<string | null> {
  const [context, kubeconfig] = [flagValue('--context', words), flagValue('--kubeconfig', words)];
  try {
    return (await loadConfig({ context, kubeconfig })).namespace;
  } catch (error) {
    if (context !== undefined || kubeconfig !== undefined) throw error;
    return null;
  }
}

async function post(server: URL, command: RemoteCommand, { env, signal }: CommandEnv): Promise<RanCommand> {
  const token = env['PODTRAIL_TOKEN'];
  const response = await fetch(new URL(COMMANDS_PATH, server), {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined || token === '' ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(command),
    redirect: 'error',
    signal: AbortSignal.any([signal, AbortSignal.timeout(ANSWERED_WITHIN_MS)]),
  }).catch((cause: unknown) => {
    signal.throwIfAborted();
    throw new CliError('no-answer', `${server.origin} does not answer (${reasonOf(cause)})`, {
      hint: 'check the address, and that `podtrail serve` or the operator runs there.',
      cause,
    });
  });
  if (response.ok) return (await response.json()) as RanCommand;
  throw await refusalOf(server, response);
}

function reasonOf(error: unknown): string {
  const { name, cause } = error as Error & { readonly cause?: { readonly code?: string; readonly message?: string } };
  return cause?.code ?? cause?.message ?? name;
}

async function refusalOf({ origin }: URL, response: Response): Promise<CliError> {
  const problem = await response.json().catch(() => ({}));
  const { detail, hint } = problem as { readonly detail?: string; readonly hint?: string };
  switch (response.status) {
    case 401:
      return new CliError('unauthenticated', `${origin} does not know who asks`, {
        hint: 'put the token that the server printed into PODTRAIL_TOKEN.',
        exitCode: EXIT.forbidden,
      });
    case 403:
      return new CliError('forbidden', detail ?? `${origin} refuses`, { hint, exitCode: EXIT.forbidden });
    case 404:
      return new CliError('no-such-server', `${origin} is no server of podtrail, or an older one`, {
        hint: 'check the address and the port.',
      });
    case 400:
      return new UsageError(detail ?? `${origin} refuses the question`, hint);
    default:
      return new CliError('server-failed', detail ?? `${origin} answers with status ${response.status}`, { hint });
  }
}
