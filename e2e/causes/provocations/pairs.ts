// Two reasons for the same pod, in random pairs: the first one is the cause, whatever comes on top of it while the pod is
// still there.
import type { Cause } from '@podtrail/history';
import type { WatchedPod } from '../pod-watch.ts';
import { ADMIN, type Provocation } from '../provocation.ts';
import type { Scene } from '../scene.ts';

interface Place {
  readonly scene: Scene;
  readonly pod: WatchedPod;
  readonly node: string;
}

interface Reason {
  readonly name: string;
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
async function taint({ scene, pod, node }: Place, what: string): Promise<void> {
  await scene.kubectl('taint', 'node', node, what, '--overwrite');
  await scene.pods.until('the pod shows the taint', (all) => {
    const now = all.find(({ metadata }) => metadata.uid === pod.metadata.uid);
    const isMarked = now?.status.conditions?.some(
      ({ type, status }) => type === 'DisruptionTarget' && status === 'True',
    );
    return now === undefined || isMarked ? true : undefined;
  });
}

export const deletedFirst = first(deleted, 'DeletedOnRequest', 'the deletion came first', { actor: ADMIN });
export const evictedFirst = first(evicted, 'Evicted', 'the DisruptionTarget that came first', { actor: ADMIN });
export const taintedFirst = first(tainted, 'Taint', 'the DisruptionTarget that came first', {
  sentence: /the taint broken=yes:NoExecute of/,
});
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
      const [pod] = await scene.deployment({ node, isHeld: true });
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
