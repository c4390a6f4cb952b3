// Who had an address when a row of a log was written: the answers of `who` and `whoDuring`, for many rows at once, in the
// form in which they are put beside a row.
import type { LedgerReader } from '../engines/snapshot.ts';
import type { Holder } from '../model/records.ts';
import { type EpochMillis, toText } from '../model/time.ts';
import type { AnsweredHolder } from '../query/answer.ts';
import { AnswerWindows } from '../query/answer-windows.ts';
import type { Visibility } from '../query/visibility.ts';
import type { Overlap } from '../query/who-during.ts';
import type { AttributedDocument, AttributionDocument, NeighbourDocument } from './schemas/index.ts';

export interface Attributed {
  readonly kind: Holder['kind'];
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly node: string;
  readonly workload: { readonly kind: string; readonly name: string } | undefined;
  readonly from: EpochMillis;
  readonly to: EpochMillis | undefined;
  /** The earliest and the latest instant that it may have had the address at. */
  readonly since?: EpochMillis | undefined;
  readonly until?: EpochMillis | undefined;
  /** The part of the row's window that may have been its; undefined where the row is an instant. */
  readonly overlap?: { readonly possible: number; readonly certain: number } | undefined;
}

/** One holder when held; several or one when ambiguous; none else. */
export interface Attribution {
  /** Empty where the row has no address there, as it may. */
  readonly answer: 'held' | 'free' | 'ambiguous' | 'unknown' | 'malformed' | '';
  readonly holders: readonly Attributed[];
  /** The watch has not confirmed that instant yet: it may still change. Only counted, there is no column for it. */
  readonly provisional: boolean;
  readonly reason?: AttributionDocument['reason'] | undefined;
  /** With `ambiguous`: it was the one candidate or nobody. */
  readonly isOnly?: boolean | undefined;
  /** The row's own traffic decided. */
  readonly basis?: 'traffic' | undefined;
  /** With `free`: who had the address before and after. */
  readonly last?: Attributed | undefined;
  readonly next?: Attributed | undefined;
}

export const MALFORMED: Attribution = { answer: 'malformed', holders: [], provisional: false };
export const NOTHING_ASKED: Attribution = { answer: '', holders: [], provisional: false };

export type AttributionWindows<T> = Pick<
  AnswerWindows<T>,
  'of' | 'want' | 'read' | 'answer' | 'askEach' | 'askEachDuring'
>;

/**
 * The ledger that is asked; `format` makes of each answer what the rows need. `aboutFree`: what is said of addresses that
 * nobody had is wanted too.
 */
export type AskAttributions = <T>(format: (attribution: Attribution) => T, aboutFree: boolean) => AttributionWindows<T>;

/** Not on one snapshot: a log may take hours, and each part of it is asked on a state of its own. */
export function askAttributions(
  reader: Pick<LedgerReader, 'snapshot'>,
  visibility: Visibility,
  cluster: string,
  now: () => EpochMillis,
): AskAttributions {
  return (format, aboutFree) =>
    new AnswerWindows(reader, {
      ...{ cluster, now, visibility, aboutFree },
      format: (answer, holders, provisional, overlaps, free, isOnly) =>
        format({
          answer,
          holders: holders.map((holder, i) => attributed(holder, overlaps?.[i])),
          provisional,
          reason: free?.reason === 'outside' ? free.reason : undefined,
          isOnly,
          last: free?.last && attributed(free.last),
          next: free?.next && attributed(free.next),
        }),
    });
}

/** As it stands in a JSON row. */
export function attributionDocument(attribution: Attribution): AttributionDocument {
  const { answer, holders, reason, basis, last, next } = attribution;
  const holder = answer === 'held' ? holders[0] : undefined;
  const workload = holder?.workload;
  return {
    answer,
    kind: holder?.kind ?? '',
    namespace: holder?.namespace ?? '',
    pod: holder?.name ?? '',
    uid: holder?.uid ?? '',
    node: holder?.node ?? '',
    workload: workload === undefined ? '' : `${workload.kind}/${workload.name}`,
    from: holder === undefined ? '' : toText(holder.from),
    to: holder?.to === undefined ? '' : toText(holder.to),
    candidates: answer === 'ambiguous' ? holders.map(candidateDocument) : [],
    ...(reason === undefined ? {} : { reason }),
    ...(basis === undefined ? {} : { basis }),
    ...(last === undefined ? {} : { last: neighbourDocument(last, last.to) }),
    ...(next === undefined ? {} : { next: neighbourDocument(next, next.from) }),
  };
}

function candidateDocument({ kind, namespace, name, uid, node, overlap }: Attributed): AttributedDocument {
  const holder = { kind, namespace, pod: name, uid, node };
  if (overlap === undefined) return holder;
  return { ...holder, overlap: rounded(overlap.possible), certain: rounded(overlap.certain) };
}

function neighbourDocument(
  { kind, namespace, name, uid, node }: Attributed,
  at: EpochMillis | undefined,
): NeighbourDocument {
  return { kind, namespace, pod: name, uid, node, at: at === undefined ? '' : toText(at) };
}

function rounded(share: number): number {
  return Math.round(share * 1e6) / 1e6;
}

function attributed(
  { kind, namespace, name, uid, node, workload, start, end }: AnsweredHolder,
  overlap?: Overlap | undefined,
): Attributed {
  const bounds = { since: start.notBefore, until: end?.notAfter };
  return { kind, namespace, name, uid, node, workload, from: start.at, to: end?.at, ...bounds, overlap };
}
