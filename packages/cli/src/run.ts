// One run of podtrail, from words to an exit code. Nothing here touches the process: `main.ts` does, and tests do not.
import { Cli, HelpShown } from './cli.ts';
import type { CommandEnv } from './command-env.ts';
import { describeError, exitCodeOf } from './errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { commandFirst } from './options/flags-first.ts';
import { buildProgram, refuseLaterCommand, refuseUnknownHelp } from './program.ts';
import { remoteOf } from './remote/remote-of.ts';

export async function runPodtrail(words: readonly string[], commandEnv: CommandEnv): Promise<ExitCode> {
  const cli = new Cli(commandEnv);
  try {
    const ordered = commandFirst(words);
    refuseLaterCommand(ordered);
    const remote = remoteOf(ordered);
    if (remote !== undefined) {
      const { askServer } = await import('./remote/ask-server.ts');
      return await askServer(remote.server, remote.words, commandEnv);
    }
    const program = await buildProgram(cli, ordered);
    refuseUnknownHelp(ordered, program);
    await program.parseAsync(ordered, { from: 'user' });
    return cli.exitCode;
  } catch (error) {
    if (error instanceof HelpShown) return error.exitCode;
    // The reader of our output has gone (`| head`): it has what it wanted.
    if ((error as { code?: unknown }).code === 'EPIPE') return EXIT.answered;
    const debug = (commandEnv.env['DEBUG'] ?? '').split(',').includes('podtrail');
    await commandEnv.stderr.write(`${describeError(error, debug)}\n`);
    return exitCodeOf(error);
  }
}
