// Makes the pods of a workload from its template.
import type { KubeObject } from '../../api/cluster-api.ts';
import type { PodSpec } from '../pod-object.ts';
import type { World } from '../world.ts';
import { ownedBy, type PodTemplate } from './workload-object.ts';

export interface PodWish {
  readonly owner: KubeObject;
  readonly template: PodTemplate;
  /** Without one, a name is generated from the owner's. */
  readonly name?: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly spec?: Partial<PodSpec>;
}

const SUFFIX = 5;

/** False when the API server refused it (its namespace is going, say). */
export function makePod(world: World, wish: PodWish): boolean {
  const { owner, template } = wish;
  const generateName = `${owner.metadata.name}-`;
  const name = wish.name ?? generateName + world.random.suffix(SUFFIX);
  const labels = { ...template.metadata?.labels, ...wish.labels };
  const pod = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name,
      ...(wish.name === undefined ? { generateName } : {}),
      namespace: owner.metadata.namespace,
      labels,
      ...(template.metadata?.annotations === undefined ? {} : { annotations: template.metadata.annotations }),
      ownerReferences: [ownedBy(owner)],
    },
    spec: { ...template.spec, ...wish.spec },
  };
  return world.attempt(() => world.api.create('pods', pod)) !== undefined;
}
