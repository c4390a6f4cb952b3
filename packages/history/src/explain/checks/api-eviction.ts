// The Eviction API. The condition says how it ended; who asked for it is known by an autoscaler's own words, by the audit
// log, or by a cordon of its node: that is what a drain looks like.
import type { Evidence } from '../../model/evidence.ts';
import { actorOf, firstDeletion } from '../audited.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { firstDisruption, isDisruptedBy } from '../first-disruption.ts';
import { isTerminalFirst } from '../terminal.ts';
import { events, isBetween, MINUTE_MS, ofKind, SECOND_MS, standingAtEnd } from '../traces.ts';
import { certain, inferred } from '../verdict.ts';

interface Evictor {
  readonly actor: string;
  /** Reasons of its events about the pod. Others use the same words: the component must be its own. */
  readonly reasons: readonly string[];
  readonly component: RegExp;
  /** Beginnings of the taints that it puts on a node before it empties it. */
  readonly taints: readonly string[];
}

const EVICTORS: readonly Evictor[] = [
  {
    actor: 'cluster-autoscaler',
    reasons: ['ScaleDown'],
    component: /cluster-autoscaler/,
    taints: ['ToBeDeletedByClusterAutoscaler'],
  },
  {
    actor: 'karpenter',
    reasons: ['Evicted', 'Disrupted'],
    component: /karpenter/,
    taints: ['karpenter.sh/disrupted', 'karpenter.sh/disruption=disrupting'],
  },
  { actor: 'vertical-pod-autoscaler', reasons: ['EvictedByVPA'], component: /vpa|vertical-pod/, taints: [] },
  { actor: 'descheduler', reasons: ['Descheduled'], component: /descheduler/, taints: [] },
];

/** An autoscaler says what it will do, and does it once the budgets of disruptions allow it. */
const ANNOUNCED_MS = 15 * MINUTE_MS;
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
  if (event !== undefined) {
    return certain('Evicted', `was evicted by ${event.actor}.`, [event.evidence], event.actor);
  }
  const taint = byTaint(known);
  const cordon = standing(known, ofKind(node, 'cordoned', 'uncordoned'), 'cordoned');
  if (request !== undefined) {
    const why = taint ?? (cordon === undefined ? undefined : { evidence: cordon });
    const drained = why === undefined ? '' : `: ${life.pod.node} was drained`;
    const evidence = why === undefined ? [request] : [request, why.evidence];
    const actor = actorOf(request);
    return certain('Evicted', `was evicted by ${actor}${drained}.`, evidence, actor);
  }
  if (taint !== undefined) {
    const sentence = `was evicted by ${taint.actor}, which empties ${life.pod.node}.`;
    return inferred('Evicted', sentence, [taint.evidence], taint.actor);
  }
  if (cordon !== undefined) return inferred('Evicted', `was evicted: ${life.pod.node} was drained.`, [cordon]);
  const why = unwatched.includes('events') ? ' (events were not watched then)' : '';
  return certain('Evicted', `was evicted through the Eviction API; by whom is not known${why}.`);
}

/** What was announced long before a request of another user was not done then. */
function byEvent(
  known: Case,
  request: Evidence | undefined,
): { readonly actor: string; readonly evidence: Evidence } | undefined {
  for (const { actor, reasons, component } of EVICTORS) {
    const isOthers = request !== undefined && !component.test(actorOf(request));
    const from = known.endedAt - (isOthers ? DONE_AT_ONCE_MS : ANNOUNCED_MS);
    const evidence = events(known.pod, ...reasons).findLast(
      (event) => component.test(event.by) && isBetween(event, from, known.endedAt + 2 * MINUTE_MS),
    );
    if (evidence !== undefined) return { actor, evidence };
  }
  return undefined;
}

function byTaint(known: Case): { readonly actor: string; readonly evidence: Evidence } | undefined {
  for (const { actor, taints } of EVICTORS) {
    const isTheirs = ({ reason }: Evidence) => taints.some((taint) => reason.startsWith(taint));
    const evidence = standing(known, ofKind(known.node, 'tainted', 'untainted').filter(isTheirs), 'tainted');
    if (evidence !== undefined) return { actor, evidence };
  }
  return undefined;
}

/** It was so when the pod was evicted: a cordon that came later, or was taken back before, is no drain. */
function standing(known: Case, history: readonly Evidence[], what: 'cordoned' | 'tainted'): Evidence | undefined {
  return standingAtEnd(known, history, (one) => one.what === what);
}
