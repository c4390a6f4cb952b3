// What asking gives: exactly one of four answers, with what it rests on.
import type { Boundary, Provenance } from '../model/boundary.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { Conflict, Coverage, Holder } from '../model/records.ts';
import type { EpochMillis } from '../model/time.ts';
import type { Doubt } from './why-in-doubt.ts';

export type AnswerKind =
  /** One holder certainly held it. */
  | 'held'
  /** All pods of the cluster were being watched, and nobody held it. */
  | 'free'
  /** Within the bounds of a boundary, or a node's address, or two that claimed it: candidates are listed. */
  | 'ambiguous'
  /** Nobody was watching. */
  | 'unknown';

export type UnknownReason =
  | 'before-first-record'
  | 'gap'
  | 'expired'
  | 'after-last-record'
  | 'not-watched'
  /** Later than the asker's clock, whatever a wrong clock had the store claim. */
  | 'in-the-future'
  /** A part of the store that could have the answer is damaged or missing. */
  | 'damaged'
  /** The asker may see some namespaces only, and none of them had it: somebody else may have, or nobody. */
  | 'not-visible';

/** Why an answer is what it is, where that needs saying. */
export type AnswerReason =
  | UnknownReason
  /** With `free`: it lies outside everything that the cluster has been seen to use. */
  | 'outside';

export interface AnsweredHolder extends Holder {
  readonly start: Boundary;
  readonly end: Boundary | undefined;
  /** Why it is only a candidate; of an ambiguous answer that was explained (`withDoubts`). */
  readonly why?: Doubt;
}

export interface AnswerCoverage {
  readonly scope: Coverage['scope'] | undefined;
  /** The stretch of watching around the instant; undefined in a gap. */
  readonly from: EpochMillis | undefined;
  readonly to: EpochMillis | undefined;
  /** The gap in which the instant lies. */
  readonly gaps: readonly { readonly from: EpochMillis; readonly to: EpochMillis; readonly reason: string }[];
}

/** Invariant: `held` has exactly one holder, `free` and `unknown` have none, `ambiguous` has candidates. */
export type Answer = Held | Free | Ambiguous | Unknown;

interface AnswerBase {
  readonly cluster: string;
  readonly ip: IpAddress;
  readonly at: EpochMillis;
  /** The instant is later than what has been confirmed: the answer may still change. */
  readonly provisional: boolean;
  readonly conflicts: readonly Conflict[];
  readonly coverage: AnswerCoverage;
  /** The observations that the holders' boundaries rest on. */
  readonly evidence: readonly Provenance[];
}

/** What only some answers have, as it is where it is not: so that every field can be read of every answer. */
interface Without {
  readonly reason: undefined;
  readonly isOnly: false;
  readonly basis: undefined;
  readonly last: undefined;
  readonly next: undefined;
}

export interface Held extends AnswerBase, Omit<Without, 'basis'> {
  readonly answer: 'held';
  readonly holders: readonly [AnsweredHolder];
  /** What decided, where it is not the ledger alone: that the address was seen in use. */
  readonly basis: 'traffic' | undefined;
}

export interface Free extends AnswerBase, Omit<Without, 'reason' | 'last' | 'next'> {
  readonly answer: 'free';
  readonly holders: readonly [];
  readonly reason: 'outside' | undefined;
  /** Who had it before and after, where anybody did. */
  readonly last: AnsweredHolder | undefined;
  readonly next: AnsweredHolder | undefined;
}

export interface Ambiguous extends AnswerBase, Omit<Without, 'isOnly'> {
  readonly answer: 'ambiguous';
  /** The candidates, a node first. */
  readonly holders: readonly [AnsweredHolder, ...AnsweredHolder[]];
  /** It was the one candidate or nobody, so that whoever saw the address in use knows whose it was. */
  readonly isOnly: boolean;
}

export interface Unknown extends AnswerBase, Omit<Without, 'reason'> {
  readonly answer: 'unknown';
  readonly holders: readonly [];
  readonly reason: UnknownReason;
}
