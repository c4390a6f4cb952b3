// Everything that is asked over HTTP, on one ledger: the questions with their description, flow logs, commands and tools.
// The same for `podtrail serve` and for the operator; who may ask is the server's business.
import type { Engine } from '@podtrail/history';
import { type AskedLedger, apiRoutes, mcpRoute, type Route, type TrackerSource } from '@podtrail/operator/serving';
import { attributeLog } from '../attribute/attribute-log.ts';
import type { CommandEnv } from '../command-env.ts';
import { podtrailVersion } from '../podtrail-version.ts';
import { commandRoute } from './command-route.ts';

export interface ApiOver {
  readonly engine: Pick<Engine, 'status'>;
  readonly commandEnv: Pick<CommandEnv, 'clock' | 'random'>;
  /** Only an operator follows them. */
  readonly trackers?: TrackerSource | undefined;
}

export function apiOver(ledger: AskedLedger, { engine, commandEnv, trackers }: ApiOver): readonly Route[] {
  const version = podtrailVersion();
  return [
    ...apiRoutes({ ledger, version, status: () => engine.status(), attribute: attributeLog, trackers }),
    commandRoute(ledger, commandEnv),
    mcpRoute({ ledger, version }),
  ];
}
