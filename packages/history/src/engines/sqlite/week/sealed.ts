// What week files hold, whatever the head says of it: the head's version of a record wins, and the caller sees to that.
import { tenureKey } from '../../../model/fact.ts';
import type { IpAddress } from '../../../model/ip-address.ts';
import type { Placement, Tenure } from '../../../model/records.ts';
import { type Place, placementPlace, tenurePlace } from '../../order.ts';
import type { Page, Span, Subject } from '../../snapshot.ts';
import { ipHandle } from '../format/ip-key.ts';
import type { Life } from '../format/record-layout.ts';
import type { ClusterEntry } from '../head/head.ts';
import { lookupOf } from '../head/lookup.ts';
import { Enough } from '../page-filling.ts';
import { WEEK_MS, weekStart } from './week.ts';
import type { WeekFile } from './week-file.ts';
import type { HandleKind } from './week-writer.ts';
import type { Weeks } from './weeks.ts';

/** As many are read before looking whether the page is full. */
const LIVES_AT_ONCE = 100;

/** The records of one kind: where they belong, and how they are read out of lives. */
export interface SealedKind<T> {
  readonly placeOf: (record: T) => Place;
  readonly ofLife: (life: Life) => readonly T[];
  readonly of: (week: WeekFile, ordinals: readonly number[]) => readonly T[];
}

export const TENURES: SealedKind<Tenure> = {
  placeOf: tenurePlace,
  ofLife: ({ tenures }) => tenures,
  of: (week, ordinals) => ordinals.flatMap((ordinal) => week.tenuresOf(ordinal)),
};

export const PLACEMENTS: SealedKind<Placement> = {
  placeOf: placementPlace,
  ofLife: ({ placement }) => (placement === undefined ? [] : [placement]),
  of: (week, ordinals) => week.placementsOf(ordinals),
};

export class Sealed {
  readonly #weeks: Weeks;

  constructor(weeks: Weeks) {
    this.#weeks = weeks;
  }

  /** Of one address, touching [from, to); `isEnough` is asked after each week. */
  tenures(
    cluster: ClusterEntry,
    ip: IpAddress,
    from: number,
    to: number,
    isEnough?: (found: readonly Tenure[]) => boolean,
  ): Tenure[] {
    const found: Tenure[] = [];
    const handle = ipHandle(ip);
    for (const entry of cluster.weeks) {
      const start = weekStart(entry.week);
      if (start + WEEK_MS <= from) continue;
      const week = this.#weeks.open(entry);
      if (to <= start && !week.mayReachBack(handle, to - 1)) continue;
      for (const { life } of week.candidates('ip', handle, from, to)) {
        for (const tenure of week.tenuresOf(life)) {
          if (tenure.ip === ip && tenure.start.notBefore < to && tenure.end!.notAfter > from) found.push(tenure);
        }
      }
      if (isEnough?.(found) === true) break;
    }
    return found;
  }

  has(cluster: ClusterEntry, tenure: Tenure): boolean {
    const key = tenureKey(tenure);
    return this.#lives(cluster, tenure.holder.uid).some(({ tenures }) =>
      tenures.some((other) => tenureKey(other) === key),
    );
  }

  hasPlacement(cluster: ClusterEntry, { pod }: Placement): boolean {
    return this.#lives(cluster, pod.uid).some(({ placement }) => placement !== undefined);
  }

  #lives(cluster: ClusterEntry, uid: string): Life[] {
    return cluster.weeks.flatMap((entry) => this.#weeks.open(entry).livesOf(uid));
  }

  /** Into `found`: those of one page and one more, week by week. */
  collect<T>(
    cluster: ClusterEntry,
    by: SealedLookup,
    kind: SealedKind<T>,
    span: Span,
    page: Page,
    wanted: (record: T) => boolean,
    found: T[],
  ): void {
    for (const week of this.#weeks.touching(cluster, span)) collectLives(week, by, kind, span, page, wanted, found);
  }
}

export type SealedLookup =
  | { readonly kind: 'uid'; readonly uid: string }
  | { readonly kind: HandleKind; readonly handle: number };

export function sealedLookup(subject: Subject): SealedLookup {
  if (subject.by === 'uid') return { kind: 'uid', uid: subject.uid };
  return { kind: subject.by, handle: lookupOf(subject).handle };
}

function collectLives<T>(
  week: WeekFile,
  sealed: SealedLookup,
  kind: SealedKind<T>,
  span: Span,
  page: Page,
  wanted: (record: T) => boolean,
  found: T[],
): void {
  const enough = new Enough(page);
  const take = (records: readonly T[]): void => {
    for (const record of records) if (wanted(record) && enough.take(kind.placeOf(record))) found.push(record);
  };
  if ('uid' in sealed) {
    for (const life of week.livesOf(sealed.uid)) take(kind.ofLife(life));
    return;
  }
  const candidates = week.candidates(sealed.kind, sealed.handle, span.from, span.to);
  for (let at = 0; at < candidates.length; at += LIVES_AT_ONCE) {
    if (enough.isPast(candidates[at]!.notBefore)) return;
    take(
      kind.of(
        week,
        candidates.slice(at, at + LIVES_AT_ONCE).map(({ life }) => life),
      ),
    );
  }
}
