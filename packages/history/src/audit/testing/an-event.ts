// Events of audit logs for tests: whole lines as the API server writes them, with what a test names changed; and the lines
// that were recorded of a real one.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AuditReader } from '../audit-reader.ts';
import type { AuditedAction } from '../audited-action.ts';

export type EventFields = Record<string, unknown>;

let made = 0;

/** A pod was deleted, at level Metadata. Each has an ID of its own. */
export function anEvent(fields: EventFields = {}): EventFields {
  return {
    kind: 'Event',
    apiVersion: 'audit.k8s.io/v1',
    level: 'Metadata',
    auditID: `audit-${++made}`,
    stage: 'ResponseComplete',
    requestURI: '/api/v1/namespaces/shop/pods/web-1',
    verb: 'delete',
    user: { username: 'jane', groups: ['developers'] },
    sourceIPs: ['192.0.2.1'],
    userAgent: 'kubectl/v1.36.3',
    objectRef: { resource: 'pods', namespace: 'shop', name: 'web-1', apiVersion: 'v1' },
    responseStatus: { metadata: {}, code: 200 },
    requestReceivedTimestamp: '2026-11-16T10:00:00.000001Z',
    stageTimestamp: '2026-11-16T10:00:00.250000Z',
    annotations: { 'authorization.k8s.io/decision': 'allow' },
    ...fields,
  };
}

/** Refused, with a code and a sentence. */
export function refused(code: number, message: string, fields: EventFields = {}): EventFields {
  return anEvent({ responseStatus: { metadata: {}, status: 'Failure', code, message }, ...fields });
}

/** Everything that a reader finds in a text, in one piece. */
export function actionsIn(text: string | Uint8Array): AuditedAction[] {
  const actions: AuditedAction[] = [];
  const reader = new AuditReader({ onAction: (action) => actions.push(action) });
  reader.push(typeof text === 'string' ? Buffer.from(text) : text);
  reader.end();
  return actions;
}

export function actionIn(event: EventFields): AuditedAction | undefined {
  return actionsIn(JSON.stringify(event))[0];
}

/** The recorded lines, by their cases. */
export function recordedLines(): { readonly case: string; readonly event: EventFields }[] {
  const text = readFileSync(join(import.meta.dirname, 'recorded.jsonl'), 'utf8');
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}

/** What came of it, in a few words. */
export function inWords({ what, object, outcome }: AuditedAction): string {
  const words: (string | number | undefined)[] = [what, object.kind, outcome.kind];
  if (outcome.kind === 'refused') {
    words.push(outcome.code, outcome.stage, outcome.by?.kind, outcome.by?.name);
  } else if (outcome.kind === 'failed') words.push(outcome.code);
  return words.filter((word) => word !== undefined).join(' ');
}
