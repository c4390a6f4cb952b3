// A NoExecute taint. Which one is read from the node's history: the condition does not say. Some of them are named causes
// of their own: a node that nobody reaches, and one that was declared out of service.
import type { Evidence } from '../../model/evidence.ts';
import type { Case } from '../case.ts';
import type { Cause, Verdict } from '../cause.ts';
import { isDisruptedBy } from '../first-disruption.ts';
import {
  CLOCK_SLACK_MS,
  events,
  isAroundEnd,
  isBeforeEnd,
  isBetween,
  latestEnd,
  MINUTE_MS,
  ofKind,
  standingAtEnd,
} from '../traces.ts';
import { certain, inferred } from '../verdict.ts';

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
  // What was put on when it was already ending is none of them, unless nothing else is known: the watch of nodes may have
  // been behind.
  const { endSeenAt } = known;
  const before = found.filter(({ at }) => endSeenAt === undefined || at <= endSeenAt);
  const last = before.at(-1) ?? found.at(-1);
  if (last === undefined) return certain('Taint', `was deleted because of a taint of ${node}.`, evidence);
  // It tolerates some for ever and some for a time, and which is not recorded: only at the one that was put on right before
  // is it plain.
  const isPlain = new Set(before.map(keyOf)).size < 2 || last.at >= known.endedAt - CLOCK_SLACK_MS;
  if (!isPlain) return oneOf(known, before, event);
  const named = NAMED.find(({ key }) => keyOf(last) === key);
  const cited = event === undefined ? [last] : [last, event];
  if (named !== undefined) return certain(named.cause, named.sentence(node), [...cited, ...whyUnreachable(known)]);
  return certain('Taint', `was deleted because of the taint ${last.reason} of ${node}.`, cited);
}

/** By default the taints of a lost node are tolerated for so long. */
const TOLERATED_MS = 5 * MINUTE_MS;
const TOLERATED = new Set(['node.kubernetes.io/unreachable', 'node.kubernetes.io/not-ready']);

/** Several stood: the likeliest is the cause, and all are named. */
function oneOf(known: Case, standing: readonly Evidence[], event: Evidence | undefined): Verdict {
  const isDue = (one: Evidence) => Math.abs(known.endedAt - one.at - TOLERATED_MS) <= CLOCK_SLACK_MS;
  const likeliest = standing.findLast((one) => TOLERATED.has(keyOf(one)) && isDue(one)) ?? standing.at(-1);
  const cause = NAMED.find(({ key }) => likeliest !== undefined && keyOf(likeliest) === key)?.cause ?? 'Taint';
  const names = standing.map(({ reason }) => reason).join(', ');
  const sentence = `was deleted because of one of the taints of ${known.life.pod.node}: ${names}.`;
  return inferred(cause, sentence, event === undefined ? standing : [...standing, event]);
}

/** Neither the condition nor the event names the device or its taint: only the ResourceSlices and DeviceTaintRules do. */
export function deviceTaint(known: Case): Verdict | undefined {
  if (!isDisruptedBy(known, 'DeletionByDeviceTaintManager')) return undefined;
  const marked = events(known.pod, 'DeviceTaintManagerEviction').filter(
    (event) => isAroundEnd(known, event) && isMarking(event),
  );
  return certain('DeviceTaint', 'was deleted because a device that it used was tainted.', marked.slice(0, 1));
}

/**
 * Its reference has no UID: the next pod of the name may be deleted by the same taint a little later. It is written right
 * before the deletion. "Cancelling deletion" is none.
 */
function markedForDeletion(known: Case): Evidence | undefined {
  const from = Math.max(known.endedAt - CLOCK_SLACK_MS, known.life.created);
  const to = Math.min(latestEnd(known) + CLOCK_SLACK_MS, nextOfName(known));
  return events(known.pod, 'TaintManagerEviction').find((event) => isBetween(event, from, to) && isMarking(event));
}

function isMarking({ message }: Evidence): boolean {
  return message.startsWith('Marking for deletion');
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
