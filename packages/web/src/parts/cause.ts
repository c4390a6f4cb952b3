// Causes of an end as people see them: a family with a colour and a shape for each, and words. The names are those of the
// wire, all of them (the compiler compares); a name of a newer server is not known. Pure.
import type { Cause } from '@podtrail/history/wire';

export interface CauseFamily {
  readonly name: string;
  /** Drawn beside the colour: nobody needs to tell colours apart. */
  readonly shape: string;
  /** A custom property of the styles. */
  readonly colour: string;
}

const MOVED: CauseFamily = { name: 'Moved by the cluster', shape: '▲', colour: '--cause-moved' };
const NODE: CauseFamily = { name: 'Node failed or went', shape: '■', colour: '--cause-node' };
const ROLLOUT: CauseFamily = { name: 'New version', shape: '◆', colour: '--cause-rollout' };
const SCALED: CauseFamily = { name: 'Not wanted any more', shape: '▼', colour: '--cause-scaled' };
const DONE: CauseFamily = { name: 'Done', shape: '●', colour: '--cause-done' };
const FAILED: CauseFamily = { name: 'Failed', shape: '✖', colour: '--cause-failed' };
const UNKNOWN: CauseFamily = { name: 'Not known', shape: '?', colour: '--cause-unknown' };

export const CAUSE_FAMILIES: readonly CauseFamily[] = [MOVED, NODE, ROLLOUT, SCALED, DONE, FAILED, UNKNOWN];

const FAMILIES: Readonly<Record<Cause, CauseFamily>> = {
  ...{ Evicted: MOVED, Taint: MOVED, DeviceTaint: MOVED, Preempted: MOVED, KubeletPreemption: MOVED, Rejected: MOVED },
  ...{ NodePressure: NODE, StorageLimit: NODE, NodeShutdown: NODE, NodeGone: NODE, NodeUnreachable: NODE },
  ...{ Reboot: NODE, OutOfService: NODE },
  ...{ Rollout: ROLLOUT, Restarted: ROLLOUT, StatefulSetUpdate: ROLLOUT, StatefulSetRecreated: ROLLOUT },
  DaemonSetUpdate: ROLLOUT,
  ...{ ScaledDown: SCALED, Suspended: SCALED, OwnerDeleted: SCALED, NamespaceDeleted: SCALED },
  DeletedOnRequest: SCALED,
  ...{ Completed: DONE, JobCompleted: DONE },
  ...{ OOMKilled: FAILED, Crashed: FAILED, Deadline: FAILED, JobDeadline: FAILED, SandboxReplaced: FAILED },
  Unknown: UNKNOWN,
};

export const ALL_CAUSES = Object.keys(FAMILIES) as readonly Cause[];

export function familyOf(cause: string | null | undefined): CauseFamily {
  return cause != null && Object.hasOwn(FAMILIES, cause) ? FAMILIES[cause as Cause] : UNKNOWN;
}

/** `NodeUnreachable` → `node unreachable`, `OOMKilled` → `OOM killed`. */
export function causeText(cause: string): string {
  return cause
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .replace(/([A-Z]{2,})([A-Z][a-z])/g, '$1 $2')
    .split(' ')
    .map((word) => (/^[A-Z]{2,}$/.test(word) ? word : word.toLowerCase()))
    .join(' ');
}
