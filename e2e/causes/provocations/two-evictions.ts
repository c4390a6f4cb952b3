// One pod that two evict: a drain, and the descheduler. The API server takes both, since the pod is held and still there; the
// first of them is the cause. The descheduler asks with an account of its own, and says so in an Event once its request was
// taken.
import { setTimeout as sleep } from 'node:timers/promises';
import { DESCHEDULER, saysOf } from '../evictors.ts';
import type { WatchedPod } from '../pod-watch.ts';
import { ADMIN, type Provocation } from '../provocation.ts';
import type { Scene } from '../scene.ts';

interface Place {
  readonly scene: Scene;
  readonly pod: WatchedPod;
  readonly node: string;
}

type Step = (place: Place) => Promise<unknown>;

/** The two requests of `kubectl drain`, without its waiting. */
const cordon: Step = ({ scene, node }) => scene.kubectl('cordon', node);
const evict: Step = ({ scene, pod }) => scene.evict(pod);
const deschedule: Step = async ({ scene, pod }) => {
  await scene.evict(pod, 'system:serviceaccount:kube-system:descheduler');
  await saysOf(scene, pod, DESCHEDULER);
};
/** By more than times in objects can hide, which have a resolution of one second. */
const later: Step = () => sleep(4000);

const SAID = { cause: 'Evicted', by: 'events and taints as autoscalers write them' } as const;
const BOTH = 'DisruptionTarget `EvictionByEvictionAPI`, the cordon of the node, and event `Descheduled`';
/** On a busy machine the Event of who comes at once may be late. */
const EITHER = /^was evicted: \S+ was drained, or by descheduler, which reported it (then|a little later)\.$/;
const BY_DESCHEDULER = /^descheduler$/;

export const drainThenDescheduler: Provocation = {
  ...{ ...SAID, name: 'two evictions: a drain, then the descheduler', evidence: BOTH, sentence: EITHER, actor: ADMIN },
  provoke: (scene) => twice(scene, cordon, evict, deschedule),
};

export const drainThenDeschedulerLater: Provocation = {
  ...{ ...SAID, name: 'two evictions: a drain, then the descheduler after four seconds', evidence: BOTH, actor: ADMIN },
  sentence: /^was evicted: \S+ was drained, or by descheduler, which reported it a little later\.$/,
  provoke: (scene) => twice(scene, cordon, evict, later, deschedule),
};

/** Without an audit log, the traces of a drain that was first. */
export const deschedulerInDrain: Provocation = {
  ...{ ...SAID, name: 'two evictions: the descheduler, then a drain that had cordoned before', evidence: BOTH },
  ...{ sentence: EITHER, actor: BY_DESCHEDULER },
  provoke: (scene) => twice(scene, cordon, deschedule, evict),
};

export const deschedulerThenDrain: Provocation = {
  ...{ ...SAID, name: 'two evictions: the descheduler, then a drain', actor: BY_DESCHEDULER },
  evidence: 'DisruptionTarget `EvictionByEvictionAPI`, and event `Descheduled`; the cordon of the node came later',
  sentence: /^was evicted by descheduler\.$/,
  provoke: (scene) => twice(scene, deschedule, cordon, evict),
};

async function twice(scene: Scene, ...steps: readonly Step[]) {
  const node = await scene.node();
  const [pod] = await scene.deployment({ node });
  await scene.hold(pod!);
  for (const step of steps) await step({ scene, pod: pod!, node });
  const ended = await scene.ended(pod!);
  await scene.release(pod!);
  return ended;
}
