// Gives back the memory of a large batch. The facts of a first listing are 60 MB for 20,000 pods, in the thread that
// observes and again in the thread that stores; they are garbage once they are stored, and V8 keeps garbage for as long as
// its limit is far: in a thread that then has little to do, for ever. Called by store-thread.ts and by recorders.
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

type Collect = (options: { readonly type: 'major'; readonly flavor: 'last-resort' }) => void;

/** A fact with its parts takes about 1 kB: less than 10 MB is not worth the pause. */
const LARGE_FACTS = 10_000;
/** Large batches come in a row; one collection for all. It takes 20 ms. */
const QUIET_MS = 2_000;

export class SpentHeap {
  #timer: NodeJS.Timeout | undefined;
  readonly #collect: () => void;

  constructor(collect: () => void = collectAll) {
    this.#collect = collect;
  }

  /** So many facts were in the batch that was just stored. */
  stored(facts: number): void {
    if (facts < LARGE_FACTS) return;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.#collect(), QUIET_MS);
    this.#timer.unref();
  }
}

/**
 * "last-resort": empty pages go back to the system. `gc` exists in contexts that are made after the flag. Flags are those
 * of the process: one that were withdrawn here could be missing in another thread that has just set it, so it stays.
 */
function collectAll(): void {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc') as Collect;
  gc({ type: 'major', flavor: 'last-resort' });
}
