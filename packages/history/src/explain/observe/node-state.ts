// What of a Node is a trace when it changes: cordon, taints, conditions, boot. Pure; texts, so that two states compare.
import { type EpochMillis, epochMillis } from '../../model/time.ts';
import { isPossible } from '../../observe/evidence.ts';
import type { ObservedNode, ObservedTaint } from '../../observe/observation.ts';

/** With the time that its source gives it, if it gives one. */
export interface Timed {
  readonly text: string;
  readonly since: EpochMillis | undefined;
}

export interface NodeCondition extends Timed {
  /** The condition's own reason. */
  readonly reason: string;
  /** As it is on a node that is well. */
  readonly isNormal: boolean;
}

export interface NodeState {
  readonly isCordoned: boolean;
  readonly taints: readonly Timed[];
  readonly conditions: readonly NodeCondition[];
  readonly bootId: string;
  readonly isTerminating: boolean;
}

/** The conditions that are traces, with the status of a node that is well. */
const NORMAL = new Map([
  ['Ready', 'True'],
  ['MemoryPressure', 'False'],
  ['DiskPressure', 'False'],
  ['PIDPressure', 'False'],
]);

/** A controller adds it to a node that is cordoned, with the time. */
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable:NoSchedule';

export function stateOf({ metadata, spec, status }: ObservedNode, at: EpochMillis): NodeState {
  const conditions: NodeCondition[] = [];
  for (const { type, status: value, lastTransitionTime, reason = '' } of status.conditions ?? []) {
    const normal = NORMAL.get(type);
    if (normal === undefined) continue;
    conditions.push({
      text: `${type}=${value}`,
      since: instant(lastTransitionTime, at),
      reason,
      isNormal: value === normal,
    });
  }
  return {
    isCordoned: spec?.unschedulable ?? false,
    taints: (spec?.taints ?? []).map((taint) => ({ text: taintText(taint), since: instant(taint.timeAdded, at) })),
    conditions,
    bootId: status.nodeInfo?.bootID ?? '',
    isTerminating: metadata.deletionTimestamp !== undefined,
  };
}

/** When it was cordoned, as far as its taint says that. */
export function cordonedSince({ taints }: NodeState): EpochMillis | undefined {
  return taints.find(({ text }) => text === UNSCHEDULABLE)?.since;
}

export function isSame(one: Timed, other: Timed): boolean {
  return one.text === other.text && one.since === other.since;
}

/** As kubectl writes it. */
function taintText({ key, value, effect }: ObservedTaint): string {
  return `${key}${value === '' ? '' : `=${value}`}:${effect}`;
}

function instant(time: number | undefined, at: EpochMillis): EpochMillis | undefined {
  return isPossible(time, at) ? epochMillis(time) : undefined;
}
