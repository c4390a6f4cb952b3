// What can be typed, read off the tree of commands: the one source of all completion scripts.
import type { Command } from 'commander';

export interface CommandWords {
  /** `store retain`; empty for podtrail itself. */
  readonly path: string;
  readonly summary: string;
  readonly subcommands: readonly string[];
  readonly flags: readonly FlagWords[];
}

export interface FlagWords {
  readonly names: readonly string[];
  readonly summary: string;
  /** Undefined: it takes no value. Empty: any value. */
  readonly values: readonly string[] | undefined;
}

export function commandWords(command: Command, path = ''): CommandWords[] {
  const subcommands = command.commands.map((child) => child.name());
  const own: CommandWords = {
    path,
    summary: command.description(),
    subcommands: subcommands.length === 0 ? [] : [...subcommands, 'help'],
    flags: [
      ...command.options.map((option) => ({
        names: [option.short, option.long].filter((name): name is string => typeof name === 'string'),
        summary: option.description,
        values: option.required || option.optional ? (option.argChoices ?? []) : undefined,
      })),
      { names: ['-h', '--help'], summary: 'help', values: undefined },
    ],
  };
  const children = command.commands.flatMap((child) =>
    commandWords(child, path === '' ? child.name() : `${path} ${child.name()}`),
  );
  return [own, ...children];
}
