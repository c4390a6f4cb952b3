// The hour before and the hour after an instant, as the parameters of a trail. What has not come is left out.

import type { Parameters } from '../../address/page-address.ts';
import { serverNow } from '../../times/server-clock.ts';
import { instantText } from '../../times/span.ts';

const HOUR = 3_600_000;

export function spanAround(at: string, now: number = serverNow()): Parameters {
  const middle = Date.parse(at);
  return { since: instantText(middle - HOUR), until: instantText(Math.max(Math.min(middle + HOUR, now), middle + 1)) };
}
