// How long ago what a view shows begins, where the URL says nothing. Milliseconds.
import type { ViewName } from '../address/page-address.ts';

const HOUR = 3_600_000;

export const USUAL_SPAN = { trail: 6 * HOUR, feed: 24 * HOUR, health: 24 * HOUR };

export function hasSpan(view: ViewName): view is keyof typeof USUAL_SPAN {
  return Object.hasOwn(USUAL_SPAN, view);
}
