// A NoExecute taint. Which one is read from the node's history: the condition does not say. Some of them are named causes
// of their own: a node that nobody reaches, and one that was declared out of service.
import type { Evidence } from '../../model/evidence.ts';
import type { Case } from '../case.ts';
import type { Cause, Verdict } from '../cause.ts';
import {
  CLOCK_SLACK_MS,
  events,
  isBeforeEnd,
  isBetween,
  isDisruptedBy,
  latestEnd,
  ofKind,
  standingAtEnd,
} from '../traces.ts';
import { certain } from '../verdict.ts';

const NAMED: readonly { readonly key: string; readonly cause: Cause; readonly sentence: (node: string) => string }[] = [
  {
    key: 'node.kubernetes.io/out-of-service',
    cause: 'OutOfService',
    sentence: (node) => `ended because ${node} was declared out of service.`,
  },
  {
    key: 'node.kubernetes.io/unreachable',
    cause: 'NodeUnreachable',
    sentence: (node) => `was deleted because ${node} was unreachable.`,
  },
];

export function taint(known: Case): Verdict | undefined {
  const event = markedForDeletion(known);
  if (
    !isDisruptedBy(known, 'DeletionByTaintManager') &&
    // Before 1.26 there is no condition. Where there is one, it says more than the event: another reason, or a later one.
    (event === undefined || known.life.disruption !== undefined)
  ) {
    return undefined;
  }
  const { node } = known.life.pod;
  const found = standingTaints(known);
  const evidence = event === undefined ? found : [...found, event];
  // The one that was put on last is the one that it did not tolerate: of the others it was not yet deleted. What was put on
  // when it was already ending is none of them, unless nothing else is known: the watch of nodes may have been behind.
  const { endSeenAt } = known;
  const last = found.findLast(({ at }) => endSeenAt === undefined || at <= endSeenAt) ?? found.at(-1);
  if (last === undefined) return certain('Taint', `was deleted because of a taint of ${node}.`, evidence);
  const named = NAMED.find(({ key }) => keyOf(last) === key);
  const cited = event === undefined ? [last] : [last, event];
  if (named !== undefined) return certain(named.cause, named.sentence(node), [...cited, ...whyUnreachable(known)]);
  return certain('Taint', `was deleted because of the taint ${last.reason} of ${node}.`, cited);
}

export function deviceTaint(known: Case): Verdict | undefined {
  if (!isDisruptedBy(known, 'DeletionByDeviceTaintManager')) return undefined;
  return certain('DeviceTaint', 'was deleted because a device that it used was tainted.');
}

/**
 * Its reference has no UID: the next pod of the name may be deleted by the same taint a little later. It is written right
 * before the deletion. "Cancelling deletion" is none.
 */
function markedForDeletion(known: Case): Evidence | undefined {
  const from = Math.max(known.endedAt - CLOCK_SLACK_MS, known.life.created);
  const to = Math.min(latestEnd(known) + CLOCK_SLACK_MS, nextOfName(known));
  return events(known.pod, 'TaintManagerEviction').find(
    (event) => isBetween(event, from, to) && event.message.startsWith('Marking for deletion'),
  );
}

/** When the next pod of its name was created, of which later events without a UID speak. */
function nextOfName({ life, siblings }: Case): number {
  const next = siblings.find(({ pod, created }) => pod.name === life.pod.name && created > life.created);
  return next?.created ?? Number.POSITIVE_INFINITY;
}

/** Taints that evict and stood when it was deleted, oldest first. */
function standingTaints(known: Case): Evidence[] {
  const evicting = ofKind(known.node, 'tainted', 'untainted').filter(({ reason }) => reason.endsWith(':NoExecute'));
  return [...Map.groupBy(evicting, ({ reason }) => reason).values()]
    .flatMap((history) => standingAtEnd(known, history, ({ what }) => what === 'tainted') ?? [])
    .sort((a, b) => a.at - b.at);
}

function keyOf({ reason }: Evidence): string {
  return reason.split(/[=:]/)[0] ?? '';
}

function whyUnreachable(known: Case): Evidence[] {
  const last = ofKind(known.node, 'condition')
    .filter((one) => isBeforeEnd(known, one) && one.reason === 'Ready=Unknown')
    .at(-1);
  return last === undefined ? [] : [last];
}
