// Who really held which address when, written by the address pools themselves at the instant an address is handed out
// or given back. Nothing in it comes from API objects: a proof compares with it what was concluded from those.

/** From the instant the network of a sandbox was set up to the instant it was torn down; ms since 1970. */
export interface TrueTenure {
  readonly ip: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly node: string;
  /** It shares the node's address and owns none. */
  readonly hostNetwork: boolean;
  readonly from: number;
  to?: number;
}

export interface TruthJournalOptions {
  /** Closed tenures beyond this many are forgotten, the oldest first. 0 keeps none but the open ones. */
  readonly keep?: number;
}

export class TruthJournal {
  readonly #keep: number;
  #tenures: TrueTenure[] = [];
  #closed = 0;
  #forgotten = 0;

  constructor(options: TruthJournalOptions = {}) {
    this.#keep = options.keep ?? Number.POSITIVE_INFINITY;
  }

  open(tenure: Omit<TrueTenure, 'to'>): TrueTenure {
    const opened: TrueTenure = { ...tenure };
    this.#tenures.push(opened);
    return opened;
  }

  close(tenure: TrueTenure, at: number): void {
    if (tenure.to !== undefined) return;
    tenure.to = at;
    this.#closed++;
    if (this.#closed > 2 * this.#keep + 1000) this.#forget();
  }

  /** In the order in which addresses were handed out. */
  get tenures(): readonly TrueTenure[] {
    return this.#tenures;
  }

  /** How many closed tenures are no longer kept. */
  get forgotten(): number {
    return this.#forgotten;
  }

  heldAt(ip: string, at: number): TrueTenure[] {
    return this.#tenures.filter(
      (tenure) => tenure.ip === ip && tenure.from <= at && (tenure.to === undefined || at < tenure.to),
    );
  }

  #forget(): void {
    let surplus = this.#closed - this.#keep;
    this.#forgotten += surplus;
    this.#closed -= surplus;
    this.#tenures = this.#tenures.filter((tenure) => tenure.to === undefined || surplus-- <= 0);
  }
}
