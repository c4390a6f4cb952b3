// The workloads of an invented company, so that what a demo shows reads like a cluster people know.

export interface CatalogueEntry {
  readonly namespace: string;
  readonly name: string;
  readonly kind: 'Deployment' | 'StatefulSet';
  /** Its share of the pods, relative to the others. */
  readonly weight: number;
  readonly port: number;
  /** Replicas, where their number does not grow with the cluster. */
  readonly replicas?: number;
  readonly probed?: boolean;
}

const deployment = (namespace: string, name: string, weight: number, port = 8080, probed = false): CatalogueEntry => ({
  namespace,
  name,
  kind: 'Deployment',
  weight,
  port,
  probed,
});

const statefulSet = (namespace: string, name: string, replicas: number, port: number): CatalogueEntry => ({
  namespace,
  name,
  kind: 'StatefulSet',
  weight: 0,
  port,
  replicas,
});

export const CATALOGUE: readonly CatalogueEntry[] = [
  deployment('shop', 'cart', 6),
  deployment('payments', 'ledger', 4, 8443, true),
  deployment('shop', 'web', 9, 8080, true),
  statefulSet('data', 'orders-db', 3, 5432),
  deployment('shop', 'catalog', 6),
  deployment('identity', 'auth', 5, 8443),
  deployment('shop', 'checkout', 5),
  deployment('payments', 'gateway', 4, 8443),
  statefulSet('messaging', 'kafka', 5, 9092),
  deployment('logistics', 'routing', 3),
  deployment('media', 'images', 5),
  deployment('shop', 'search', 6),
  deployment('analytics', 'ingest', 7),
  deployment('identity', 'sessions', 4),
  statefulSet('data', 'sessions-redis', 3, 6379),
  deployment('payments', 'fraud', 3),
  deployment('shop', 'recommendations', 4),
  deployment('logistics', 'tracking', 3),
  deployment('messaging', 'notifier', 4),
  deployment('media', 'transcoder', 4),
  deployment('analytics', 'query', 3),
  deployment('platform', 'ingress', 4, 8443, true),
  deployment('identity', 'profiles', 3),
  deployment('payments', 'payouts', 2),
  statefulSet('data', 'ledger-db', 3, 5432),
  deployment('messaging', 'mailer', 2),
  deployment('logistics', 'labels', 2),
  deployment('analytics', 'dashboards', 2),
  deployment('platform', 'registry', 2),
  deployment('platform', 'gitops', 1),
  deployment('monitoring', 'grafana', 1, 3000),
  statefulSet('monitoring', 'prometheus', 2, 9090),
];

export interface DaemonEntry {
  readonly namespace: string;
  readonly name: string;
  readonly hostNetwork: boolean;
  readonly port: number;
}

export const DAEMONS: readonly DaemonEntry[] = [
  { namespace: 'kube-system', name: 'kube-proxy', hostNetwork: true, port: 10256 },
  { namespace: 'kube-system', name: 'log-agent', hostNetwork: false, port: 2020 },
  { namespace: 'monitoring', name: 'node-exporter', hostNetwork: true, port: 9100 },
];

export interface JobEntry {
  readonly namespace: string;
  readonly name: string;
  /** Seconds a run takes. */
  readonly runs: readonly [least: number, most: number];
}

export const JOBS: readonly JobEntry[] = [
  { namespace: 'payments', name: 'settlement', runs: [10, 60] },
  { namespace: 'analytics', name: 'rollup', runs: [20, 120] },
  { namespace: 'media', name: 'thumbnails', runs: [4, 30] },
  { namespace: 'messaging', name: 'digest', runs: [5, 40] },
  { namespace: 'shop', name: 'price-import', runs: [8, 50] },
  { namespace: 'logistics', name: 'manifest', runs: [4, 20] },
];
