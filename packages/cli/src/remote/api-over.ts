// Everything that is asked over HTTP, on one ledger: the questions with their description, flow logs, commands and tools.
// The same for `podtrail serve` and for the operator; who may ask is the server's business.
import { DEFAULT_SIZE_LIMIT, type Engine, type SizeLimit } from '@podtrail/history';
import { type AskedLedger, apiRoutes, mcpRoute, type Route, type TrackerSource } from '@podtrail/operator/serving';
import { attributeLog } from '../attribute/attribute-log.ts';
import type { CommandEnv } from '../command-env.ts';
import { podtrailVersion } from '../podtrail-version.ts';
import { commandRoute } from './command-route.ts';

export interface ApiOver {
  readonly engine: Pick<Engine, 'status' | 'room'>;
  /** How large the store may become; undefined where another process records and knows. */
  readonly storeLimit?: SizeLimit | undefined;
  readonly commandEnv: Pick<CommandEnv, 'clock' | 'random'>;
  /** Only an operator follows them. */
  readonly trackers?: TrackerSource | undefined;
}

export function apiOver(ledger: AskedLedger, { engine, storeLimit, commandEnv, trackers }: ApiOver): readonly Route[] {
  const version = podtrailVersion();
  const status = async () => {
    const { limitBytes, volume } = await engine.room(storeLimit ?? DEFAULT_SIZE_LIMIT);
    return { ...(await engine.status()), volume, limitBytes: storeLimit === undefined ? undefined : limitBytes };
  };
  const more = [commandRoute(ledger, commandEnv), mcpRoute({ ledger, version })];
  return apiRoutes({ ledger, version, status, attribute: attributeLog, trackers, more });
}
