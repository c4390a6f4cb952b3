// POST /api/v1/commands: a command that asks, run for a caller; what it printed is the answer.
import { type AskedLedger, jsonReply, type Operation } from '@podtrail/operator/serving';
import type { CommandEnv } from '../command-env.ts';
import { commandRunner } from './command-runner.ts';
import { commandSchema, ranSchema } from './command-schemas.ts';
import { COMMANDS_PATH, MOST_BODY_BYTES } from './remote-command.ts';

export function commandRoute(ledger: AskedLedger, commandEnv: Pick<CommandEnv, 'clock' | 'random'>): Operation {
  const run = commandRunner(ledger, commandEnv);
  return {
    ...{ method: 'POST', path: COMMANDS_PATH, id: 'commands' },
    summary: 'Runs a command of podtrail that asks, as `podtrail --server` does, and gives back what it printed.',
    body: { 'application/json': commandSchema },
    reply: { 'application/json': ranSchema },
    handle: async (request) => {
      const posted = await request.body.json(MOST_BODY_BYTES);
      const { caller, signal } = request;
      return jsonReply(await run(posted, { caller, visibility: await request.visibility(), signal }));
    },
  };
}
