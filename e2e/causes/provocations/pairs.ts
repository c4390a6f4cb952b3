// Two reasons for the same pod, in random pairs: the first one is the cause, whatever comes on top of it while the pod is
// still there.
import type { Cause } from '@podtrail/history';
import { publishDevices, taintDevices } from '../devices.ts';
import type { WatchedPod } from '../pod-watch.ts';
import { ADMIN, type Provocation } from '../provocation.ts';
import type { Scene, WorkloadOptions } from '../scene.ts';

interface Place {
  readonly scene: Scene;
  readonly pod: WatchedPod;
  readonly node: string;
}

interface Reason {
  readonly name: string;
  /** What the pod needs for it, if it is the first one. */
  readonly prepare?: (scene: Scene, node: string) => Promise<WorkloadOptions>;
  readonly act: (place: Place) => Promise<unknown>;
}

const deleted: Reason = { name: 'deletion', act: ({ scene, pod }) => scene.remove(scene.podPath(pod)) };
const forced: Reason = {
  name: 'deletion by force',
  act: ({ scene, pod }) => scene.remove(scene.podPath(pod), { gracePeriodSeconds: 0 }),
};
const evicted: Reason = { name: 'eviction', act: ({ scene, pod }) => scene.evict(pod) };
const cordoned: Reason = {
  name: 'cordon',
  act: ({ scene, node }) => scene.patch(`/api/v1/nodes/${node}`, { spec: { unschedulable: true } }),
};
const tainted: Reason = { name: 'taint', act: (place) => taint(place, 'broken=yes:NoExecute') };
const deviceTainted: Reason = {
  name: 'taint of a device',
  prepare: async (scene, node) => ({ podSpec: await publishDevices(scene, { node, count: 1 }) }),
  act: async (place) => {
    await taintDevices(place.scene, { node: place.node, count: 1 });
    await marked(place);
  },
};
const outOfService: Reason = {
  name: 'out-of-service taint',
  act: (place) => taint(place, 'node.kubernetes.io/out-of-service=nodeshutdown:NoExecute'),
};
const scaled: Reason = {
  name: 'scale-down',
  act: ({ scene }) => scene.patch(scene.workload('deployments'), { spec: { replicas: 0 } }),
};
const rolledOut: Reason = {
  name: 'rollout',
  act: ({ scene }) =>
    scene.patch(scene.workload('deployments'), { spec: { template: { metadata: { labels: { version: 'next' } } } } }),
};
const ownerDeleted: Reason = {
  name: 'deletion of the Deployment',
  act: ({ scene }) => scene.remove(scene.workload('deployments'), { propagationPolicy: 'Background' }),
};
const namespaceDeleted: Reason = {
  name: 'deletion of the namespace',
  act: ({ scene }) => scene.remove(`/api/v1/namespaces/${scene.namespace}`),
};

const SECONDS: readonly Reason[] = [
  ...[deleted, forced, evicted, cordoned, tainted, outOfService, scaled, rolledOut, ownerDeleted, namespaceDeleted],
];

/** kubectl waits for the answer of the API server; the controller that evicts for a taint shows its own mark. */
async function taint(place: Place, what: string): Promise<void> {
  await place.scene.kubectl('taint', 'node', place.node, what, '--overwrite');
  await marked(place);
}

async function marked({ scene, pod }: Place): Promise<void> {
  await scene.pods.until('the pod shows the taint', (all) => {
    const now = all.find(({ metadata }) => metadata.uid === pod.metadata.uid);
    const isDisrupted = now?.status.conditions?.some(
      ({ type, status }) => type === 'DisruptionTarget' && status === 'True',
    );
    return now === undefined || isDisrupted ? true : undefined;
  });
}

export const deletedFirst = first(deleted, 'DeletedOnRequest', 'the deletion came first', { actor: ADMIN });
export const evictedFirst = first(evicted, 'Evicted', 'the DisruptionTarget that came first', { actor: ADMIN });
export const taintedFirst = first(tainted, 'Taint', 'the DisruptionTarget that came first', {
  sentence: /the taint broken=yes:NoExecute of/,
});
export const deviceTaintedFirst = first(deviceTainted, 'DeviceTaint', 'the DisruptionTarget that came first');
export const scaledFirst = first(scaled, 'ScaledDown', 'event `SuccessfulDelete` of its ReplicaSet, which came first');
export const rolledOutFirst = first(
  rolledOut,
  'Rollout',
  'event `SuccessfulDelete` of its ReplicaSet, which came first',
);
export const ownerFirst = first(ownerDeleted, 'OwnerDeleted', 'the deletion of its Deployment came first');
export const namespaceFirst = first(namespaceDeleted, 'NamespaceDeleted', 'the deletion of its namespace came first');

function first(
  reason: Reason,
  cause: Cause,
  evidence: string,
  more: Pick<Provocation, 'actor' | 'sentence'> = {},
): Provocation {
  return {
    ...{ name: `${reason.name}, then another reason on top`, cause, by: 'control plane', evidence, ...more },
    async provoke(scene) {
      const node = await scene.node();
      const needs = await reason.prepare?.(scene, node);
      const [pod] = await scene.deployment({ ...needs, node, isHeld: true });
      const place = { scene, pod: pod!, node };
      await reason.act(place);
      const ended = await scene.ended(pod!);
      // It may come too late, or be refused.
      await scene
        .pick(SECONDS.filter(({ name }) => name !== reason.name))
        .act(place)
        .catch(() => {});
      await scene.release(pod!);
      return ended;
    },
  };
}
