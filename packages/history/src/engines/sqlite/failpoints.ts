// Places around every write at which a test lets the whole process die, as SIGKILL does. Inert unless armed.

export type Failpoint =
  | 'migrate:stepped'
  | 'migrate:committed'
  | 'append:begun'
  | 'append:stored'
  | 'append:committed'
  | 'take-over:stored'
  | 'seal:begun'
  | 'seal:written'
  | 'seal:listed'
  | 'seal:moved-some'
  | 'seal:moved'
  | 'prune:stored'
  | 'prune:committed'
  | 'prune:unlinked';

export const FAILPOINTS: readonly Failpoint[] = [
  'migrate:stepped',
  'migrate:committed',
  'append:begun',
  'append:stored',
  'append:committed',
  'take-over:stored',
  'seal:begun',
  'seal:written',
  'seal:listed',
  'seal:moved-some',
  'seal:moved',
  'prune:stored',
  'prune:committed',
  'prune:unlinked',
];

export interface Death {
  readonly at: Failpoint;
  /** Which passing kills, from 1. */
  readonly nth: number;
}

export class Failpoints {
  readonly #death: Death | undefined;
  #passed = 0;

  constructor(death?: Death) {
    this.#death = death;
  }

  pass(name: Failpoint): void {
    if (this.#death?.at !== name || ++this.#passed !== this.#death.nth) return;
    process.kill(process.pid, 'SIGKILL');
    // The signal takes a moment; nothing may be written in it.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
  }
}
