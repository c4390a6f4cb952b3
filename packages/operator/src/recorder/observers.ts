// Who makes facts of what a recorder sees: the ledger's observer, and the one of causes where they are recorded. The
// recorder gives them each observation, in order; nothing here stores or waits.
import { CauseObserver, type Observation, Observer, type ObserverOptions, type StoredFact } from '@podtrail/history';
import { OperatorError } from '../errors.ts';

export interface ObserversOptions {
  readonly ledger: ObserverOptions;
  readonly causes: boolean;
  /** Once: causes lack something from now on. */
  readonly onCausesFailed: (problem: string) => void;
}

export class Observers {
  readonly ledger: Observer;
  /** Undefined: no causes are recorded. */
  readonly causes: CauseObserver | undefined;
  readonly #onCausesFailed: (problem: string) => void;
  #causesFailed = false;

  constructor({ ledger, causes, onCausesFailed }: ObserversOptions) {
    this.ledger = new Observer(ledger);
    this.causes = causes ? new CauseObserver({ collector: ledger.collector, ledger: this.ledger }) : undefined;
    this.#onCausesFailed = onCausesFailed;
  }

  /** One that throws has taken in a part of what it was given: the same again would not be the same. The store is whole. */
  observe(observations: readonly Observation[]): StoredFact[] {
    try {
      // Causes first: they read what the ledger remembers from before.
      return observations.flatMap((observation) => [...this.#traces(observation), ...this.ledger.observe(observation)]);
    } catch (cause) {
      throw observingFailed(cause);
    }
  }

  /** Who held an address does not depend on causes: where they fail, they lack something, and the recording goes on. */
  #traces(observation: Observation): StoredFact[] {
    try {
      return this.causes?.observe(observation) ?? [];
    } catch (error) {
      // Once: the next object of its shape fails as this one did.
      const problem = `an observation could not be understood: ${error instanceof Error ? error.message : String(error)}`;
      if (!this.#causesFailed) this.#onCausesFailed(problem);
      this.#causesFailed = true;
      return [];
    }
  }
}

function observingFailed(cause: unknown): OperatorError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new OperatorError('observing-failed', `what the cluster reported could not be taken in: ${why}`, {
    cause,
    hint: 'this is a defect of podtrail. What is stored is whole; the next start goes on from there, and reports the same if it meets the same.',
  });
}
