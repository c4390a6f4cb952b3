// Where a command looks for a name that it has no record of.
import type { Search } from '@podtrail/history/wire';
import type { Cli, OpenLedger } from '../cli.ts';

export function searchOf({ now, commandEnv, visibility }: Cli, { engine, cluster }: OpenLedger): Search {
  const monotonic = () => commandEnv.clock.monotonic();
  return { reader: engine, visibility, cluster: cluster.id, now, monotonic };
}
