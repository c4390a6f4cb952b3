// Whether a server of the API lives and can answer: for what watches over it (systemd, a monitor). The operator has its own
// port for that. Nothing of the ledger is in them, so they are for anyone.
import type { AskedLedger } from '../api/asked-ledger.ts';
import { textReply } from './reply.ts';
import type { Route } from './route.ts';

export function probeRoutes(ledger: AskedLedger): readonly Route[] {
  const ok = () => textReply(200, 'ok\n');
  return [
    { method: 'GET', path: '/livez', audience: 'anyone', handle: async () => ok() },
    {
      method: 'GET',
      path: '/readyz',
      audience: 'anyone',
      // Read once a second at most, however often somebody asks. Rejects with the problem of the store.
      handle: async () => {
        await ledger.ask(() => ledger.clusters());
        return ok();
      },
    },
  ];
}
