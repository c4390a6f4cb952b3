// The aggregated API on a TLS port of its own, as the operator serves it, without a cluster: who asks is believed by the
// certificate of a front proxy alone, and may see everything. For requests that nobody should send (e2e/proof).
import type { Cluster } from '@podtrail/history';
import { ALL_VISIBLE } from '@podtrail/history/wire';
import type { Clock } from '@podtrail/machinery';
import { ClusterAccess } from '../access/cluster-access.ts';
import { clusterCommandRoutes } from '../aggregated/commands.ts';
import { aggregatedRoutes, isClusterPath, ServingTls, statusReply } from '../aggregated/index.ts';
import type { AskedLedger } from '../api/asked-ledger.ts';
import type { AccessLog } from '../http/access-log.ts';
import { HttpServer } from '../http/http-server.ts';
import { renderProblem } from '../http/problem-reply.ts';

export interface HistoryPortOptions {
  readonly ledger: AskedLedger;
  readonly cluster: Cluster;
  readonly clock: Clock;
  /** PEM, of the server. */
  readonly certificate: string;
  readonly key: string;
  /** PEM, of the authority of front proxies. */
  readonly clientCa: string;
  /** The common name of a front proxy. */
  readonly frontProxy: string;
  readonly log?: AccessLog;
}

export async function startHistoryPort(options: HistoryPortOptions): Promise<HttpServer> {
  const { ledger, cluster, clock, certificate, key, clientCa, frontProxy, log } = options;
  const trust = {
    ...{ clientCa, allowedNames: [frontProxy], usernameHeaders: ['x-remote-user'], uidHeaders: ['x-remote-uid'] },
    ...{ groupHeaders: ['x-remote-group'], extraHeaderPrefixes: ['x-remote-extra-'] },
  };
  const tls = new ServingTls({ certificate, key, notAfter: Number.POSITIVE_INFINITY });
  tls.trust(clientCa);
  return await HttpServer.start({
    ...{ host: '127.0.0.1', port: 0, clock, tls: tls.options, log },
    access: new ClusterAccess({
      frontProxy: () => trust,
      tokens: { callerOf: async () => undefined },
      rights: { visibility: async () => ALL_VISIBLE },
    }),
    routes: [
      ...aggregatedRoutes({ ledger, cluster, clock, replica: 'one', present: () => undefined }),
      // The command line has what runs them.
      ...clusterCommandRoutes(async (spec) => ({ asked: spec === undefined ? 'nothing' : 'something' })),
    ],
    renderProblem: (problem, requestId, path) =>
      isClusterPath(path) ? statusReply(problem, path) : renderProblem(problem, requestId),
  });
}
