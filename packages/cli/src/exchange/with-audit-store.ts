// Opens a store for what an audit log says. While a recorder writes to it that is refused, with what to do then.
import { HistoryError } from '@podtrail/history';
import type { Cli } from '../cli.ts';
import { CliError } from '../errors.ts';
import type { SharedOptions } from '../options/shared-flags.ts';
import { AuditStore } from './audit-store.ts';
import { clusterFor } from './cluster-for.ts';

export async function withAuditStore<T>(
  cli: Cli,
  options: SharedOptions,
  use: (store: AuditStore) => Promise<T>,
): Promise<T> {
  try {
    return await cli.withStore(
      options,
      async (engine) => {
        const cluster = await clusterFor(engine, options.cluster, 'audit logs do');
        return await use(await AuditStore.open(engine, cluster, cli.now));
      },
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
