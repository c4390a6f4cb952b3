// `podtrail doctor`: looks at everything that podtrail needs, and says what to do about what is missing.
import type { Command } from 'commander';
import type { Cli } from '../cli.ts';
import { checkAsking } from '../doctor/check-asking.ts';
import { checkCluster } from '../doctor/check-cluster.ts';
import { checkFileSystem } from '../doctor/check-file-system.ts';
import { checkMachine } from '../doctor/check-machine.ts';
import { checkStore } from '../doctor/check-store.ts';
import type { Finding } from '../doctor/finding.ts';
import { EXIT, type ExitCode } from '../exit-codes.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { type StoreLimitOptions, storeLimit, withStoreLimit } from '../options/store-limit.ts';
import { storeUrl } from '../options/store-url.ts';
import { type Listing, printListing } from '../output/print.ts';

interface DoctorOptions extends SharedOptions, StoreLimitOptions {}

export function doctorCommand(cli: Cli): Command {
  return withStoreLimit(
    cli.command('doctor', 'Look at everything that podtrail needs: this machine, the store, the cluster.', [
      ...(['kubeconfig', 'context', 'store', 'server', 'output', 'headers'] as const),
    ]),
  )
    .addHelpText('after', '\nExit code 1 when something failed, 6 when only rights are missing. Changes nothing.')
    .action(cli.does((options: DoctorOptions) => run(cli, options)));
}

async function run(cli: Cli, options: DoctorOptions): Promise<ExitCode> {
  const { commandEnv } = cli;
  const store = storeUrl(options.store, commandEnv);
  const findings = [
    ...checkMachine(process.versions),
    ...(await checkFileSystem(store, commandEnv)),
    ...(await checkStore(store, storeLimit(options, commandEnv), commandEnv)),
    ...(await checkAsking(options, commandEnv)),
    ...(await checkCluster({ kubeconfig: options.kubeconfig, context: options.context }, commandEnv)),
  ];
  const listing: Listing<Finding> = {
    rows: findings,
    document: { findings },
    columns: [
      { header: 'CHECK', cell: (f) => f.check },
      { header: 'RESULT', cell: (f) => f.result },
      { header: 'DETAIL', cell: (f) => f.detail },
    ],
    csv: [
      { name: 'check', value: (f) => f.check },
      { name: 'result', value: (f) => f.result },
      { name: 'detail', value: (f) => f.detail },
      { name: 'hint', value: (f) => f.hint ?? '' },
    ],
    json: (finding) => finding,
    name: (f) => `${f.result}/${f.check}`,
  };
  await printListing(listing, cli.print(options));
  const failed = findings.filter(({ result }) => result === 'failed');
  for (const { check, hint } of findings) if (hint !== undefined) await cli.note(`${check}: ${hint}`);
  if (failed.length === 0) return EXIT.answered;
  return failed.every(({ check }) => check.startsWith('may watch')) ? EXIT.forbidden : EXIT.error;
}
