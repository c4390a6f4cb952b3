// What a store must know of a kind of occurrence, whatever the engine. registry.ts lists the kinds.
import type { Provenance } from '../../model/boundary.ts';
import type { IpAddress } from '../../model/ip-address.ts';
import type { ChangeValue, Holder } from '../../model/records.ts';
import type { Place } from '../order.ts';
import type { Line } from './line.ts';

export interface OccurrenceType<R> {
  /** In stores and in their sums. Invariant: given once, never changed, from 1 to MOST_KINDS - 1. */
  readonly number: number;
  /** Its time, and its key among those of its kind. A record with the key of a stored one replaces it. */
  place(record: R): Place;
  /** Who and what it is about: by this it is found. */
  about(record: R): About;
  /** Of two versions of one record, the one to keep; without it, the one that comes later. */
  readonly newer?: (stored: R, incoming: R) => R;
  /**
   * `own`: may be pruned alone, which leaves a range of its own, and goes first when room is short.
   * `shared`: goes with all else of its time.
   */
  readonly retention: 'own' | 'shared';
  /** Its body as bytes, for engines that pack records. */
  write(body: BodyWriter, record: R): void;
  read(body: BodyReader): R;
  /** From a line of an export. Throws LineProblem. */
  parse(line: Line): R;
}

/** So many places the sums have; the first is not used. */
export const MOST_KINDS = 16;

export interface About {
  readonly holders: readonly Named[];
  readonly ip?: IpAddress;
}

/** As much of a holder as a record knows. */
export type Named = Pick<Holder, 'uid'> & Partial<Pick<Holder, 'namespace' | 'name' | 'workload'>>;

export interface BodyWriter {
  provenance(provenance: Provenance): void;
  holder(holder: Holder): void;
  value(value: ChangeValue | undefined): void;
  text(value: string): void;
  byte(value: number): void;
  uint(value: number): void;
  int(value: number): void;
}

export interface BodyReader {
  /** A body may end early where later versions of a kind write more. */
  readonly isAtEnd: boolean;
  provenance(): Provenance;
  holder(): Holder;
  value(): ChangeValue | undefined;
  text(): string;
  byte(): number;
  uint(): number;
  int(): number;
}
