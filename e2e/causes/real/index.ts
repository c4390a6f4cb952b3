// Every provocation on real nodes: those that only a kubelet can bring about, and those of simulated nodes of which the
// kubelet lives through the grace.
import type { Provocation } from '../provocation.ts';
import * as afterwards from '../provocations/afterwards.ts';
import * as daemonSet from '../provocations/daemon-set.ts';
import * as deleted from '../provocations/deleted.ts';
import * as deployment from '../provocations/deployment.ts';
import * as evicted from '../provocations/evicted.ts';
import * as overlapping from '../provocations/overlapping.ts';
import { statefulSetRestarted, statefulSetScaled, statefulSetUpdated } from '../provocations/stateful-set.ts';
import { tainted } from '../provocations/taint.ts';
import * as twoEvictions from '../provocations/two-evictions.ts';
import * as endsByNodes from './ends-by-nodes.ts';
import * as endsOfPods from './ends-of-pods.ts';

export { endsByNodes, endsOfPods };

const { drainedInRollout, rolledBack, statefulSetDeleted, namespaceOfOthersDeleted } = overlapping;

const { rolloutThenUndone, rolloutThenAnother, scaledThenMore, deletedThenRollout } = afterwards;
const { setScaledThenMore, setDeletedThenUpdated, daemonUpdateThenUndone } = afterwards;

const LIVED_THROUGH: readonly Provocation[] = [
  ...[evicted, deployment, daemonSet, deleted].flatMap((group): Provocation[] => Object.values(group)),
  ...[statefulSetUpdated, statefulSetRestarted, statefulSetScaled, tainted],
  ...[drainedInRollout, rolledBack, statefulSetDeleted, namespaceOfOthersDeleted],
  ...[rolloutThenUndone, rolloutThenAnother, scaledThenMore, deletedThenRollout],
  ...[setScaledThenMore, setDeletedThenUpdated, daemonUpdateThenUndone],
];

export const REAL_PROVOCATIONS: readonly Provocation[] = [
  ...[endsOfPods, endsByNodes].flatMap((group): Provocation[] => Object.values(group)),
  ...Object.values(twoEvictions),
  ...LIVED_THROUGH.map((one): Provocation => ({ ...one, by: 'real kubelet' })),
];

/** A few seconds each. */
export const QUICK_REAL_PROVOCATIONS: readonly Provocation[] = [
  ...[endsOfPods.completed, endsOfPods.oomKilled, endsOfPods.deadline, endsOfPods.emptyDirLimit],
  ...[endsOfPods.rejectedByAffinity, endsOfPods.rejectedForCpu, endsOfPods.sandboxReplaced, endsOfPods.jobFailed],
  ...[endsByNodes.kubeletPreemption, endsByNodes.shutdown],
];
