// From an event of the log to the action that it is about. Pure; undefined where it is about nothing that is tracked, and
// for reads that were allowed.
import { actOf, changesOrConnects } from './act.ts';
import { actorOf } from './actor.ts';
import { admissionNotes } from './admission-notes.ts';
import type { AuditEvent } from './audit-event.ts';
import type { AuditedAction } from './audited-action.ts';
import { objectOf } from './audited-object.ts';
import { detailsOf, isDryRunByBody } from './details.ts';
import { outcomeOf } from './outcome.ts';
import { podSighting } from './pod-sighting.ts';
import { readQuery } from './request-uri.ts';
import { trackedKind } from './tracked-resources.ts';

export function actionOf(event: AuditEvent): AuditedAction | undefined {
  const { objectRef, stage } = event;
  const kind = trackedKind(objectRef.apiGroup, objectRef.resource);
  if (kind === undefined) return undefined;
  const what = actOf(event);
  const query = readQuery(event.requestURI);
  const dryRun = query.dryRun || isDryRunByBody(event);
  const outcome = outcomeOf(event, dryRun);
  const isSilent = outcome.kind === 'allowed' || outcome.kind === 'dry-run' || outcome.kind === 'unfinished';
  if (isSilent && !changesOrConnects(event, what)) return undefined;
  return {
    at: event.receivedAt,
    answeredAt: stage === 'RequestReceived' ? undefined : event.stageAt,
    auditID: event.auditID,
    level: event.level,
    verb: event.verb,
    what,
    dryRun,
    object: objectOf(event, kind, what),
    actor: actorOf(event),
    outcome,
    details: detailsOf(event, what, query),
    admission: admissionNotes(event.annotations),
    sighting: podSighting(event),
  };
}
