// One run of podtrail, from words to an exit code. Nothing here touches the process: `main.ts` does, and tests do not.
import { Cli, HelpShown } from './cli.ts';
import type { CommandEnv } from './command-env.ts';
import { describeError, ElsewhereError, exitCodeOf } from './errors.ts';
import { EXIT, type ExitCode } from './exit-codes.ts';
import { commandFirst } from './options/flags-first.ts';
import { buildProgram, refuseLaterCommand, refuseUnknownHelp } from './program.ts';
import { placeOf } from './remote/place.ts';
import { placeWords } from './remote/place-words.ts';
import { isAsking } from './remote/remote-command.ts';

export async function runPodtrail(words: readonly string[], commandEnv: CommandEnv): Promise<ExitCode> {
  const cli = new Cli(commandEnv);
  try {
    const ordered = commandFirst(words);
    refuseLaterCommand(ordered);
    const found = placeWords(ordered);
    if (isAsking(ordered[0]) && !found.isHelp && commandEnv.isServed !== true) {
      const place = await placeOf(found.options, commandEnv);
      if (place.kind === 'server' || place.kind === 'cluster') {
        const { askRemote } = await import('./remote/ask-remote.ts');
        return await askRemote(place, found, commandEnv);
      }
    }
    const program = await buildProgram(cli, ordered);
    refuseUnknownHelp(ordered, program);
    await program.parseAsync(ordered, { from: 'user' });
    return cli.exitCode;
  } catch (error) {
    if (error instanceof HelpShown) return error.exitCode;
    // The reader of our output has gone (`| head`): it has what it wanted.
    if ((error as { code?: unknown }).code === 'EPIPE') return EXIT.answered;
    if (error instanceof ElsewhereError) {
      await commandEnv.stderr.write(error.text);
      return error.exitCode;
    }
    const debug = (commandEnv.env['DEBUG'] ?? '').split(',').includes('podtrail');
    await commandEnv.stderr.write(`${describeError(error, debug)}\n`);
    return exitCodeOf(error);
  }
}
