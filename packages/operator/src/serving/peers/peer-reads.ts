// What one replica reads of another's ledger, as JSON: reads of a snapshot, and the records that they give, in the form of
// an export. What arrives is looked at field by field: a peer may be of another version, or not be what it says.
import { type LedgerReader, LineProblem, readFact, type Snapshot } from '@podtrail/history';
import { epochMillis } from '@podtrail/history/wire';

/** Raised when records or reads change their meaning: replicas of two versions do not ask each other then. */
export const PEER_VERSION = 1;
export const PEER_PATH = '/peers/v1/reads';

type Kind = Parameters<Snapshot['occurrences']>[0]['kind'];
type Decode = (value: unknown, args: readonly unknown[]) => unknown;

export interface PeerRead {
  readonly read: string;
  readonly args: readonly unknown[];
}

export interface PeerRequest {
  readonly version: number;
  readonly cluster: string;
  /** Reads of one session see one state. */
  readonly session: string;
  readonly reads: readonly PeerRead[];
  /** The session is not used any more. */
  readonly isEnd?: boolean;
}

export interface PeerResponse {
  readonly version: number;
  readonly cluster: string;
  readonly collector: string;
  readonly results: readonly unknown[];
}

const paged =
  (kind: string): Decode =>
  (value) => {
    const { items, cursor } = objectOf(value);
    if (cursor !== undefined && typeof cursor !== 'string') throw new LineProblem('cursor is not a text');
    return { items: listOf(items).map((item) => recordOf(kind, item)), cursor };
  };

/** Every read that peers answer. Those of a whole ledger are not among them. */
const DECODERS: Readonly<Record<string, Decode>> = {
  tenuresOfIps: (value) => listOf(value).map((some) => (some === null ? undefined : recordsOf('tenure', some))),
  tenuresOf: paged('tenure'),
  placementsOf: paged('placement'),
  placementsOn: paged('placement'),
  hostNetworkPodsOn: paged('placement'),
  possibleTenures: (value) => recordsOf('possible', value),
  occurrences: (value, [question]) => paged((question as { readonly kind: Kind }).kind)(value, []),
  coverage: (value) => recordsOf('coverage', value),
  expired: (value) =>
    listOf(value).map((range) => {
      const { from, to } = objectOf(range);
      if (!Number.isSafeInteger(from) || !Number.isSafeInteger(to)) throw new LineProblem('a range is of two instants');
      return { from: epochMillis(from as number), to: epochMillis(to as number) };
    }),
};

export function isPeerRead(name: string): boolean {
  return Object.hasOwn(DECODERS, name);
}

/** Throws LineProblem. */
export function decodedResult({ read, args }: PeerRead, value: unknown): unknown {
  const decode = DECODERS[read];
  if (decode === undefined) throw new LineProblem(`there is no read called ${read}`);
  return decode(value, args);
}

export function runRead(
  snapshot: Awaited<ReturnType<LedgerReader['snapshot']>>,
  { read, args }: PeerRead,
): Promise<unknown> {
  const run = snapshot[read as 'coverage'] as (...args: readonly unknown[]) => Promise<unknown>;
  return run.apply(snapshot, [...args]);
}

function recordsOf(kind: string, value: unknown): unknown[] {
  return listOf(value).map((record) => recordOf(kind, record));
}

function recordOf(kind: string, record: unknown): unknown {
  const fact: Readonly<Record<string, unknown>> = readFact({ kind, key: '', [kind]: record });
  return fact[kind];
}

export function objectOf(value: unknown): Readonly<Record<string, unknown>> {
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>;
  throw new LineProblem('something is no object');
}

export function listOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return value;
  throw new LineProblem('something is no list');
}
