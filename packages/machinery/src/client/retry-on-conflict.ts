// Read, change, write, and once more from the reading when somebody else wrote in between.
import { type Clock, sleep, systemClock } from '../clock.ts';
import { isConflict } from '../errors.ts';
import { jitter, type Random, systemRandom } from '../random.ts';

export interface ConflictRetryOptions {
  readonly attempts?: number;
  readonly firstDelayMs?: number;
  readonly factor?: number;
  readonly clock?: Clock;
  readonly random?: Random;
  readonly signal?: AbortSignal;
}

/** Few tries, a factor that callers choose and no cap: not the delays of `backoff.ts`. `attempt` must read the object again each time it is called; the last conflict is thrown when all tries are used. */
export async function retryOnConflict<T>(
  attempt: () => Promise<T>,
  { attempts = 5, firstDelayMs = 10, factor = 2, ...options }: ConflictRetryOptions = {},
): Promise<T> {
  const clock = options.clock ?? systemClock;
  const random = options.random ?? systemRandom;
  for (let tries = 1, delay = firstDelayMs; ; tries++, delay *= factor) {
    try {
      return await attempt();
    } catch (error) {
      if (!isConflict(error) || tries >= attempts) throw error;
      await sleep(clock, jitter(random, delay, 0.1), options.signal);
    }
  }
}
