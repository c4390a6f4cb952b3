// Has a command that asks run elsewhere, prints what it printed, and ends with its exit code.
import type { CommandEnv } from '../command-env.ts';
import type { ExitCode } from '../exit-codes.ts';
import type { Place } from './place.ts';
import type { PlaceWords } from './place-words.ts';
import type { RemoteAsker } from './remote-asker.ts';
import type { RemoteCommand } from './remote-command.ts';

export type RemotePlace = Extract<Place, { kind: 'server' | 'cluster' }>;
export type RemoteOptions = PlaceWords['options'];

export async function askRemote(
  place: RemotePlace,
  { options, rest }: Pick<PlaceWords, 'options' | 'rest'>,
  commandEnv: CommandEnv,
): Promise<ExitCode> {
  const { stdout, stderr } = commandEnv;
  const asker = await openAsker(place, options, commandEnv);
  try {
    if (options.quiet !== true) await stderr.write(`asking ${asker.name}\n`);
    const { exitCode, out, err } = await asker.ask(await commandOf(rest, options, commandEnv));
    if (err !== '') await stderr.write(err);
    if (out !== '') await stdout.write(out);
    return exitCode as ExitCode;
  } finally {
    await asker.close();
  }
}

export async function openAsker(
  place: RemotePlace,
  options: RemoteOptions,
  commandEnv: CommandEnv,
): Promise<RemoteAsker> {
  if (place.kind === 'cluster') {
    const { clusterAsker } = await import('./cluster-asker.ts');
    return await clusterAsker(place.config, options.namespace, commandEnv);
  }
  const { serverAsker } = await import('./server-asker.ts');
  return await serverAsker(place.url, options, commandEnv);
}

export async function commandOf(
  words: readonly string[],
  options: RemoteOptions,
  { stdout, env, systemZone, loadConfig }: CommandEnv,
): Promise<RemoteCommand> {
  const colour = stdout.isTTY && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  return { words, zone: systemZone, namespace: await namespaceOf(options, loadConfig), colour };
}

/** Of the current context, as kubectl has it. */
async function namespaceOf(
  { context, kubeconfig }: RemoteOptions,
  loadConfig: CommandEnv['loadConfig'],
): Promise<string | null> {
  try {
    return (await loadConfig({ context, kubeconfig })).namespace;
  } catch (error) {
    if (context !== undefined || kubeconfig !== undefined) throw error;
    return null;
  }
}
