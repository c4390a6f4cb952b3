// The time slider of the nodes: a day in quarters of an hour, and what keys and play make of it. Pure.
import { instantText, parseInstant } from '../../times/span.ts';

const STEP_MS = 15 * 60_000;
const DAY_MS = 24 * 3_600_000;

export interface TimeSteps {
  /** The instant of step 0. */
  readonly from: number;
  readonly last: number;
  /** Whether the last step is now. */
  readonly endsNow: boolean;
  /** Nearest to what is shown. */
  readonly step: number;
  /** Undefined: now. */
  readonly at: number | undefined;
}

/** The last day; of an instant before that, the day around it. */
export function timeSteps(text: string | undefined, now: number): TimeSteps {
  const asked = text === undefined ? undefined : parseInstant(text, now);
  const at = asked === undefined || asked >= now ? undefined : asked;
  const endsNow = at === undefined || at >= now - DAY_MS;
  const from = quarterFrom(endsNow ? now - DAY_MS : at - DAY_MS / 2);
  const last = endsNow ? Math.ceil((now - from) / STEP_MS) : DAY_MS / STEP_MS;
  return { from, last, endsNow, step: at === undefined ? last : Math.round((at - from) / STEP_MS), at };
}

/** What the URL says of a step; undefined for now. */
export function instantOfStep({ from, last, endsNow }: TimeSteps, step: number): string | undefined {
  return endsNow && step >= last ? undefined : instantText(from + step * STEP_MS);
}

/** The quarter of an hour after or before what is shown: what the URL says of it, undefined for now. */
export function stepFrom({ at }: TimeSteps, by: 1 | -1, now: number): string | undefined {
  const shown = at ?? now;
  const next = by === 1 ? (Math.floor(shown / STEP_MS) + 1) * STEP_MS : (Math.ceil(shown / STEP_MS) - 1) * STEP_MS;
  return next >= now ? undefined : instantText(next);
}

function quarterFrom(at: number): number {
  return Math.ceil(at / STEP_MS) * STEP_MS;
}
