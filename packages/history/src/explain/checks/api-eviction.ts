// The Eviction API. The condition says how it ended; who asked for it is known by an autoscaler's own words, by the audit
// log, or by a cordon of its node: that is what a drain looks like.
import type { Evidence } from '../../model/evidence.ts';
import { actorOf, firstDeletion } from '../audited.ts';
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
/** Its account may have any name: who said so right before the request is taken for who asked. */
const DONE_AT_ONCE_MS = 10 * SECOND_MS;

export function apiEviction(known: Case): Verdict | undefined {
  const first = firstDeletion(known);
  // Who deleted it evicted nobody.
  const request = first?.reason === 'evict' ? first : undefined;
  // Where nobody saw the condition, the audit log may have the request.
  const isAudited = request !== undefined && firstDisruption(known) === undefined && !isTerminalFirst(known);
  if (!isDisruptedBy(known, 'EvictionByEvictionAPI') && !isAudited) return undefined;
  const { life, node, unwatched } = known;
  const event = byEvent(known, request);
  const taint = byTaint(known);
  const cordon = standing(known, ofKind(node, 'cordoned', 'uncordoned'), 'cordoned');
  if (event !== undefined) {
    const { evictor, evidence } = event;
    const { actor } = evictor;
    const drained = cordon !== undefined && cordon.at > evidence.at ? cordon : undefined;
    const isSure = drained === undefined && isTrying(known, evictor, evidence, taint?.evictor === evictor);
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

/** It said so a short while ago, or its taint stands; who takes that back has given up. */
function isTrying(known: Case, evictor: Evictor, said: Evidence, isTainted: boolean): boolean {
  if (isTainted) return true;
  const hasGivenUp = taintsOf(evictor, known.node).some(
    (one) =>
      one.what === 'untainted' &&
      one.at > said.at &&
      (isWrittenBefore(known, one) || (one.at <= known.endedAt && !isWrittenLater(known, one))),
  );
  return !hasGivenUp && said.at >= known.endedAt - TRIES_MS;
}

/**
 * What was announced long before a request of another user was not done then. All of them say it right before they evict or
 * right after: who says it later found a pod that was ending already.
 */
function byEvent(known: Case, request: Evidence | undefined): Trace | undefined {
  for (const evictor of EVICTORS) {
    const isOthers = request !== undefined && !evictor.component.test(actorOf(request));
    const from = known.endedAt - (isOthers ? DONE_AT_ONCE_MS : ANNOUNCED_MS);
    const evidence = eventsOf(evictor, known.pod).findLast((event) =>
      isBetween(event, from, latestEnd(known) + DONE_AT_ONCE_MS),
    );
    if (evidence !== undefined) return { evictor, evidence };
  }
  return undefined;
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
