// The same act again and again, by a clock: the recorder's heartbeat and its probes. An act that fails is ignored, and two
// are never under way at once.
import type { Clock, Timer } from '@podtrail/machinery';

/** At once, and then each time `ms` after the one before has ended. */
export function every(clock: Clock, ms: number, act: () => void | Promise<void>): Timer {
  let cancelled = false;
  let timer: Timer = { cancel: () => {} };
  const again = () => {
    if (!cancelled) timer = clock.setTimer(ms, tick);
  };
  const tick = () =>
    void Promise.resolve(act())
      .catch(() => undefined)
      .finally(again);
  tick();
  return {
    cancel: () => {
      cancelled = true;
      timer.cancel();
    },
  };
}
