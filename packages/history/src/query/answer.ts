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
  | 'damaged';

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

export interface Answer {
  readonly cluster: string;
  readonly ip: IpAddress;
  readonly at: EpochMillis;
  readonly answer: AnswerKind;
  /** With `unknown`, and with `free` where it is outside. */
  readonly reason: AnswerReason | undefined;
  /** The instant is later than what has been confirmed: the answer may still change. */
  readonly provisional: boolean;
  /** One with `held`; the candidates with `ambiguous`, a node first. */
  readonly holders: readonly AnsweredHolder[];
  /** With `ambiguous`: it was the one candidate or nobody, so that whoever saw the address in use knows whose it was. */
  readonly isOnly: boolean;
  /** What decided, where it is not the ledger alone: that the address was seen in use. */
  readonly basis: 'traffic' | undefined;
  /** With `free`: who had it before and after, where anybody did. */
  readonly last: AnsweredHolder | undefined;
  readonly next: AnsweredHolder | undefined;
  readonly conflicts: readonly Conflict[];
  readonly coverage: AnswerCoverage;
  /** The observations that the holders' boundaries rest on. */
  readonly evidence: readonly Provenance[];
}
