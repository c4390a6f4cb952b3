// POST /api/v1/commands: a command that asks, run for a caller; what it printed is the answer.
import { type AskedLedger, jsonReply, type Route } from '@podtrail/operator/serving';
import type { CommandEnv } from '../command-env.ts';
import { commandRunner } from './command-runner.ts';
import { COMMANDS_PATH, MOST_BODY_BYTES } from './remote-command.ts';

export function commandRoute(ledger: AskedLedger, commandEnv: Pick<CommandEnv, 'clock' | 'random'>): Route {
  const run = commandRunner(ledger, commandEnv);
  return {
    method: 'POST',
    path: COMMANDS_PATH,
    handle: async (request) => {
      const posted = await request.body.json(MOST_BODY_BYTES);
      const { caller, signal } = request;
      return jsonReply(await run(posted, { caller, visibility: await request.visibility(), signal }));
    },
  };
}
