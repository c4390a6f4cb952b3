// Who asked: as whom the request was judged, and who stood behind it.
import type { AuditEvent } from './audit-event.ts';
import type { Actor } from './audited-action.ts';

export function actorOf({ user, impersonatedUser, userAgent, sourceIPs }: AuditEvent): Actor {
  const effective = impersonatedUser ?? user;
  return {
    user: effective.username,
    groups: effective.groups,
    impersonatedBy: impersonatedUser === undefined ? undefined : (user.username ?? 'somebody'),
    pod: user.pod,
    node: user.node,
    userAgent,
    sourceIPs,
  };
}
