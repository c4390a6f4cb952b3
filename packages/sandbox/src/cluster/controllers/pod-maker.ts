// Makes the pods of a workload from its template.
import type { KubeObject } from '../../api/cluster-api.ts';
import type { PodSpec } from '../pod-object.ts';
import type { World } from '../world.ts';
import { recordCreated } from './owner-events.ts';
import { ownedBy, type PodTemplate } from './workload-object.ts';

export interface PodRequest {
  readonly owner: KubeObject;
  readonly template: PodTemplate;
  /** Without one, a name is generated from the owner's. */
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Partial<PodSpec>;
}

const SUFFIX = 5;

/** False when the API server refused it (its namespace is going, say). */
export function makePod(world: World, request: PodRequest): boolean {
  const { owner, template } = request;
  const generateName = `${owner.metadata.name}-`;
  const name = request.name ?? generateName + world.random.suffix(SUFFIX);
  const labels = { ...template.metadata?.labels, ...request.labels };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      ...(request.name === undefined ? { generateName } : {}),
      namespace: owner.metadata.namespace,
      labels,
      ...(template.metadata?.annotations === undefined ? {} : { annotations: template.metadata.annotations }),
      ownerReferences: [ownedBy(owner)],
    },
    spec: { ...template.spec, ...request.spec },
  };
  if (world.attempt(() => world.api.create('pods', pod)) === undefined) return false;
  recordCreated(world, owner, name);
  return true;
}
