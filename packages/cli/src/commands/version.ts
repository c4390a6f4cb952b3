// `podtrail version`: what runs here.
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { EXIT } from '../exit-codes.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { type Listing, printListing } from '../output/print.ts';
import { podtrailVersion } from '../podtrail-version.ts';

interface Part {
  readonly name: string;
  readonly version: string;
}

export function versionCommand(cli: Cli): Command {
  return cli
    .command('version', 'The versions of podtrail, Node and SQLite.', ['output', 'headers'])
    .action(cli.does((options: SharedOptions) => run(cli, options)));
}

async function run(cli: Cli, options: SharedOptions) {
  const rows: Part[] = [
    { name: 'podtrail', version: podtrailVersion() },
    { name: 'node', version: process.versions.node },
    { name: 'sqlite', version: process.versions['sqlite'] ?? 'none' },
  ];
  const listing: Listing<Part> = {
    rows,
    document: Object.fromEntries(rows.map(({ name, version }) => [name, version])),
    columns: [
      { header: 'NAME', cell: (p) => p.name },
      { header: 'VERSION', cell: (p) => p.version },
    ],
    csv: [
      { name: 'name', value: (p) => p.name },
      { name: 'version', value: (p) => p.version },
    ],
    json: (part) => part,
    name: ({ name, version }) => `${name}/${version}`,
  };
  await printListing(listing, cli.print(options));
  return EXIT.answered;
}
