// What a recorder claims to have watched: one stretch that grows while the watch lives, ends where it was lost, and is
// taken back where it was believed alive and was not. Returns the facts that follow; knows nothing of objects.
import type { Fact } from '../model/fact.ts';
import type { Coverage, Scope } from '../model/records.ts';
import { clamp, type EpochMillis, epochMillis } from '../model/time.ts';
import { correctedCoverage, type WrongTime } from './clock-correction.ts';

export class CurrentCoverage {
  readonly #collector: string;
  readonly #scope: Scope;
  #coverage: Coverage | undefined;

  constructor(collector: string, scope: Scope, resumed: Coverage | undefined) {
    this.#collector = collector;
    this.#scope = scope;
    this.#coverage = resumed;
  }

  get value(): Coverage | undefined {
    return this.#coverage;
  }

  get isOpen(): boolean {
    return this.#coverage?.ended === false;
  }

  /** Nothing of it was lost, but a wrong clock had it taken back. */
  get isWithdrawn(): boolean {
    return this.#coverage?.withdrawn !== undefined;
  }

  open(opened: Coverage['opened'], epoch: number, at: EpochMillis): Fact[] {
    const [collector, scope] = [this.#collector, this.#scope];
    return this.#become({ scope, epoch, collector, from: at, to: at, confirmed: at, ended: false, opened });
  }

  /** Watched up to `wanted`, and everything up to `confirmed` has been delivered. Only grows. */
  extend(wanted: EpochMillis | undefined, confirmed: EpochMillis | undefined, now: EpochMillis | undefined): Fact[] {
    const coverage = this.#coverage;
    if (coverage === undefined || coverage.ended || now === undefined) return [];
    const to = clamp(wanted ?? coverage.to, coverage.to, now);
    const known = clamp(confirmed ?? coverage.confirmed, coverage.confirmed, to);
    if (to === coverage.to && known === coverage.confirmed) return [];
    return this.#become({ ...coverage, to, confirmed: known });
  }

  /**
   * A watch that had fallen silent was believed alive for a while: what was claimed after the earliest of `limits` was not
   * watched. `confirmedAt`: up to when everything is known, where the claim ends there.
   */
  takeBack(limits: readonly (EpochMillis | undefined)[], confirmedAt: (to: EpochMillis) => EpochMillis): Fact[] {
    const coverage = this.#coverage;
    if (coverage === undefined) return [];
    let to = coverage.to;
    for (const limit of limits) if (limit !== undefined && limit < to) to = limit;
    to = to < coverage.from ? coverage.from : to;
    const confirmed = clamp(confirmedAt(to), coverage.from, to);
    return this.#become({ ...coverage, to, confirmed, ended: true });
  }

  /**
   * Services or nodes were lost sight of: what came and went there since `watermark`, or since `since` if that was earlier,
   * is not known, and nothing was free.
   */
  podsOnly(
    { watermark, since }: { readonly watermark: EpochMillis | undefined; readonly since: EpochMillis | undefined },
    { opened, epoch, at }: { readonly opened: Coverage['opened']; readonly epoch: number; readonly at: EpochMillis },
  ): Fact[] {
    const coverage = this.#coverage;
    if (coverage === undefined) return [];
    let from = watermark ?? coverage.from;
    if (since !== undefined && since < from) from = since;
    // Coverage is kept by where it begins: this must not take the place of what it lies over.
    if (from === coverage.from) from = epochMillis(from - 1);
    const scope = { kind: 'pods' } as const;
    const partial = { scope, epoch, collector: this.#collector, from, to: at, confirmed: from, ended: true, opened };
    return [{ kind: 'coverage', coverage: partial }];
  }

  /** Nothing is claimed from then on until another stretch is opened: in between is a gap. */
  correct(wrong: WrongTime): Fact[] {
    if (this.#coverage === undefined) return [];
    const cut = correctedCoverage(this.#coverage, wrong);
    // Also where the clock only went ahead, and nothing of it is wrong: it must not go on into a time that never was.
    return this.#become(cut.ended ? cut : { ...cut, ended: true, withdrawn: wrong.since });
  }

  #become(coverage: Coverage): Fact[] {
    this.#coverage = coverage;
    return [{ kind: 'coverage', coverage }];
  }
}
