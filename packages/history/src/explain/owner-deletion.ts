// Whether the pod's controller deleted it: an event of the controller names it, or the audit log does. Events are lossy
// (more than ten alike in ten minutes are merged, 25 in a burst), so that their absence proves nothing.
import type { Evidence } from '../model/evidence.ts';
import { controllerOf, firstDeletion, isByAnyController } from './audited.ts';
import type { Case } from './case.ts';
import { goingNamespace, goingOwner } from './going.ts';
import { isOwnerUnwatched } from './streams.ts';
import { events, isAroundEnd, namesPod } from './traces.ts';

export type OwnerDeletion =
  | { readonly by: 'owner'; readonly evidence: readonly Evidence[] }
  /** The audit log names somebody else, or its namespace or owner was going, and it went with it. */
  | { readonly by: 'others' }
  | {
      readonly by: 'unknown';
      /**
       * Its controller may well have said it: nobody was watching events, or there were so many that they were merged; and
       * its owner was there, which somebody watched.
       */
      readonly isLost: boolean;
    };

/** So many events alike are sent one by one. */
const SINGLE_EVENTS = 10;

export function ownerDeletion(known: Case): OwnerDeletion {
  const named = ownerEvents(known).filter((event) => namesPod(event, known));
  const request = firstDeletion(known);
  if (request !== undefined) {
    const controller = controllerOf(request);
    const isOwner = controller !== undefined && controller === CONTROLLERS[known.life.owner?.kind ?? ''];
    return isOwner ? { by: 'owner', evidence: [request, ...named] } : { by: 'others' };
  }
  if (named.length > 0) return { by: 'owner', evidence: named };
  if (goingNamespace(known) !== undefined || goingOwner(known) !== undefined) return { by: 'others' };
  const isSilent = isByAnyController(known) || known.unwatched.includes('events') || isMerged(known);
  return { by: 'unknown', isLost: isSilent && !isOwnerUnwatched(known) };
}

const CONTROLLERS: Readonly<Record<string, string>> = {
  ReplicaSet: 'replicaset-controller',
  ReplicationController: 'replication-controller',
  StatefulSet: 'statefulset-controller',
  DaemonSet: 'daemon-set-controller',
  Job: 'job-controller',
};

function ownerEvents(known: Case): Evidence[] {
  return events(known.owner, 'SuccessfulDelete').filter((event) => isAroundEnd(known, event));
}

function isMerged(known: Case): boolean {
  return ownerEvents(known).reduce((sum, { count }) => sum + count, 0) >= SINGLE_EVENTS;
}
