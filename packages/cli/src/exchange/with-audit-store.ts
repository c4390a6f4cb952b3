// Opens a store for what an audit log says. Only what the ledger knows is stored, so a store and a cluster that are not
// there are never meant: they are looked up for reading, and so are the files, before anything is written. While a
// recorder writes to the store that is refused, with what to do then.
import { HistoryError } from '@podtrail/history';
import type { Cli } from '../cli.ts';
import { CliError } from '../errors.ts';
import { chooseCluster } from '../options/choose-cluster.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { AuditStore } from './audit-store.ts';

export async function withAuditStore<T>(
  cli: Cli,
  files: readonly string[],
  options: SharedOptions,
  use: (store: AuditStore) => Promise<T>,
): Promise<T> {
  for (const file of files) if (file !== '-') await cli.commandEnv.mustBeReadable(file);
  const cluster = await cli.withStore(options, (engine) => chooseCluster(engine, options.cluster));
  try {
    return await cli.withStore(
      options,
      async (engine) => await use(await AuditStore.open(engine, cluster, cli.now)),
      'write',
    );
  } catch (error) {
    if (!(error instanceof HistoryError) || error.code !== 'store-in-use') throw error;
    throw new CliError(error.code, error.message, {
      hint: 'stop the recorder for the import, and start it again: it goes on where it stopped. An operator with an audit webhook takes the log while it runs.',
      cause: error,
    });
  }
}
