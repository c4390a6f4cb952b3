// The ledger as the API asks it: so many questions at once, those of one turn on one snapshot, and the list of clusters,
// which hardly ever changes, read once a second at most.
import type { Cluster, JoinedReader, Visibility } from '@podtrail/history/wire';
import { epochMillis } from '@podtrail/history/wire';
import type { Asker } from '@podtrail/history/wire/catalogue';
import type { Clock } from '@podtrail/machinery';
import { type Abandonable, QuestionGate, type QuestionGateOptions } from '../http/question-gate.ts';
import { abandonableReader } from './abandonable-reader.ts';
import { GatheredPoints } from './gathered-points.ts';
import { historyProblem } from './history-problems.ts';
import { SharedSnapshots } from './shared-snapshots.ts';

export type AskedReader = JoinedReader;

const CLUSTERS_MS = 1_000;
const GATE: QuestionGateOptions = { atOnce: 64, mostWaiting: 512, waitMs: 10_000 };
/** Of one address at one instant: those of one turn are read together, and none waits behind a listing. */
const POINT_GATE: QuestionGateOptions = { ...GATE, atOnce: 256 };

export class AskedLedger {
  readonly reader: AskedReader;
  /** Where the engine answers questions about one instant itself. */
  readonly points: GatheredPoints | undefined;
  readonly #clock: Pick<Clock, 'now' | 'monotonic'>;
  readonly #gate: QuestionGate;
  readonly #pointGate: QuestionGate;
  readonly #source: AskedReader;
  #clusters: { readonly read: Promise<readonly Cluster[]>; readonly until: number } | undefined;

  constructor(source: AskedReader, clock: Pick<Clock, 'now' | 'monotonic'>, gate: Partial<QuestionGateOptions> = {}) {
    this.#source = source;
    this.#clock = clock;
    this.#gate = new QuestionGate({ ...GATE, ...gate });
    // They are short: nobody's keep others waiting.
    this.#pointGate = new QuestionGate({ ...POINT_GATE, ...gate, mostOfOne: undefined });
    const shared = new SharedSnapshots(source);
    const own: JoinedReader = {
      clusters: () => this.clusters(),
      snapshot: (cluster) => shared.snapshot(cluster),
    };
    const answerPoints = source.answerPoints?.bind(source);
    this.points =
      answerPoints === undefined ? undefined : new GatheredPoints({ answerPoints }, source.joined !== undefined);
    this.reader =
      source.joined === undefined ? own : { ...own, joined: (...asked) => source.joined?.(...asked) as never };
  }

  /** Questions that are on the store. */
  get asking(): number {
    return this.#gate.asking + this.#pointGate.asking;
  }

  /** Questions that wait for their turn. */
  get waiting(): number {
    return this.#gate.waiting + this.#pointGate.waiting;
  }

  monotonic(): number {
    return this.#clock.monotonic();
  }

  asker(visibility: Visibility): Asker {
    return { visibility, now: epochMillis(this.#clock.now()) };
  }

  /** For one request: reads nothing more once nobody waits for its answer. */
  readerFor({ gone }: Abandonable): AskedReader {
    return abandonableReader(this.reader, gone);
  }

  /**
   * When it is its turn; what goes wrong is a Problem. `isPoint`: about one address at one instant. A question that waits
   * is not begun when its request has been abandoned.
   */
  async ask<T>(question: () => Promise<T>, isPoint = false, request?: Abandonable): Promise<T> {
    try {
      return await (isPoint ? this.#pointGate : this.#gate).run(question, request);
    } catch (error) {
      throw historyProblem(error);
    }
  }

  clusters(): Promise<readonly Cluster[]> {
    const now = this.#clock.monotonic();
    if (this.#clusters === undefined || now >= this.#clusters.until) {
      const read = this.#source.clusters();
      const known = { read, until: now + CLUSTERS_MS };
      this.#clusters = known;
      // Neither a failure nor an empty store is kept.
      read.then(
        ({ length }) => length === 0 && this.#forget(known),
        () => this.#forget(known),
      );
    }
    return this.#clusters.read;
  }

  #forget(known: object): void {
    if (this.#clusters === known) this.#clusters = undefined;
  }
}
