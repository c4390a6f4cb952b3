// The Eviction API. The condition says how it ended; who asked for it is known by an autoscaler's own words, by the audit
// log, or by a cordon of its node: that is what a drain looks like.
import type { Evidence } from '../../model/evidence.ts';
import { actorOf, firstDeletion, rivals } from '../audited.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { EVICTORS, type Evictor, eventsOf, taintsOf } from '../evictors.ts';
import { firstDisruption, isDisruptedBy } from '../first-disruption.ts';
import { isTerminalFirst } from '../terminal.ts';
import {
  CLOCK_SLACK_MS,
  isBetween,
  isWrittenBefore,
  isWrittenLater,
  latestEnd,
  MINUTE_MS,
  ofKind,
  SECOND_MS,
  standingAtEnd,
} from '../traces.ts';
import { certain, inferred } from '../verdict.ts';

/** An autoscaler says what it will do, and does it once the budgets of disruptions allow it. */
const ANNOUNCED_MS = 15 * MINUTE_MS;
/** The cluster-autoscaler tries for two minutes by default, and then takes its taint back. */
const TRIES_MS = 2 * MINUTE_MS + CLOCK_SLACK_MS;
/** Budgets of disruptions may hold up a drain; what has been cordoned for longer is hardly drained in the same second. */
const DRAINS_MS = 15 * MINUTE_MS;
/** Its account may have any name: who said so right before the request is taken for who asked. */
const DONE_AT_ONCE_MS = 10 * SECOND_MS;
/** The API server stamps a deletion to the second. */
const AT_ONCE_MS = 2 * SECOND_MS;

export function apiEviction(known: Case): Verdict | undefined {
  const first = firstDeletion(known);
  // Who deleted it evicted nobody.
  const request = first?.reason === 'evict' ? first : undefined;
  // Where nobody saw the condition, the audit log may have the request.
  const isAudited = request !== undefined && firstDisruption(known) === undefined && !isTerminalFirst(known);
  if (!isDisruptedBy(known, 'EvictionByEvictionAPI') && !isAudited) return undefined;
  const overlapping = evictedByOneOf(rivals(known));
  if (overlapping !== undefined) return overlapping;
  const { life, node, unwatched } = known;
  const said = ofRequest(known, byEvents(known, request), request);
  const taint = byTaint(known);
  const cordon = standing(known, ofKind(node, 'cordoned', 'uncordoned'), 'cordoned');
  const [event, ...others] = said;
  if (event !== undefined && others.length > 0) {
    const names = said.map(({ evictor }) => evictor.actor).join(' or by ');
    const evidence = said.map((one) => one.evidence);
    return inferred('Evicted', `was evicted by ${names}: each reported it around then.`, evidence, event.evictor.actor);
  }
  if (event !== undefined) {
    const { evictor, evidence } = event;
    const { actor } = evictor;
    const either = request === undefined && cordon !== undefined ? orDrained(known, event, cordon) : undefined;
    if (either !== undefined) return either;
    const drained = cordon !== undefined && cordon.at > evidence.at ? cordon : undefined;
    const isSure = drained === undefined && isTrying(known, event);
    if (isSure || request !== undefined) return certain('Evicted', `was evicted by ${actor}.`, [evidence], actor);
    const sentence =
      drained === undefined
        ? `was evicted by ${actor}, or by somebody else after that had given up.`
        : `was evicted: ${life.pod.node} was drained, by ${actor} or by somebody else.`;
    return inferred('Evicted', sentence, drained === undefined ? [evidence] : [evidence, drained], actor);
  }
  if (request !== undefined) {
    const why = taint ?? (cordon === undefined ? undefined : { evidence: cordon });
    const drained = why === undefined ? '' : `: ${life.pod.node} was drained`;
    const evidence = why === undefined ? [request] : [request, why.evidence];
    const actor = actorOf(request);
    return certain('Evicted', `was evicted by ${actor}${drained}.`, evidence, actor);
  }
  if (taint !== undefined) {
    const { actor } = taint.evictor;
    return inferred('Evicted', `was evicted by ${actor}, which empties ${life.pod.node}.`, [taint.evidence], actor);
  }
  if (cordon !== undefined) return inferred('Evicted', `was evicted: ${life.pod.node} was drained.`, [cordon]);
  const why = unwatched.includes('events') ? ' (events were not watched then)' : '';
  return certain('Evicted', `was evicted through the Eviction API; by whom is not known${why}.`);
}

interface Trace {
  readonly evictor: Evictor;
  readonly evidence: Evidence;
}

/** Requests of several, of which any may have been the first. */
function evictedByOneOf(requests: readonly Evidence[]): Verdict | undefined {
  if (requests.length === 0 || requests.some(({ reason }) => reason !== 'evict')) return undefined;
  const users = [...new Set(requests.map(actorOf))];
  const sentence = `was evicted by ${users.join(' or ')}, who asked for it at the same time.`;
  return inferred('Evicted', sentence, requests, users[0]);
}

/** It said so a short while ago, or its taint stands; who takes that back has given up. */
function isTrying(known: Case, { evictor, evidence: said }: Trace): boolean {
  const taints = taintsOf(evictor, known.node);
  if (standing(known, taints, 'tainted') !== undefined) return true;
  const hasGivenUp = taints.some(
    (one) =>
      one.what === 'untainted' &&
      one.at > said.at &&
      (isWrittenBefore(known, one) || (one.at <= known.endedAt && !isWrittenLater(known, one))),
  );
  return !hasGivenUp && said.at >= known.endedAt - TRIES_MS;
}

/**
 * Who says that it evicted the pod, the likeliest first; more than one where times do not tell whose eviction was taken first.
 * The API server takes an eviction of a pod that is ending already, too: who says so clearly later than another came second.
 */
function byEvents(known: Case, request: Evidence | undefined): Trace[] {
  const found = EVICTORS.flatMap((evictor) => lastOf(known, evictor, request)).sort(
    (a, b) => a.evidence.at - b.evidence.at,
  );
  const early = found.filter(({ evidence }) => evidence.at < known.endedAt - CLOCK_SLACK_MS);
  const trying = early.filter((one) => isTrying(known, one)).reverse();
  const [first, ...later] = found.slice(early.length);
  if (first === undefined) return trying.length > 0 ? trying : early.slice(-1);
  return [first, ...later.filter(({ evidence }) => evidence.at <= first.evidence.at + CLOCK_SLACK_MS), ...trying];
}

/** What was announced long before a request of another user was not done then. All of them say it right before they evict or right after. */
function lastOf(known: Case, evictor: Evictor, request: Evidence | undefined): Trace[] {
  const isOthers = request !== undefined && !isOfEvictor(evictor, request);
  const from = known.endedAt - (isOthers ? DONE_AT_ONCE_MS : ANNOUNCED_MS);
  const evidence = eventsOf(evictor, known.pod).findLast((event) =>
    isBetween(event, from, latestEnd(known) + DONE_AT_ONCE_MS),
  );
  return evidence === undefined ? [] : [{ evictor, evidence }];
}

/** Those that the first request of the audit log may be of. */
function ofRequest(known: Case, traces: readonly Trace[], request: Evidence | undefined): readonly Trace[] {
  if (request === undefined) return traces;
  const own = traces.filter(({ evictor }) => isOfEvictor(evictor, request));
  if (own.length > 0) return own;
  const audited = ofKind(known.pod, 'audited').filter(({ reason }) => reason === 'evict');
  const left = traces.filter(({ evictor }) => !audited.some((one) => isOfEvictor(evictor, one)));
  // An account may have any name: of several that say so, nothing tells whose it is.
  return left.length === 1 ? left : [];
}

function isOfEvictor({ component }: Evictor, request: Evidence): boolean {
  return component.test(actorOf(request));
}

/**
 * Who drains no nodes says so once its eviction was taken, also that of a pod which was ending already: the drain of a node
 * that was cordoned may have come first.
 */
function orDrained(known: Case, { evictor, evidence }: Trace, cordon: Evidence): Verdict | undefined {
  if (evictor.taints.length > 0) return undefined;
  const isLate = evidence.at > latestEnd(known) + AT_ONCE_MS;
  const isAtOnce = evidence.at >= known.endedAt - CLOCK_SLACK_MS && cordon.at >= known.endedAt - DRAINS_MS;
  if (!isLate && !isAtOnce) return undefined;
  const when = isLate ? 'a little later' : 'then';
  const sentence = `was evicted: ${known.life.pod.node} was drained, or by ${evictor.actor}, which reported it ${when}.`;
  return inferred('Evicted', sentence, [cordon, evidence]);
}

function byTaint(known: Case): Trace | undefined {
  for (const evictor of EVICTORS) {
    const evidence = standing(known, taintsOf(evictor, known.node), 'tainted');
    if (evidence !== undefined) return { evictor, evidence };
  }
  return undefined;
}

/** It was so when the pod was evicted: a cordon that came later, or was taken back before, is no drain. */
function standing(known: Case, history: readonly Evidence[], what: 'cordoned' | 'tainted'): Evidence | undefined {
  return standingAtEnd(known, history, (one) => one.what === what);
}
