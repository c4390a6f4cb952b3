// Takes back in the store what was written by a wrong time. The recorder calls it when the ledger's clock has stepped, and
// takes it back in what is remembered as soon as the store is right. It never decides what time it is.
import {
  type Cluster,
  diagnoseClock,
  type Engine,
  type EpochMillis,
  epochMillis,
  repairClock,
  toText,
  type Writer,
} from '@podtrail/history';
import { OperatorError } from '../errors.ts';
import type { LedgerClock, Step } from './ledger-clock.ts';
import type { ClockCorrection } from './recorder-listener.ts';

export interface ClockCorrectorOptions {
  readonly engine: Engine;
  readonly writer: Writer;
  readonly cluster: Cluster;
  readonly clock: LedgerClock;
  /** Until when the ledger says that somebody watched. */
  readonly coverageTo: () => EpochMillis | undefined;
  /** Resolves when all that was observed before is stored. */
  readonly flush: () => Promise<void>;
  /** Called at the very instant from which the ledger's clock is right: nothing is observed in between. */
  readonly onCorrected: (correction: ClockCorrection) => Promise<void>;
}

export class ClockCorrector {
  readonly #options: ClockCorrectorOptions;

  constructor(options: ClockCorrectorOptions) {
    this.#options = options;
  }

  async correct({ since, isAgreed, isBack }: Step): Promise<void> {
    const { engine, writer, cluster, clock, coverageTo, flush, onCorrected } = this.#options;
    if (since === undefined && !isAgreed) throw storeAhead(cluster.name, coverageTo(), clock.now());
    await flush();
    const question = { cluster: cluster.id, now: epochMillis(clock.now()), since };
    const diagnosis = isBack ? await diagnoseClock(engine, question) : undefined;
    const records = diagnosis === undefined ? 0 : await repairClock(engine, writer, diagnosis);
    await onCorrected({ since: diagnosis?.since ?? since ?? question.now, at: clock.corrected(), records });
  }
}

function storeAhead(cluster: string, to: EpochMillis | undefined, now: number): OperatorError {
  const reached = to === undefined ? 'the future' : toText(to);
  return new OperatorError(
    'store-ahead',
    `the ledger of ${cluster} reaches to ${reached}, and by the API server it is ${toText(epochMillis(now))}; the clock of this machine does not agree with the server`,
    {
      hint: 'set the clock of this machine and start again; if the server is right and the clock cannot be set, `podtrail store repair --now TIME` takes back what lies in the future.',
    },
  );
}
