// The tree of commands. Each is a file in commands/; those of later parts are named here so that asking for one gives
// a true sentence, and nothing pretends.

import { nearest } from '@podtrail/history/wire';
import type { Command } from 'commander';
import type { Cli } from './cli.ts';
import { UsageError } from './errors.ts';

const LATER = new Set(['render', 'install', 'uninstall']);

type BuildCommand = (cli: Cli) => Command;

/** In the order of the help. */
const COMMANDS: readonly (readonly [name: string, load: () => Promise<BuildCommand>])[] = [
  ['demo', async () => (await import('./commands/demo.ts')).demoCommand],
  ['record', async () => (await import('./commands/record.ts')).recordCommand],
  ['operator', async () => (await import('./commands/operator.ts')).operatorCommand],
  ['who', async () => (await import('./commands/who.ts')).whoCommand],
  ['trail', async () => (await import('./commands/trail.ts')).trailCommand],
  ['node', async () => (await import('./commands/node.ts')).nodeCommand],
  ['changes', async () => (await import('./commands/changes.ts')).changesCommand],
  ['explain', async () => (await import('./commands/explain.ts')).explainCommand],
  ['moves', async () => (await import('./commands/moves.ts')).movesCommand],
  ['anomalies', async () => (await import('./commands/anomalies.ts')).anomaliesCommand],
  ['gaps', async () => (await import('./commands/gaps.ts')).gapsCommand],
  ['footprints', async () => (await import('./commands/footprints.ts')).footprintsCommand],
  ['annotations', async () => (await import('./commands/annotations.ts')).annotationsCommand],
  ['attribute', async () => (await import('./commands/attribute.ts')).attributeCommand],
  ['audit', async () => (await import('./commands/audit.ts')).auditCommand],
  ['export', async () => (await import('./commands/export.ts')).exportCommand],
  ['import', async () => (await import('./commands/import.ts')).importCommand],
  ['store', async () => (await import('./commands/store.ts')).storeCommand],
  ['serve', async () => (await import('./commands/serve.ts')).serveCommand],
  ['mcp', async () => (await import('./commands/mcp.ts')).mcpCommand],
  ['sandbox', async () => (await import('./commands/sandbox.ts')).sandboxCommand],
  ['doctor', async () => (await import('./commands/doctor.ts')).doctorCommand],
  ['completion', async () => (await import('./commands/completion.ts')).completionCommand],
  ['version', async () => (await import('./commands/version.ts')).versionCommand],
];

/** Only what the words name is loaded: a question need not wait for everything that records. */
export async function buildProgram(cli: Cli, [name]: readonly string[]): Promise<Command> {
  const program = cli
    .root()
    .description('Which pod held this IP at that instant, on which node? A durable, honest history of where pods were.')
    .helpCommand('help [command]', 'help for a command')
    .showSuggestionAfterError(true);
  for (const build of await loadCommands(name)) program.addCommand(build(cli));
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

/** Whoever asks for help, completes words or misspells a name needs the names of all. */
async function loadCommands(name: string | undefined): Promise<readonly BuildCommand[]> {
  const named = COMMANDS.filter(([known]) => known === name && known !== 'completion');
  return await Promise.all((named.length === 0 ? COMMANDS : named).map(([, load]) => load()));
}

export function refuseLaterCommand([name = '']: readonly string[]): void {
  if (!LATER.has(name)) return;
  throw new UsageError(`podtrail ${name} is not built yet`, 'podtrail help lists what there is.');
}

const TIMES_AND_CODES = `
Times: an age (15m, 1h30m, 15m ago), RFC 3339, YYYY-MM-DD[THH:MM[:SS]], epoch seconds or milliseconds.
Exit codes: 0 answered, 1 error, 2 usage, 3 free or no record, 4 ambiguous, 5 unknown, 6 forbidden, 130 interrupted.`;
