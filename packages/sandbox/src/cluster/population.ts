// Fills an empty cluster: namespaces, services and workloads of about so many pods.
import type { ClusterApi } from '../api/cluster-api.ts';
import { CATALOGUE, type CatalogueEntry, DAEMONS, type DaemonEntry, JOBS } from './workload-catalogue.ts';

export interface Population {
  /** About so many, daemons included. */
  readonly pods: number;
  /** How many kinds of daemons run on each node; at most three. */
  readonly daemons?: number;
  /** At most so many namespaces of workloads; by default as many as the pods fill sensibly. */
  readonly namespaces?: number;
  /** With disruption budgets for some workloads, drains take longer. */
  readonly budgets?: boolean;
}

/** A workload of more pods than this is split over regions. */
const LARGEST = 60;
const REGIONS = ['eu', 'us', 'asia', 'africa', 'south', 'north', 'east', 'west'];
const BUDGETED = ['ledger', 'auth', 'ingress'];

interface Sized extends CatalogueEntry {
  readonly size: number;
}

export function populate(api: ClusterApi, nodes: number, population: Population): void {
  const daemons = DAEMONS.slice(0, population.daemons ?? DAEMONS.length);
  const workloads = sized(population.pods - daemons.length * nodes, population.namespaces);
  const namespaces = [...workloads, ...daemons, ...(population.namespaces === undefined ? JOBS : [])];
  for (const namespace of new Set(namespaces.map((one) => one.namespace))) {
    if (api.get('namespaces', undefined, namespace) !== undefined) continue;
    api.create('namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  }
  for (const daemon of daemons) api.create('daemonsets.apps', daemonSet(daemon));
  for (const workload of workloads) {
    api.create('services', service(workload));
    api.create(workload.kind === 'Deployment' ? 'deployments.apps' : 'statefulsets.apps', workloadObject(workload));
    if (population.budgets === true && BUDGETED.includes(workload.name)) {
      api.create('poddisruptionbudgets.policy', budget(workload));
    }
  }
}

/** Shares the pods out; small populations have fewer workloads rather than workloads of one. */
function sized(pods: number, mostNamespaces: number | undefined): Sized[] {
  const names = [...new Set(CATALOGUE.map(({ namespace }) => namespace))].slice(0, mostNamespaces);
  const offered = CATALOGUE.filter(({ namespace }) => names.includes(namespace));
  const entries = offered.slice(0, Math.max(2, Math.ceil(pods / 4)));
  const regions = Math.max(1, Math.ceil(pods / (entries.length * (LARGEST / 2))));
  const all: CatalogueEntry[] = [];
  for (let region = 0; region < regions; region++) {
    for (const entry of entries) {
      const suffix =
        region === 0 ? '' : `-${REGIONS[(region - 1) % REGIONS.length]}${region > REGIONS.length ? region : ''}`;
      all.push({ ...entry, namespace: entry.namespace + suffix });
    }
  }
  const fixed = all.reduce((sum, { replicas = 0 }) => sum + replicas, 0);
  const weights = all.reduce((sum, { weight }) => sum + weight, 0);
  let left = Math.max(0, pods - fixed);
  const perWeight = left / Math.max(1, weights);
  return all.map((entry): Sized => {
    if (entry.replicas !== undefined) return { ...entry, size: entry.replicas };
    const size = Math.max(1, Math.min(left, Math.round(entry.weight * perWeight)));
    left -= size;
    return { ...entry, size };
  });
}

function template(name: string, port: number, probed: boolean): object {
  return {
    metadata: { labels: { app: name } },
    spec: {
      containers: [
        {
          name,
          image: `registry.sandbox.local/${name}:1.0.0`,
          ports: [{ containerPort: port }],
          resources: { requests: { cpu: '50m', memory: '64Mi' } },
          ...(probed ? { readinessProbe: { tcpSocket: { port } } } : {}),
        },
      ],
    },
  };
}

function workloadObject({ namespace, name, kind, size, port, probed = false }: Sized): object {
  const labels = { app: name };
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name, namespace, labels },
    spec: {
      replicas: size,
      selector: { matchLabels: labels },
      template: template(name, port, probed),
      ...(kind === 'StatefulSet' ? { serviceName: name } : { revisionHistoryLimit: 2 }),
    },
  };
}

function service({ namespace, name, port }: Sized): object {
  const labels = { app: name };
  return {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name, namespace, labels },
    spec: { selector: labels, ports: [{ name: 'main', port, targetPort: port }] },
  };
}

function daemonSet({ namespace, name, hostNetwork, port }: DaemonEntry): object {
  const labels = { app: name };
  const { metadata, spec } = template(name, port, false) as { metadata: object; spec: object };
  return {
    apiVersion: 'apps/v1',
    kind: 'DaemonSet',
    metadata: { name, namespace, labels },
    spec: {
      selector: { matchLabels: labels },
      template: { metadata, spec: hostNetwork ? { ...spec, hostNetwork } : spec },
    },
  };
}

function budget({ namespace, name }: Sized): object {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace },
    spec: { maxUnavailable: '20%', selector: { matchLabels: { app: name } } },
  };
}
