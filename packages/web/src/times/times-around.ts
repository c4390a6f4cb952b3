// The span that a link to the trail shows of an instant: what led to it, and what came after. Pure.
import type { Parameters } from '../address/page-address.ts';
import { instantText } from './span.ts';

const BEFORE_MS = 3 * 3_600_000;
const AFTER_MS = 3_600_000;

/** Without an end where that is still to come: the trail goes on with time. */
export function timesAround(at: number, now: number): Parameters {
  const since = instantText(at - BEFORE_MS);
  return at + AFTER_MS < now ? { since, until: instantText(at + AFTER_MS) } : { since };
}
