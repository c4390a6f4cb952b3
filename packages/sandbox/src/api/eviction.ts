// The Eviction API: a deletion that a PodDisruptionBudget may refuse. The budgets are evaluated here from the pods
// themselves, so that no controller has to have kept their status up to date before.
import { ApiStatusError } from './api-status-error.ts';
import type { DeleteOptions, KubeObject } from './cluster-api.ts';
import { arrayAt, numberAt, objectAt, textAt, valueAt } from './json-object.ts';
import type { ResourceType } from './resource-type.ts';
import { selectorOfObject } from './selectors/label-selector.ts';
import type { ServerState } from './server-state.ts';
import type { Verbs } from './verbs.ts';

const EVICTED = { reason: 'EvictionByEvictionAPI', message: 'Eviction API: evicting' };

export function evictPod(
  state: ServerState,
  verbs: Verbs,
  pod: KubeObject,
  options: DeleteOptions,
  dryRun: boolean,
): void {
  const pods = state.registry.byName('pods') as ResourceType;
  const { namespace, name } = pod.metadata;
  if (needsBudget(pod)) checkBudgets(state, pod);
  if (dryRun) return;
  verbs.update(pods, namespace, name as string, (now) => withTarget(now, state.timestamp()), {
    subresource: 'status',
  });
  verbs.delete(pods, namespace, name as string, options);
}

function needsBudget(pod: KubeObject): boolean {
  const phase = textAt(pod, 'status', 'phase');
  return pod.metadata.deletionTimestamp === undefined && !['Succeeded', 'Failed', 'Pending'].includes(phase);
}

function checkBudgets(state: ServerState, pod: KubeObject): void {
  const namespace = pod.metadata.namespace as string;
  const budgets = state.store
    .table('poddisruptionbudgets.policy')
    .list(`${namespace}/`)
    .filter((budget) => selectorOfObject(objectAt(budget, 'spec', 'selector')).matches(pod.metadata.labels));
  if (budgets.length > 1) {
    const message = 'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.';
    throw new ApiStatusError(500, 'InternalError', message, { causes: [{ message }] });
  }
  const budget = budgets[0];
  if (budget === undefined) return;
  const { healthy, desired } = standing(state, budget);
  if (!isReady(pod) && healthy >= desired && textAt(budget, 'spec', 'unhealthyPodEvictionPolicy') !== '') return;
  if (healthy - 1 >= desired) return;
  throw new ApiStatusError(
    429,
    'TooManyRequests',
    "Cannot evict pod as it would violate the pod's disruption budget.",
    {
      causes: [
        {
          reason: 'DisruptionBudget',
          message: `The disruption budget ${budget.metadata.name} needs ${desired} healthy pods and has ${healthy} currently`,
        },
      ],
    },
  );
}

/** How many pods a budget counts as healthy, and how many it wants. */
function standing(
  state: ServerState,
  budget: KubeObject,
): { readonly healthy: number; readonly desired: number; readonly expected: number } {
  const selector = selectorOfObject(objectAt(budget, 'spec', 'selector'));
  const pods = state.store
    .table('pods')
    .list(`${budget.metadata.namespace}/`)
    .filter((pod) => selector.matches(pod.metadata.labels));
  const healthy = pods.filter((pod) => pod.metadata.deletionTimestamp === undefined && isReady(pod)).length;
  const expected = expectedPods(state, pods);
  const most = valueAt(budget, 'spec', 'maxUnavailable');
  const desired =
    most === undefined
      ? portion(valueAt(budget, 'spec', 'minAvailable') ?? 1, expected)
      : Math.max(0, expected - portion(most, expected));
  return { healthy, desired, expected };
}

/** What the pods' controllers want, where they have some; else the pods there are. */
function expectedPods(state: ServerState, pods: readonly KubeObject[]): number {
  const controllers = new Set<string>();
  let loose = 0;
  for (const pod of pods) {
    const controller = (pod.metadata.ownerReferences ?? []).find((owner) => owner.controller === true);
    if (controller === undefined) loose++;
    else controllers.add(controller.uid);
  }
  let expected = loose;
  for (const uid of controllers) expected += numberAt(state.objectOf(uid)?.object, 'spec', 'replicas') ?? 0;
  return expected;
}

function portion(amount: unknown, whole: number): number {
  if (typeof amount === 'number') return amount;
  return Math.ceil((Number.parseFloat(String(amount)) / 100) * whole);
}

function isReady(pod: KubeObject): boolean {
  return arrayAt(pod, 'status', 'conditions').some(
    (condition) => textAt(condition, 'type') === 'Ready' && textAt(condition, 'status') === 'True',
  );
}

/** Reported once: a pod that is evicted again stays as it is. */
function withTarget(pod: KubeObject, now: string): unknown {
  const isMarked = arrayAt(pod, 'status', 'conditions').some(
    (one) => textAt(one, 'type') === 'DisruptionTarget' && textAt(one, 'reason') === EVICTED.reason,
  );
  if (isMarked) return pod;
  const others = arrayAt(pod, 'status', 'conditions').filter((one) => textAt(one, 'type') !== 'DisruptionTarget');
  const condition = { type: 'DisruptionTarget', status: 'True', lastProbeTime: null, lastTransitionTime: now };
  return {
    ...pod,
    status: { ...objectAt(pod, 'status'), conditions: [...others, { ...condition, ...EVICTED }] },
  };
}
