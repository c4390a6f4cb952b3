// A liveness check for the case that should not happen: the lease ran out under us and the process is still here.
// Standbys are healthy.

import type { LeaderElector } from '../election/leader-elector.ts';
import type { HealthCheck } from './health.ts';

/** `elector` may not exist yet; `toleranceMs` is how long after the lease ran out the process may take to end. */
export function electionHealthCheck(
  elector: () => Pick<LeaderElector, 'overdueMs'> | undefined,
  toleranceMs: number,
): HealthCheck {
  return () => {
    const overdue = elector()?.overdueMs() ?? 0;
    if (overdue <= toleranceMs) return { ok: true };
    return { ok: false, reason: `the leader lease ran out ${Math.round(overdue / 1000)} s ago and was not renewed` };
  };
}
