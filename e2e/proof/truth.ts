// What really happened, written down by the one who did it. A boundary is known to lie between the sending of the
// request that made it true and its answer.

export interface TruthBoundary {
  readonly earliest: number;
  readonly latest: number;
}

export interface TruthTenure {
  readonly ip: string;
  readonly uid: string;
  readonly pod: string;
  readonly story: string;
  readonly start: TruthBoundary;
  end: TruthBoundary | undefined;
  /** When its deletion by force was first asked for; its end is when the address was released, seconds later. */
  forcedAt?: number;
}

export type Truth =
  | { readonly kind: 'held'; readonly uid: string }
  | { readonly kind: 'free' }
  /** Too close to a boundary to be asked. */
  | { readonly kind: 'uncertain' };

export class TruthBook {
  readonly tenures: TruthTenure[] = [];
  readonly #byIp = new Map<string, TruthTenure[]>();

  open(tenure: Omit<TruthTenure, 'end'>): TruthTenure {
    const opened: TruthTenure = { ...tenure, end: undefined };
    this.tenures.push(opened);
    const ofIp = this.#byIp.get(tenure.ip) ?? [];
    ofIp.push(opened);
    this.#byIp.set(tenure.ip, ofIp);
    return opened;
  }

  /** Whether a holder of the address had been deleted by force at most `withinMs` before. */
  wasForced(ip: string, at: number, withinMs: number): boolean {
    const ofIp = this.#byIp.get(ip) ?? [];
    return ofIp.some(({ forcedAt }) => forcedAt !== undefined && forcedAt <= at && at <= forcedAt + withinMs);
  }

  /** The truth at `at`, if it is certain by `marginMs` on both sides. */
  at(ip: string, at: number, marginMs: number): Truth {
    let held: TruthTenure | undefined;
    for (const tenure of this.#byIp.get(ip) ?? []) {
      for (const edge of [tenure.start, tenure.end]) {
        if (edge !== undefined && at > edge.earliest - marginMs && at < edge.latest + marginMs)
          return { kind: 'uncertain' };
      }
      if (tenure.start.latest <= at && (tenure.end === undefined || at < tenure.end.earliest)) held = tenure;
    }
    return held === undefined ? { kind: 'free' } : { kind: 'held', uid: held.uid };
  }
}
