// The tree of commands. Each is a file in commands/; those of later parts are named here so that asking for one gives
// a true sentence, and nothing pretends.
import type { Command } from 'commander';
import type { Cli } from './cli.ts';
import { annotationsCommand } from './commands/annotations.ts';
import { attributeCommand } from './commands/attribute.ts';
import { changesCommand } from './commands/changes.ts';
import { completionCommand } from './commands/completion.ts';
import { demoCommand } from './commands/demo.ts';
import { doctorCommand } from './commands/doctor.ts';
import { exportCommand } from './commands/export.ts';
import { footprintsCommand } from './commands/footprints.ts';
import { gapsCommand } from './commands/gaps.ts';
import { importCommand } from './commands/import.ts';
import { nodeCommand } from './commands/node.ts';
import { operatorCommand } from './commands/operator.ts';
import { recordCommand } from './commands/record.ts';
import { sandboxCommand } from './commands/sandbox.ts';
import { storeCommand } from './commands/store.ts';
import { trailCommand } from './commands/trail.ts';
import { versionCommand } from './commands/version.ts';
import { whoCommand } from './commands/who.ts';
import { UsageError } from './errors.ts';
import { nearest } from './views/never-seen.ts';

const LATER = new Set([...['moves', 'explain', 'audit', 'serve'], ...['render', 'install', 'uninstall', 'mcp']]);

export function buildProgram(cli: Cli): Command {
  const program = cli
    .root()
    .description('Which pod held this IP at that instant, on which node? A durable, honest history of where pods were.')
    .helpCommand('help [command]', 'help for a command')
    .showSuggestionAfterError(true);
  for (const command of [
    demoCommand(cli),
    recordCommand(cli),
    operatorCommand(cli),
    whoCommand(cli),
    trailCommand(cli),
    nodeCommand(cli),
    changesCommand(cli),
    gapsCommand(cli),
    footprintsCommand(cli),
    annotationsCommand(cli),
    attributeCommand(cli),
    exportCommand(cli),
    importCommand(cli),
    storeCommand(cli),
    sandboxCommand(cli),
    doctorCommand(cli),
    completionCommand(cli),
    versionCommand(cli),
  ])
    program.addCommand(command);
  return program.addHelpText('after', TIMES_AND_CODES);
}

/** `help` with a word that is no command would show the help of everything, and not say why. */
export function refuseUnknownHelp([help, name]: readonly string[], { commands }: Command): void {
  if (help !== 'help' || name === undefined || name.startsWith('-')) return;
  const names = commands.map((command) => command.name());
  if (name === 'help' || names.includes(name)) return;
  const near = nearest(name, names);
  throw new UsageError(
    `there is no command ${name}${near === undefined ? '' : ` (did you mean ${near}?)`}`,
    'podtrail help lists what there is.',
  );
}

export function refuseLaterCommand([name = '']: readonly string[]): void {
  if (!LATER.has(name)) return;
  throw new UsageError(`podtrail ${name} is not built yet`, 'podtrail help lists what there is.');
}

const TIMES_AND_CODES = `
Times: an age (15m, 1h30m, 15m ago), RFC 3339, YYYY-MM-DD[THH:MM[:SS]], epoch seconds or milliseconds.
Exit codes: 0 answered, 1 error, 2 usage, 3 free or no record, 4 ambiguous, 5 unknown, 6 forbidden, 130 interrupted.`;
