// What week files hold, whatever the head says of it: the head's version of a record wins, and the caller sees to that.
import { tenureKey } from '../../model/fact.ts';
import type { IpAddress } from '../../model/ip-address.ts';
import type { Placement, Tenure } from '../../model/records.ts';
import type { Page, Span, Subject } from '../engine.ts';
import type { Place } from '../order.ts';
import type { ClusterEntry } from './head.ts';
import { lookupOf } from './head-read.ts';
import { ipHandle } from './ip-key.ts';
import { Enough } from './page-filling.ts';
import type { Life } from './record-layout.ts';
import { WEEK_MS, weekStart } from './week.ts';
import type { WeekFile } from './week-file.ts';
import type { HandleKind } from './week-writer.ts';
import type { Weeks } from './weeks.ts';

export class Sealed {
  readonly #weeks: Weeks;

  constructor(weeks: Weeks) {
    this.#weeks = weeks;
  }

  /** Of one address, touching [from, to). */
  tenures(cluster: ClusterEntry, ip: IpAddress, from: number, to: number): Tenure[] {
    const found: Tenure[] = [];
    const handle = ipHandle(ip);
    for (const entry of cluster.weeks) {
      const start = weekStart(entry.week);
      if (start + WEEK_MS <= from) continue;
      const week = this.#weeks.open(entry);
      if (to <= start && !week.mayReachBack(handle, to - 1)) continue;
      for (const { life } of week.candidates('ip', handle, from, to)) {
        for (const tenure of week.life(life).tenures) {
          if (tenure.ip === ip && tenure.start.notBefore < to && tenure.end!.notAfter > from) found.push(tenure);
        }
      }
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
    span: Span,
    page: Page,
    placeOf: (record: T) => Place,
    recordsOf: (life: Life) => readonly T[],
    wanted: (record: T) => boolean,
    found: T[],
  ): void {
    for (const week of this.#weeks.touching(cluster, span)) {
      collectLives(week, by, span, page, placeOf, recordsOf, wanted, found);
    }
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
  span: Span,
  page: Page,
  placeOf: (record: T) => Place,
  recordsOf: (life: Life) => readonly T[],
  wanted: (record: T) => boolean,
  found: T[],
): void {
  const enough = new Enough(page);
  const takeFrom = (life: Life): void => {
    for (const record of recordsOf(life)) if (wanted(record) && enough.take(placeOf(record))) found.push(record);
  };
  if ('uid' in sealed) {
    for (const life of week.livesOf(sealed.uid)) takeFrom(life);
    return;
  }
  for (const { life, notBefore } of week.candidates(sealed.kind, sealed.handle, span.from, span.to)) {
    if (enough.isPast(notBefore)) return;
    takeFrom(week.life(life));
  }
}
