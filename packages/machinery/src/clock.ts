// Time as a parameter. Nothing in machinery calls Date.now, performance.now or setTimeout except `systemClock`.

export interface Timer {
  cancel(): void;
}

export interface Clock {
  /** Wall clock, milliseconds since the epoch. May jump; never used to measure a duration. */
  now(): number;
  /** Milliseconds from an arbitrary origin. Never goes back; all deadlines are computed from it. */
  monotonic(): number;
  /** Calls `fire` once, `ms` from now. A timer alone does not keep the process alive unless `keepAlive` is true. */
  setTimer(ms: number, fire: () => void, keepAlive?: boolean): Timer;
}

/** Node fires a timer at once when its delay does not fit into 31 bits; longer waits are cut to this. */
const LONGEST_TIMER_MS = 2_147_483_647;

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  setTimer(ms, fire, keepAlive = true) {
    const handle = setTimeout(fire, Math.min(Math.max(0, ms), LONGEST_TIMER_MS));
    if (!keepAlive) handle.unref();
    return { cancel: () => clearTimeout(handle) };
  },
};

/** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason);
      return;
    }
    const onAbort = () => {
      timer.cancel();
      reject(signal?.reason);
    };
    const timer = clock.setTimer(ms, () => {
      signal?.removeEventListener('abort', onAbort);
      resolve();
    });
    signal?.addEventListener('abort', onAbort, { once: true });
  });
}
