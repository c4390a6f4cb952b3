// Waits for something that a real cluster does in its own time and that no event announces to the test.
import { setTimeout as sleep } from 'node:timers/promises';
import { ControlPlaneError } from './control-plane-error.ts';

/**
 * Asks again until the answer is neither undefined, null nor false, and returns it. Errors count as "not yet"; the
 * last one is the cause of the failure.
 */
export async function until<T>(
  what: string,
  ask: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  { withinMs = 60_000, everyMs = 50 }: { withinMs?: number; everyMs?: number } = {},
): Promise<T> {
  const deadline = performance.now() + withinMs;
  let cause: unknown;
  while (true) {
    try {
      const answer = await ask();
      if (answer !== undefined && answer !== null && answer !== false) return answer;
      cause = undefined;
    } catch (error) {
      cause = error;
    }
    if (performance.now() >= deadline) {
      throw new ControlPlaneError(`Waited ${withinMs / 1000} s in vain until ${what}.`, { cause });
    }
    await sleep(everyMs);
  }
}
