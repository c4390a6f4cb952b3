// The history port as a task of the operator: one TLS server on the ledger with two lists of routes, the aggregated API
// and the HTTP API; who may ask, and the registration. Why it is not served is reported in the log.
import { randomUUID } from 'node:crypto';
import type { Cluster, LedgerReader } from '@podtrail/history';
import { epochMillis } from '@podtrail/history/wire';
import type { Client, Clock, Informer, MetadataOnlyView, PodView, Random } from '@podtrail/machinery';
import type { Registry } from 'prom-client';
import type { PodTracker } from '../crds/podtracker.ts';
import { HistoryMetrics } from '../metrics/history-metrics.ts';
import { BearerTokens, TOKEN_REVIEWS, type TokenReview } from '../serving/access/bearer-tokens.ts';
import { ClusterAccess } from '../serving/access/cluster-access.ts';
import { FrontProxyConfig } from '../serving/access/front-proxy-config.ts';
import { ACCESS_REVIEWS, type AccessReview, PodRights, type StandingNamespace } from '../serving/access/pod-rights.ts';
import {
  aggregatedRoutes,
  isClusterPath,
  Registration,
  type ServiceAddress,
  ServingTls,
  statusReply,
} from '../serving/aggregated/index.ts';
import { followPresent } from '../serving/aggregated/present-index.ts';
import { AskedLedger } from '../serving/api/asked-ledger.ts';
import { oneCluster } from '../serving/api/one-cluster.ts';
import type { TrackerSource } from '../serving/api/trackers-route.ts';
import type { AccessLogEntry } from '../serving/http/access-log.ts';
import { HttpServer } from '../serving/http/http-server.ts';
import { renderProblem } from '../serving/http/problem-reply.ts';
import { RateLimit } from '../serving/http/rate-limit.ts';
import type { Route } from '../serving/http/route.ts';
import { PeerAddresses } from '../serving/peers/peer-addresses.ts';
import { PeerConnections } from '../serving/peers/peer-connection.ts';
import { peerRoute } from '../serving/peers/peer-route.ts';
import { PeerTrust } from '../serving/peers/peer-trust.ts';
import { PeeredReader } from '../serving/peers/peered-reader.ts';
import { isLoopback } from './conversion-claim.ts';
import { type Log, problemOf } from './log.ts';

export interface HistoryTaskOptions {
  readonly client: Client;
  readonly reader: Pick<LedgerReader, 'clusters' | 'snapshot'>;
  readonly cluster: Cluster;
  readonly clock: Clock;
  readonly random: Random;
  readonly log: Log;
  /** This replica, as its certificates and versions have it. */
  readonly identity: string;
  readonly pods: Informer<PodView>;
  readonly namespaces: Informer<MetadataOnlyView>;
  readonly host: string;
  readonly port: number;
  readonly service: ServiceAddress;
  /** It leads to an address of this machine alone: for tests and trials beside a cluster. */
  readonly isServiceLocal: boolean;
  /** The headless Service of all replicas, in the namespace of the other. */
  readonly peersService?: string | undefined;
  /** What is served beside the aggregated API, with problem documents: /api/v1, /openapi.json, /mcp. */
  readonly routes?: ((ledger: AskedLedger, trackers: TrackerSource) => readonly Route[]) | undefined;
  readonly trackers: Informer<PodTracker>;
  /** A line for each request; otherwise only for those that failed by a fault of ours. */
  readonly accessLog?: boolean | undefined;
  readonly registry: Registry;
}

/** Of each caller; kubectl asks once or a few times for each page. */
const RATE = { perSecond: 50, burst: 200 };
/** On the store at once, of all callers: it is the recorder's, too. */
const QUESTIONS = { atOnce: 8, mostOfOne: 4, mostWaiting: 256, mostWaitingOfOne: 64, waitMs: 10_000 };
const MOST_CONNECTIONS = 512;
/** The manager waits for two seconds. */
const CLOSE_MS = 1_000;
const PEERS_SERVICE = 'podtrail-peers';
/** Audience of tokens that are sent to the operator itself. */
const AUDIENCE = 'podtrail';

/** Undefined where no API server could reach it. */
export function historyTask(options: HistoryTaskOptions): ((signal: AbortSignal) => Promise<void>) | undefined {
  const { clock, random, client, log, identity, host, port, service, cluster } = options;
  if (isLoopback(host) && !options.isServiceLocal) {
    const why = `no Service leads to ${host}; in a cluster give --bind ::`;
    log.info('the history API is not served from here', { why });
    return undefined;
  }
  const report = changedProblems(log);
  const metrics = new HistoryMetrics(options.registry);
  return async (signal) => {
    const registration = new Registration({
      ...{ client, clock, service, identity },
      onRegistered: () =>
        log.info('the history API is registered', { service: `${service.namespace}/${service.name}` }),
      onBundle: (bundle) => peers.trust(bundle),
      onError: report('the history API is not registered; trying again'),
      onNoDeadline: report('nothing would remove the APIService if all replicas died at once; trying again'),
    });
    const peers = new PeerTrust(() => clock.now());
    const addresses = new PeerAddresses({
      ...{ client, clock, service: { namespace: service.namespace, name: options.peersService ?? PEERS_SERVICE } },
      onError: report('where other replicas are could not be read; they are not asked'),
    });
    const connections = new PeerConnections(() => ({
      ...{ certificate: registration.certificate, bundle: peers.bundle },
      serverName: `${service.name}.${service.namespace}.svc`,
    }));
    const reader = new PeeredReader({
      ...{ own: options.reader, identity, clock, session: randomUUID, addresses: () => addresses.known },
      send: (address, body, ends) => connections.send(address, body, ends),
      onFailure: ({ peer, why, cause }) =>
        log.warn('another replica could not be asked', { peer, why, problem: cause && problemOf(cause) }),
    });
    const tls = new ServingTls(registration.certificate);
    const frontProxy = new FrontProxyConfig({
      ...{ transport: client.transport, clock, random },
      onTrust: (trust) => tls.trust(trust?.clientCa),
      onError: report('front proxies are not trusted; trying again'),
    });
    const ledger = new AskedLedger(oneCluster(reader, cluster), clock, QUESTIONS);
    const rights = rightsOf(options, metrics, report);
    const { present, end: endPresent } = followPresent(options.pods);
    const server = await HttpServer.start({
      ...{ host, port, clock, tls: tls.options },
      access: peers.within(accessOf(options, frontProxy, metrics, rights)),
      routes: [
        ...aggregatedRoutes({ ledger, cluster, clock, replica: identity, present }),
        ...(options.routes?.(ledger, () => knownTrackers(options.trackers)) ?? []),
        peerRoute({ reader: options.reader, cluster, identity, clock, isPeer: peers.isPeer }),
      ],
      rateLimit: new RateLimit({ ...RATE, now: () => clock.monotonic() }),
      limits: { mostConnections: MOST_CONNECTIONS },
      renderProblem: (problem, requestId, path) =>
        isClusterPath(path) ? statusReply(problem, path) : renderProblem(problem, requestId),
      log: (entry) => {
        metrics.answered(entry);
        logRequest(log, entry, options.accessLog === true);
      },
      onDropped: (dropped) => {
        metrics.dropped(dropped);
        if (options.accessLog === true) log.info('connection dropped', { ...dropped });
      },
    });
    metrics.watch(ledger, server, rights);
    tls.serve(server);
    log.info('the history API listens', { host, port: server.port });
    try {
      const at = { host, port: server.port };
      await untilOneFails(signal, [
        (ends) => frontProxy.run(ends),
        (ends) => registration.run(tls, at, ends),
        (ends) => addresses.run(ends),
      ]);
    } finally {
      endPresent();
      connections.close();
      await server.close(CLOSE_MS);
    }
  };
}

/**
 * All of them until the signal aborts. Where one fails the others end in order first: while nobody serves, nobody may stay
 * registered, because namespaces could not be deleted.
 */
export async function untilOneFails(
  signal: AbortSignal,
  tasks: readonly ((signal: AbortSignal) => Promise<void>)[],
): Promise<void> {
  const failed = new AbortController();
  const ends = AbortSignal.any([signal, failed.signal]);
  const results = await Promise.allSettled(
    tasks.map(async (task) => {
      try {
        await task(ends);
      } catch (error) {
        failed.abort();
        throw error;
      }
    }),
  );
  for (const result of results) if (result.status === 'rejected') throw result.reason;
}

function accessOf(
  { client, clock }: HistoryTaskOptions,
  frontProxy: FrontProxyConfig,
  metrics: HistoryMetrics,
  rights: PodRights,
): ClusterAccess {
  const tokens = client.resource<TokenReview>(TOKEN_REVIEWS);
  return new ClusterAccess({
    frontProxy: () => frontProxy.trust,
    tokens: new BearerTokens({
      ...{ audiences: [AUDIENCE], clock },
      reviews: metrics.counted('token', tokens, ({ status }) => status?.authenticated === true),
    }),
    rights,
  });
}

function rightsOf(
  { client, clock, namespaces }: HistoryTaskOptions,
  metrics: HistoryMetrics,
  report: ReturnType<typeof changedProblems>,
): PodRights {
  const reviews = client.resource<AccessReview>(ACCESS_REVIEWS);
  return new PodRights({
    ...{ clock, reviews: metrics.counted('access', reviews, ({ status }) => status?.allowed === true) },
    namespaces: () => standingNamespaces(namespaces),
    onError: report('what a caller may see could not be found out; it sees nothing'),
  });
}

/** Bugs of ours always. */
function logRequest(log: Log, { error, ...entry }: AccessLogEntry, isLogged: boolean): void {
  if (isLogged) log.info('request', entry);
  if (error === undefined) return;
  const { requestId, route } = entry;
  const stack = error instanceof Error ? error.stack : undefined;
  log.error('a question to the history API failed', { requestId, route, problem: problemOf(error), stack });
}

/** Also without the definition there is a cache, which is empty and not in sync. */
function knownTrackers({ synced, lister }: Informer<PodTracker>): readonly PodTracker[] | undefined {
  return synced ? lister.list() : undefined;
}

function standingNamespaces({ synced, lister }: Informer<MetadataOnlyView>): readonly StandingNamespace[] | undefined {
  if (!synced) return undefined;
  return lister.list().flatMap(({ metadata: { name, uid, creationTimestamp } }) => {
    return creationTimestamp === undefined ? [] : [{ name, uid, created: epochMillis(creationTimestamp) }];
  });
}

/** It looks again and again: the same sentence each time says nothing. */
function changedProblems(log: Log): (message: string) => (error: unknown) => void {
  return (message) => {
    let last = '';
    return (error) => {
      const problem = problemOf(error);
      const { hint } = (error ?? {}) as { readonly hint?: string };
      if (problem !== last) log.warn(message, { problem, hint });
      last = problem;
    };
  };
}
