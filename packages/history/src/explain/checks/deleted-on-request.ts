// Somebody deleted it. Only the audit log knows who: without it, this is what is left when no other cause applies.
import { actorOf, controllerOf, firstDeletion, isByOthers, likelyDeletions } from '../audited.ts';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { namingEvents } from '../owner-deletion.ts';
import { AUDIT_STREAM, missingStreams } from '../streams.ts';
import { isTerminalFirst } from '../terminal.ts';
import { isSeenToEnd } from '../traces.ts';
import { certain, inferred } from '../verdict.ts';

/** The audit log names a person or a program that is no part of Kubernetes. */
export function deletedByRequest(known: Case): Verdict | undefined {
  const request = firstDeletion(known);
  if (request === undefined || isTerminalFirst(known) || !isByOthers(request)) return undefined;
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

export function deletedOnRequest(known: Case): Verdict | undefined {
  const { life } = known;
  if (isTerminalFirst(known)) return undefined;
  const likely = likelyDeletion(known);
  if (likely !== undefined) return likely;
  if (!isSeenToEnd(life)) return undefined;
  const request = firstDeletion(known);
  if (request !== undefined) {
    const by = controllerOf(request) ?? actorOf(request);
    return certain('DeletedOnRequest', `was deleted by ${by}.`, [request], by);
  }
  // Its life would have had the reason that it was given.
  if (known.isLifeMissing === true || missingStreams(known).length > 0) return undefined;
  if (life.isMirror) {
    const sentence = `was deleted: its manifest on ${life.pod.node} was removed or changed, or only its mirror was deleted.`;
    return inferred('DeletedOnRequest', sentence);
  }
  const lost = known.unwatched.includes(AUDIT_STREAM) ? ', and a part of it was lost then' : '';
  return inferred('DeletedOnRequest', `was deleted on request; only the audit log knows by whom${lost}.`);
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
