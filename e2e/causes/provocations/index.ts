// Every cause that is provoked on a control plane with kwok nodes, and those that are not, with the reason.
import type { Cause } from '@podtrail/history';
import type { Provocation } from '../provocation.ts';
import * as afterwards from './afterwards.ts';
import * as autoscaler from './autoscaler.ts';
import * as byKubelet from './by-kubelet.ts';
import * as daemonSet from './daemon-set.ts';
import * as deleted from './deleted.ts';
import * as deployment from './deployment.ts';
import * as deviceTaint from './device-taint.ts';
import * as evicted from './evicted.ts';
import * as job from './job.ts';
import * as nodeLoss from './node-loss.ts';
import * as overlapping from './overlapping.ts';
import * as pairs from './pairs.ts';
import * as preempted from './preempted.ts';
import * as statefulSet from './stateful-set.ts';
import * as taint from './taint.ts';
import * as twoEvictions from './two-evictions.ts';

export const PROVOCATIONS: readonly Provocation[] = [
  ...[
    evicted,
    autoscaler,
    twoEvictions,
    taint,
    deviceTaint,
    preempted,
    nodeLoss,
    byKubelet,
    deployment,
    statefulSet,
    daemonSet,
    job,
    deleted,
    overlapping,
    pairs,
    afterwards,
  ].flatMap((group): Provocation[] => Object.values(group)),
];

export const NOT_PROVOKED: ReadonlyMap<Cause, string> = new Map<Cause, string>([
  ['Unknown', 'is said where a stream of evidence was not watched, and is no cause'],
]);
