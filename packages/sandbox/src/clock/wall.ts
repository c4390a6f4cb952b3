// The time of the machine, as the virtual clock needs it: a parameter, so that tests can stand in for it.

export interface Wall {
  now(): number;
  /** Calls once, after `ms` or a little later; returns what calls it off. */
  after(ms: number, act: () => void): () => void;
  /** Resolves when everything else that waits for the event loop has had its turn. */
  breathe(): Promise<void>;
}

/** setTimeout counts in 32 bits and takes longer waits for none. */
const LONGEST_WAIT_MS = 2 ** 31 - 1;

export const machineWall: Wall = {
  now: () => Date.now(),
  after(ms, act) {
    const timer = setTimeout(act, Math.min(ms, LONGEST_WAIT_MS));
    return () => clearTimeout(timer);
  },
  breathe: () => new Promise((resolve) => setImmediate(resolve)),
};
