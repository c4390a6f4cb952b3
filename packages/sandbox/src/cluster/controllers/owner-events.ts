// What a controller says of the pods that it makes and removes, on their owner: in the words of the real ones, which
// e2e/sandbox-events.test.ts compares. The StatefulSet's are its own; the others share a library, and so their words.
import type { KubeObject } from '../../api/cluster-api.ts';
import type { PodObject } from '../pod-object.ts';
import type { World } from '../world.ts';

const COMPONENTS: Readonly<Record<string, string>> = {
  ReplicaSet: 'replicaset-controller',
  StatefulSet: 'statefulset-controller',
  DaemonSet: 'daemonset-controller',
  Job: 'job-controller',
  Deployment: 'deployment-controller',
};

export interface OwnerEvent {
  readonly type?: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

export function recordOnOwner({ events }: World, owner: KubeObject, event: OwnerEvent): void {
  const component = COMPONENTS[owner.kind ?? ''] ?? 'controller';
  events.record({ about: owner, type: 'Normal', component, ...event });
}

export function recordCreated(world: World, owner: KubeObject, pod: string): void {
  const { name } = owner.metadata;
  const message =
    owner.kind === 'StatefulSet' ? `Create Pod ${pod} in StatefulSet ${name} successful` : `Created pod: ${pod}`;
  recordOnOwner(world, owner, { reason: 'SuccessfulCreate', message });
}

/** Deletes a pod as its controller does, and says so. */
export function removePod(world: World, owner: KubeObject, { metadata }: Pick<PodObject, 'metadata'>): void {
  const { namespace, name, uid } = metadata;
  const isDone = world.attempt(() => {
    world.api.delete('pods', namespace, name, { uid });
    return true;
  });
  if (isDone !== true) return;
  const set = owner.metadata.name;
  const message =
    owner.kind === 'StatefulSet' ? `Delete Pod ${name} in StatefulSet ${set} successful` : `Deleted pod: ${name}`;
  recordOnOwner(world, owner, { reason: 'SuccessfulDelete', message });
}
