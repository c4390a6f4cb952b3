// A NoExecute taint. Which one is read from the node's history: the condition does not say. Some of them are named causes
// of their own: a node that nobody reaches, and one that was declared out of service.
import type { Evidence } from '../../model/evidence.ts';
import type { Case } from '../case.ts';
import type { Cause, Verdict } from '../cause.ts';
import { isAskedByOthers, isDisruptedBy } from '../first-disruption.ts';
import {
  CLOCK_SLACK_MS,
  events,
  isAroundEnd,
  isBeforeEnd,
  isBetween,
  isWrittenBefore,
  latestEnd,
  MINUTE_MS,
  ofKind,
  SECOND_MS,
  standingAtEnd,
} from '../traces.ts';
import { certain, doubted, inferred } from '../verdict.ts';

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
    (event === undefined || known.life.disruption !== undefined || isAskedByOthers(known, 'DeletionByTaintManager'))
  ) {
    return undefined;
  }
  return byTaints(known, event);
}

/** `event`: what says that it was for a taint. */
export function byTaints(known: Case, event: Evidence | undefined): Verdict {
  const { node } = known.life.pod;
  const found = standingTaints(known);
  const evidence = event === undefined ? found : [...found, event];
  // What was put on when it was already ending is none of them, unless nothing else is known: the watch of nodes may have
  // been behind.
  const { endSeenAt } = known;
  const before = found.filter((one) => endSeenAt === undefined || one.at <= endSeenAt || isWrittenBefore(known, one));
  const candidates = before.length > 0 ? before : found;
  const last = candidates.at(-1);
  if (last === undefined) return certain('Taint', `was deleted because of a taint of ${node}.`, evidence);
  // It tolerates some for ever and some for a time, and which is not recorded: only at the one that was put on right before
  // is it plain, unless another one was due then. `kubectl taint` may put on several at once.
  const likely = candidates.filter((one) => isPutOnWithin(known, one, CLOCK_SLACK_MS) || isDue(known, one));
  const isOnly = isOfOneKey(candidates);
  if (!isOnly && !(isPutOnWithin(known, last, CLOCK_SLACK_MS) && isOfOneKey(likely))) {
    return oneOf(known, candidates, event);
  }
  const named = NAMED.find(({ key }) => keyOf(last) === key);
  const cited = event === undefined ? [last] : [last, event];
  const verdict =
    named === undefined
      ? certain('Taint', `was deleted because of the taint ${last.reason} of ${node}.`, cited)
      : certain(named.cause, named.sentence(node), [...cited, ...whyUnreachable(known)]);
  if (!isOnly || isPlain(known, last)) return verdict;
  // An old taint is one that it tolerates, for ever or for a time.
  return doubted(
    verdict,
    named === undefined ? 'or of one that was not seen' : 'or because of a taint that was not seen',
  );
}

/** A controller that deletes hundreds of pods sends some twenty requests a second. */
const TAKES_TURNS_MS = 30 * SECOND_MS;
/** Pods tolerate a lost node for five minutes by default; some for less, and some for a little more. */
const TOLERATED_AT_MOST_MS = 10 * MINUTE_MS;

/** Nothing else stood, and it was put on right before, or its time was up: all but DaemonSets tolerate a lost node for a time. */
function isPlain(known: Case, one: Evidence): boolean {
  if (isPutOnWithin(known, one, TAKES_TURNS_MS)) return true;
  const isForAWhile = TOLERATED.has(keyOf(one)) && known.life.owner?.kind !== 'DaemonSet';
  return isForAWhile && isPutOnWithin(known, one, TOLERATED_AT_MOST_MS);
}

/** When it was put on is known, and that is so long ago. A recorder that starts lists it, whenever that was. */
function isPutOnWithin({ endedAt }: Case, { at, source, observedAt }: Evidence, withinMs: number): boolean {
  const isTimeKnown = source === 'watch' || at < observedAt;
  return isTimeKnown && at >= endedAt - withinMs && at <= endedAt + CLOCK_SLACK_MS;
}

/** By default the taints of a lost node are tolerated for so long. */
const TOLERATED_MS = 5 * MINUTE_MS;
const TOLERATED = new Set(['node.kubernetes.io/unreachable', 'node.kubernetes.io/not-ready']);

function isDue({ endedAt }: Case, one: Evidence): boolean {
  return TOLERATED.has(keyOf(one)) && Math.abs(endedAt - one.at - TOLERATED_MS) <= CLOCK_SLACK_MS;
}

function isOfOneKey(taints: readonly Evidence[]): boolean {
  return new Set(taints.map(keyOf)).size === 1;
}

/** Several stood: the likeliest is the cause, and all are named. */
function oneOf(known: Case, standing: readonly Evidence[], event: Evidence | undefined): Verdict {
  const likeliest = standing.findLast((one) => isDue(known, one)) ?? standing.at(-1);
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
