// An action as JSON: what `podtrail audit` prints, and what every other door would send.
import { toText } from '../model/time.ts';
import type { AuditedAction, Outcome } from './audited-action.ts';
import type { ActionDocument } from './schemas.ts';

export function actionDocument(action: AuditedAction): ActionDocument {
  const { at, answeredAt, auditID, level, verb, what, dryRun, object, actor, outcome, details, admission } = action;
  return {
    at: toText(at),
    answeredAt: answeredAt === undefined ? null : toText(answeredAt),
    auditID,
    level: level ?? null,
    verb,
    what,
    dryRun,
    object: { kind: object.kind, namespace: object.namespace, name: object.name ?? null, uid: object.uid ?? null },
    actor: {
      user: actor.user ?? null,
      groups: actor.groups,
      impersonatedBy: actor.impersonatedBy ?? null,
      pod: actor.pod ?? null,
      node: actor.node ?? null,
      userAgent: actor.userAgent,
      sourceIPs: actor.sourceIPs,
    },
    outcome: outcomeDocument(outcome),
    details: {
      ...details,
      ...(details.objects && { objects: details.objects.map(({ name, uid }) => ({ name, uid: uid ?? null })) }),
    },
    admission: admission ?? null,
  } as ActionDocument;
}

function outcomeDocument(outcome: Outcome): ActionDocument['outcome'] {
  switch (outcome.kind) {
    case 'refused':
      return { ...outcome, by: outcome.by ?? null };
    case 'failed':
      return { ...outcome, code: outcome.code ?? null };
    default:
      return outcome;
  }
}
