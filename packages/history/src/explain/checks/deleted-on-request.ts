// Somebody deleted it. Only the audit log names who: without it, this is what is left when no other cause applies, and
// says no more than that no trace was found.
import type { Evidence } from '../../model/evidence.ts';
import { actorOf, controllerOf, firstDeletion, isByOthers, likelyDeletions, rivals } from '../audited.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { firstDisruption } from '../first-disruption.ts';
import { namingEvents } from '../owner-deletion.ts';
import { AUDIT_STREAM, missingStreams } from '../streams.ts';
import { isTerminalFirst } from '../terminal.ts';
import { CLOCK_SLACK_MS, events, isBetween, isSeenToEnd } from '../traces.ts';
import { certain, inferred } from '../verdict.ts';

/** The audit log names a person or a program that is no part of Kubernetes. */
export function deletedByRequest(known: Case): Verdict | undefined {
  const request = firstDeletion(known);
  if (isTerminalFirst(known)) return undefined;
  if (request === undefined) {
    // Where a controller is among them, what it reports of that is asked first.
    const requests = rivals(known);
    return requests.every(isByOthers) ? deletedByOneOf(requests) : undefined;
  }
  if (!isByOthers(request)) return undefined;
  const by = actorOf(request);
  const named = namingEvents(known);
  const { owner } = known.life;
  if (named.length > 0 && owner !== undefined) {
    // Both within the same seconds, and the log does not have what controllers ask for.
    const sentence = `was deleted by ${by}, or by ${owner.kind} ${owner.name}, which reported that it did.`;
    return inferred('DeletedOnRequest', sentence, [request, ...named], by);
  }
  return certain('DeletedOnRequest', `was deleted by ${by}.`, [request], by);
}

function deletedByOneOf(requests: readonly Evidence[]): Verdict | undefined {
  if (requests.length === 0 || requests.some(({ reason }) => reason === 'evict')) return undefined;
  const users = [...new Set(requests.map((one) => controllerOf(one) ?? actorOf(one)))];
  const sentence = `was deleted by ${users.join(' or ')}, who asked for it at the same time.`;
  return inferred('DeletedOnRequest', sentence, requests, users[0]);
}

export function deletedOnRequest(known: Case): Verdict | undefined {
  const { life } = known;
  if (isTerminalFirst(known)) return undefined;
  const likely = likelyDeletion(known);
  if (likely !== undefined) return likely;
  const request = firstDeletion(known);
  if (request !== undefined) {
    const by = controllerOf(request) ?? actorOf(request);
    return certain('DeletedOnRequest', `was deleted by ${by}.`, [request], by);
  }
  const overlapping = deletedByOneOf(rivals(known));
  if (overlapping !== undefined) return overlapping;
  if (!isSeenToEnd(life)) return undefined;
  // Its life would have had the reason that it was given.
  if (known.isLifeMissing === true || missingStreams(known).length > 0) return undefined;
  const karpenter = byKarpenter(known);
  if (karpenter !== undefined) return karpenter;
  const reason = firstDisruption(known)?.reason ?? '';
  if (WORD.test(reason)) {
    return inferred('DeletedOnRequest', `was deleted, after it was given the reason ${reason}.`);
  }
  if (life.isMirror) {
    const sentence = `was deleted: its manifest on ${life.pod.node} was removed or changed, or only its mirror was deleted.`;
    return inferred('DeletedOnRequest', sentence);
  }
  const lost = known.unwatched.includes(AUDIT_STREAM) ? '; a part of the audit log was lost then' : '';
  const owner = foreignOwner(known);
  const perhaps = owner === undefined ? '' : `, perhaps by its ${owner}`;
  return inferred('DeletedOnRequest', `was deleted, and no trace says why or by whom${perhaps}${lost}.`);
}

/** Whose controllers send Events that are read here, or have no traces of their own to look for. */
const KNOWN_OWNERS = new Set(['ReplicaSet', 'ReplicationController', 'StatefulSet', 'DaemonSet', 'Job', 'Node']);

/** A controller that is no part of Kubernetes: it deletes its pods itself, and leaves no trace that says so. */
function foreignOwner({ life: { owner } }: Case): string | undefined {
  return owner === undefined || KNOWN_OWNERS.has(owner.kind) ? undefined : `${owner.kind} ${owner.name}`;
}

/** Whoever writes conditions chooses their reasons. */
const WORD = /^\w{1,64}$/;

/** Karpenter deletes what no eviction gets through, when the time of its node is up. It says so when it asks for that. */
function byKarpenter(known: Case): Verdict | undefined {
  const said = events(known.pod, 'Disrupted').find(
    (one) => /karpenter/.test(one.by) && isBetween(one, known.endedAt - CLOCK_SLACK_MS, known.endedAt + CLOCK_SLACK_MS),
  );
  const sentence = 'was deleted by karpenter, which reported that it did.';
  return said && inferred('DeletedOnRequest', sentence, [said], 'karpenter');
}

/** The log has one request or more, and does not tell a dry run apart. */
function likelyDeletion(known: Case): Verdict | undefined {
  if (firstDeletion(known) !== undefined) return undefined;
  const requests = likelyDeletions(known);
  const users = [...new Set(requests.map(actorOf))];
  if (users.length === 0) return undefined;
  const sentence = `was deleted, it seems by ${users.join(' or ')}: the audit log does not tell a dry run apart.`;
  return inferred('DeletedOnRequest', sentence, requests, users.length === 1 ? users[0] : undefined);
}
