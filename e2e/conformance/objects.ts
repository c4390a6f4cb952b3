// The objects that cases create: small, valid on a real server, with what a case adds.
import type { Json } from './raw-client.ts';

type Metadata = Readonly<Record<string, unknown>>;

export const core = (namespace: string, resource: string): string => `/api/v1/namespaces/${namespace}/${resource}`;

export const apps = (namespace: string, resource: string): string =>
  `/apis/apps/v1/namespaces/${namespace}/${resource}`;

export const CONTAINER = { name: 'main', image: 'registry.k8s.io/pause:3.10' };

export function aConfigMap(name: string, data: Record<string, string> = {}, metadata: Metadata = {}): Json {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, ...metadata }, data };
}

export function aPod(name: string, spec: Record<string, unknown> = {}, metadata: Metadata = {}): Json {
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, ...metadata },
    spec: { containers: [CONTAINER], ...spec },
  };
}

export function aNode(name: string, labels: Record<string, string> = {}): Json {
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels } };
}

export function aWorkload(kind: 'Deployment' | 'ReplicaSet' | 'StatefulSet', name: string, replicas?: number): Json {
  return {
    apiVersion: 'apps/v1',
    kind,
    metadata: { name },
    spec: {
      ...(replicas === undefined ? {} : { replicas }),
      ...(kind === 'StatefulSet' ? { serviceName: name } : {}),
      selector: { matchLabels: { app: name } },
      template: { metadata: { labels: { app: name } }, spec: { containers: [CONTAINER] } },
    },
  };
}

/** A reference to an owner that was created before. */
export function ownedBy(owner: Json, more: Record<string, unknown> = {}): Json {
  const { apiVersion, kind, metadata } = owner;
  return { ownerReferences: [{ apiVersion, kind, name: metadata.name, uid: metadata.uid, ...more }] };
}
