// Which object a request was about: from the reference in the log, and from the answer where the reference lacks a name
// (the server makes it up) or a UID.
import { type AuditEvent, isObject, nameText } from './audit-event.ts';
import type { Act, AuditedObject } from './audited-action.ts';

export function objectOf(
  { objectRef, requestObject, responseObject }: AuditEvent,
  kind: string,
  what: Act,
): AuditedObject {
  // A refusal is answered with a Status, which is about itself; what a collection was, stands in the details.
  const answer = isObject(responseObject) ? responseObject : {};
  const isStatus = answer['kind'] === 'Status';
  const answered = metadataOf(isStatus || what === 'delete-collection' ? {} : answer);
  const details = isStatus && answer['status'] === 'Success' && isObject(answer['details']) ? answer['details'] : {};
  const requested = metadataOf(isObject(requestObject) ? requestObject : {});
  return {
    kind,
    // The reference of a namespace has its name in both.
    namespace: kind === 'Namespace' ? '' : objectRef.namespace,
    name: objectRef.name ?? nameText(answered['name']) ?? nameText(requested['name']),
    uid: objectRef.uid ?? nameText(answered['uid']) ?? nameText(details['uid']),
  };
}

function metadataOf(object: Record<string, unknown>): Record<string, unknown> {
  return isObject(object['metadata']) ? object['metadata'] : {};
}
