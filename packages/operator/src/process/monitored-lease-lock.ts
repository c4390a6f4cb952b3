// A lease lock that notes when the API server last answered about it. A replica that cannot reach its Lease can neither
// lead nor know who does, and a standby looks healthy all the while: /readyz reports it from here.
import { type CheckResult, type Clock, LeaseLock, type LeaseLockOptions } from '@podtrail/machinery';

type CallOptions = Parameters<LeaseLock['get']>[0];
type ElectionRecord = Awaited<ReturnType<LeaseLock['get']>>;

/** Many times the pause between two tries; a restart of an API server is over by then. */
const LONGEST_SILENCE_MS = 60_000;

export class MonitoredLeaseLock extends LeaseLock {
  readonly #clock: Clock;
  /** Monotonic. */
  #answeredAt: number;
  #error: string | undefined;

  constructor(options: LeaseLockOptions, clock: Clock) {
    super(options);
    this.#clock = clock;
    this.#answeredAt = clock.monotonic();
  }

  override async get(options?: CallOptions): Promise<ElectionRecord> {
    return this.#answered(await super.get(options));
  }

  override async create(record: ElectionRecord, options?: CallOptions): Promise<void> {
    this.#answered(await super.create(record, options));
  }

  override async update(record: ElectionRecord, options?: CallOptions): Promise<void> {
    this.#answered(await super.update(record, options));
  }

  /** What the last try failed with; kept until one succeeds. */
  failed(problem: string): void {
    this.#error = problem;
  }

  /** For /readyz. */
  check(): CheckResult {
    const silentMs = this.#clock.monotonic() - this.#answeredAt;
    if (silentMs <= LONGEST_SILENCE_MS) return { ok: true };
    const why = this.#error === undefined ? '' : `: ${this.#error}`;
    const seconds = Math.round(silentMs / 1000);
    return { ok: false, reason: `the lease ${this.description} has not been reachable for ${seconds} s${why}` };
  }

  get isAnswering(): boolean {
    return this.#error === undefined;
  }

  #answered<T>(answer: T): T {
    this.#answeredAt = this.#clock.monotonic();
    this.#error = undefined;
    return answer;
  }
}
