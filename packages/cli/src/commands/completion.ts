// `podtrail completion`: a script that completes what is typed in a shell.
import { Argument, type Command } from 'commander';
import type { Cli } from '../cli.ts';
import { commandWords } from '../completion/command-words.ts';
import { completionScript, SHELLS, type Shell } from '../completion/scripts.ts';
import { EXIT } from '../exit-codes.ts';

export function completionCommand(cli: Cli): Command {
  const command = cli
    .command('completion', 'Print a script that completes podtrail in a shell.', [])
    .addArgument(new Argument('<shell>', 'which shell').choices(SHELLS))
    .addHelpText(
      'after',
      `
Examples:
  source <(podtrail completion bash)
  podtrail completion fish > ~/.config/fish/completions/podtrail.fish`,
    );
  return command.action(
    cli.does(async (shell: Shell) => {
      const root = command.parent;
      if (root !== null) await cli.commandEnv.stdout.write(completionScript(shell, commandWords(root)));
      return EXIT.answered;
    }),
  );
}
