// Between `attribute` and the engine: keeps, for each address of the log, the tenures of the time that the log is at, so
// that the engine is asked once for an address and an hour rather than once for a row. Gives exactly what the engine
// would: only time that has been told to the end is kept, because only there can nothing more come.
import {
  type Engine,
  type EpochMillis,
  epochMillis,
  type IpAddress,
  LARGEST_PAGE,
  type Moment,
  type Tenure,
} from '@podtrail/history';

/** Logs are mostly in order of time: this much of what follows is read along. */
const AHEAD_MS = 3_600_000;
const MOST_TENURES = 500_000;

/** The tenures of one address that touch [from, to). */
interface Window {
  readonly from: number;
  readonly to: number;
  /** By the beginning. */
  readonly tenures: readonly Tenure[];
  /** The latest end among the tenures up to each: what lies before cannot touch a later instant. */
  readonly latestEnds: readonly number[];
}

export type BulkReader = Pick<Engine, 'tenuresAtMany' | 'tenuresOfIp' | 'coverage'>;

export class IpWindows {
  readonly #engine: BulkReader;
  readonly #windows = new Map<IpAddress, Window>();
  #kept = 0;

  constructor(engine: BulkReader) {
    this.#engine = engine;
  }

  /** As `Engine.tenuresAtMany`. */
  async tenuresAtMany(cluster: string, moments: readonly Moment[]): Promise<readonly (readonly Tenure[])[]> {
    await this.#load(cluster, moments);
    const answers: (readonly Tenure[])[] = new Array(moments.length);
    const left: number[] = [];
    for (let i = 0; i < moments.length; i++) {
      const { ip, at } = moments[i] as Moment;
      const window = this.#windows.get(ip);
      if (window !== undefined && window.from <= at && at < window.to) answers[i] = touching(window, at);
      else left.push(i);
    }
    if (left.length === 0) return answers;
    const read = await this.#engine.tenuresAtMany(
      cluster,
      left.map((i) => moments[i] as Moment),
    );
    for (const [n, i] of left.entries()) answers[i] = read[n] ?? [];
    return answers;
  }

  /** Reads windows for the addresses that are asked for more than once, as far as they are settled. */
  async #load(cluster: string, moments: readonly Moment[]): Promise<void> {
    const wanted = new Map<IpAddress, number>();
    // Of all rows at hand: it is narrow in a log that is in order, and all of the log in one that is not.
    let from = Number.POSITIVE_INFINITY;
    let to = Number.NEGATIVE_INFINITY;
    for (const { ip, at } of moments) {
      if (at < from) from = at;
      if (at > to) to = at;
      const window = this.#windows.get(ip);
      if (window === undefined || at < window.from || at >= window.to) wanted.set(ip, (wanted.get(ip) ?? 0) + 1);
    }
    if (wanted.size === 0) return;
    const until = Math.min(to + AHEAD_MS, await this.#settledUntil(cluster));
    if (until <= from) return;
    const reads: Promise<void>[] = [];
    for (const [ip, rows] of wanted) {
      if (rows > 1 || this.#windows.has(ip)) reads.push(this.#read(cluster, ip, from, until));
    }
    await Promise.all(reads);
  }

  async #read(cluster: string, ip: IpAddress, from: number, to: number): Promise<void> {
    const span = { from: epochMillis(from), to: epochMillis(to) };
    const { items, cursor } = await this.#engine.tenuresOfIp(cluster, ip, span, { limit: LARGEST_PAGE });
    // An address with more than a page of tenures is asked for row by row.
    if (cursor !== undefined) return;
    if (this.#kept > MOST_TENURES) {
      this.#windows.clear();
      this.#kept = 0;
    }
    this.#kept += items.length - (this.#windows.get(ip)?.tenures.length ?? 0);
    let latest = Number.NEGATIVE_INFINITY;
    const latestEnds = items.map(({ end }) => (latest = Math.max(latest, end?.notAfter ?? Number.POSITIVE_INFINITY)));
    this.#windows.set(ip, { from, to, tenures: items, latestEnds });
  }

  /** Everything before has been told: no tenure of that time will be opened, closed or moved any more. */
  async #settledUntil(cluster: string): Promise<EpochMillis> {
    const last = (await this.#engine.coverage(cluster)).at(-1);
    return last?.confirmed ?? epochMillis(0);
  }
}

/** Those that may have held at the instant, oldest first. */
function touching({ tenures, latestEnds }: Window, at: number): readonly Tenure[] {
  let low = 0;
  let high = tenures.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((tenures[middle] as Tenure).start.notBefore <= at) low = middle + 1;
    else high = middle;
  }
  const found: Tenure[] = [];
  for (let i = low - 1; i >= 0 && (latestEnds[i] as number) > at; i--) {
    const tenure = tenures[i] as Tenure;
    if (tenure.end === undefined || tenure.end.notAfter > at) found.push(tenure);
  }
  return found.length > 1 ? found.reverse() : found;
}
