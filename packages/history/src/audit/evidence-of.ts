// Actions as evidence for the ledger: who asked for what, about each object that it is known of. Only what was done is
// evidence: neither what was refused, nor a dry run, nor what may have been done. Pure; the same action gives the same
// evidence with the same ids, from whichever copy of the log.
import type { Evidence } from '../model/evidence.ts';
import { MOST_MESSAGE } from '../model/evidence.ts';
import type { ObjectReference } from '../model/object-reference.ts';
import { AUDIT_COLLECTOR } from './audit-collector.ts';
import type { Act, AuditedAction } from './audited-action.ts';

/** Connections and writes of a status move no pod. */
const NO_EVIDENCE = new Set<Act>([
  ...(['exec', 'attach', 'port-forward', 'proxy', 'write-status', 'get', 'list', 'watch', 'other'] as const),
]);

export function evidenceOf(action: AuditedAction): Evidence[] {
  const { at, answeredAt, auditID, what, actor, outcome, details } = action;
  if (outcome.kind !== 'allowed' || NO_EVIDENCE.has(what)) return [];
  const message = messageOf(action);
  return objectsOf(action).map((about) => ({
    // A client may choose the ID: with its time alone, one request could hide another.
    id: `audit/${auditID}/${at}/${what}/${about.kind}/${about.namespace}/${about.name}`,
    about,
    what: 'audited',
    at,
    reason: what,
    message,
    by: actor.user ?? '',
    ...(actor.impersonatedBy !== undefined && { impersonatedBy: actor.impersonatedBy }),
    ...(details.node !== undefined && {
      related: { kind: 'Node', namespace: '', name: details.node, uid: '' },
    }),
    count: 1,
    ...(mayBeDryRun(action) && { unconfirmed: true as const }),
    source: 'audit',
    // In the ledger's words: no epoch of etcd, and no version of an object.
    epoch: 0,
    resourceVersion: String(at),
    observedAt: answeredAt ?? at,
    collector: AUDIT_COLLECTOR,
  }));
}

/** Those whose names are known: of a collection, what the answer lists. */
function objectsOf({ object, details }: AuditedAction): ObjectReference[] {
  const { kind, namespace } = object;
  const named = object.name === undefined ? (details.objects ?? []) : [{ name: object.name, uid: object.uid }];
  return named.map(({ name, uid }) => ({ kind, namespace, name, uid: uid ?? '' }));
}

/** Only the body of a deletion or an eviction says that it is a dry run, and the log does not have it. */
function mayBeDryRun({ what, level }: AuditedAction): boolean {
  const isByBody = what === 'delete' || what === 'delete-collection' || what === 'evict';
  return isByBody && level !== 'Request' && level !== 'RequestResponse';
}

/** What else is known of it, and what makes it less than certain. */
function messageOf(action: AuditedAction): string {
  const { actor, details } = action;
  const words: string[] = [];
  if (details.replicas !== undefined) words.push(`to ${details.replicas} replicas`);
  if (details.gracePeriodSeconds !== undefined) words.push(`grace ${details.gracePeriodSeconds}s`);
  if (details.taints !== undefined) words.push(`taints ${details.taints.join(' ')}`);
  if (actor.impersonatedBy !== undefined) words.push(`asked for by ${actor.impersonatedBy}`);
  if (actor.pod !== undefined) words.push(`from pod ${actor.pod}`);
  if (mayBeDryRun(action)) words.push('may have been a dry run: level Metadata');
  if (actor.userAgent !== '') words.push(`with ${actor.userAgent}`);
  return words.join('; ').slice(0, MOST_MESSAGE);
}
