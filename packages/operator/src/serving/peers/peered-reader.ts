// The ledger of this replica, and those of its peers where it does not know: one bounded request to each, all at once.
// A peer that is down costs 300 ms once, and is then left out for a while; either is said. Peers answer from their own
// ledgers only, so no question goes round.
import {
  HistoryError,
  type Joined,
  type JoinedReader,
  type Part,
  type PeerReport,
  partOf,
  type Snapshot,
  UnionSnapshot,
} from '@podtrail/history';
import type { Clock } from '@podtrail/machinery';
import { PeerFailure } from './peer-failure.ts';
import { RemoteSnapshot } from './remote-snapshot.ts';

export interface PeeredReaderOptions {
  readonly own: JoinedReader;
  /** This replica, as its records name it. */
  readonly identity: string;
  /** Addresses of all replicas that are known now; this one may be among them. */
  readonly addresses: () => readonly string[];
  /** Rejects with PeerFailure; gives up when the signal aborts. */
  readonly send: (address: string, body: string, signal: AbortSignal) => Promise<string>;
  readonly clock: Clock;
  readonly session: () => string;
  /** Of a peer that was of use before, or failed otherwise before. */
  readonly onFailure?: (failure: PeerFailure) => void;
}

/** All that peers may cost a question, and how much of it until they must have said what they watched. */
const WHOLE_MS = 300;
const OPENING_MS = 200;
/** One that failed is not asked again for so long. */
const REST_MS = 5_000;
/** The address of this replica itself is looked at again: addresses are given to others. */
const OWN_MS = 60_000;
const ATTEMPTS = 3;

interface Opened {
  readonly address: string;
  readonly remote: RemoteSnapshot;
  readonly part: Part;
}

/** What is remembered of an address. Times by the monotonic clock. */
interface Known {
  /** Who was there the last time. */
  readonly name?: string | undefined;
  /** It is this replica itself, and not looked at again before. */
  readonly ownUntil?: number;
  /** It failed for this reason, and is not asked again before. */
  readonly resting?: { readonly until: number; readonly why: string } | undefined;
}

export class PeeredReader implements JoinedReader {
  /** Of this ledger alone: what it leaves open is asked again, with peers. */
  readonly answerPoints?: NonNullable<JoinedReader['answerPoints']>;
  readonly #options: PeeredReaderOptions;
  /** Invariant: of addresses that are known now, and no other. */
  #known: ReadonlyMap<string, Known> = new Map();

  constructor(options: PeeredReaderOptions) {
    this.#options = options;
    const { own } = options;
    if (own.answerPoints !== undefined) this.answerPoints = own.answerPoints.bind(own);
  }

  clusters(): ReturnType<JoinedReader['clusters']> {
    return this.#options.own.clusters();
  }

  snapshot(cluster: string): Promise<Snapshot> {
    return this.#options.own.snapshot(cluster);
  }

  async joined<T>(cluster: string, ask: (snapshot: Snapshot) => Promise<T>): Promise<Joined<T>> {
    const { clock } = this.#options;
    const failed = new Map<string, string>();
    const ends = new AbortController();
    const opening = new AbortController();
    const timers = [clock.setTimer(OPENING_MS, () => opening.abort()), clock.setTimer(WHOLE_MS, () => ends.abort())];
    const opened = await this.#open(cluster, failed, opening.signal, ends.signal);
    try {
      const value = await this.#ask(cluster, ask, opened, failed);
      return { value, peers: this.#reports(opened, failed) };
    } finally {
      for (const timer of timers) timer.cancel();
      for (const { remote } of opened) void remote.close();
      ends.abort();
    }
  }

  async #open(
    cluster: string,
    failed: Map<string, string>,
    opening: AbortSignal,
    ends: AbortSignal,
  ): Promise<readonly Opened[]> {
    const { addresses, clock, send, session, identity } = this.#options;
    const now = clock.monotonic();
    const all = addresses();
    this.#known = new Map(all.map((address) => [address, this.#known.get(address) ?? {}]));
    const asked = all.filter((address) => {
      const { ownUntil = 0, resting } = this.#known.get(address) ?? {};
      if (ownUntil > now) return false;
      if (resting === undefined || resting.until <= now) return true;
      failed.set(address, resting.why);
      return false;
    });
    const opened = await Promise.all(
      asked.map(async (address): Promise<Opened[]> => {
        let signal = AbortSignal.any([opening, ends]);
        const remote = new RemoteSnapshot(address, cluster, session(), (body) => send(address, body, signal));
        try {
          const part = await partOf(remote);
          signal = ends;
          const isOwn = remote.collector === identity;
          this.#remember(address, { name: remote.collector, ...(isOwn ? { ownUntil: now + OWN_MS } : {}) });
          if (!isOwn) return [{ address, remote, part }];
          void remote.close();
        } catch (error) {
          this.#fail(failed, address, error);
        }
        return [];
      }),
    );
    return opened.flat();
  }

  /** With fewer peers each time: undefined where none is left. */
  async #ask<T>(
    cluster: string,
    ask: (snapshot: Snapshot) => Promise<T>,
    opened: readonly Opened[],
    failed: Map<string, string>,
  ): Promise<T | undefined> {
    for (let attempt = 1; ; ) {
      const left = opened.filter(({ address }) => !failed.has(address));
      if (left.length === 0) return undefined;
      const own = await this.#options.own.snapshot(cluster);
      try {
        return await ask(new UnionSnapshot([await partOf(own), ...left.map(({ part }) => part)]));
      } catch (error) {
        if (error instanceof PeerFailure) this.#fail(failed, error.peer, error);
        else if (hasCode(error, 'union-too-large'))
          for (const { address } of left) failed.set(address, 'has too much about it to be joined');
        else if (!hasCode(error, 'snapshot-too-old') || attempt++ === ATTEMPTS) throw error;
      } finally {
        await own.close();
      }
    }
  }

  #fail(failed: Map<string, string>, address: string, error: unknown): void {
    const failure = error instanceof PeerFailure ? error : new PeerFailure(address, 'failed', { cause: error });
    const { why, isLasting } = failure;
    const { name, resting } = this.#known.get(address) ?? {};
    failed.set(address, why);
    if (resting?.why !== why) this.#options.onFailure?.(failure);
    if (isLasting)
      this.#remember(address, { name, resting: { why, until: this.#options.clock.monotonic() + REST_MS } });
  }

  /** Not of one that has gone meanwhile. */
  #remember(address: string, known: Known): void {
    if (this.#known.has(address)) this.#known = new Map([...this.#known, [address, known]]);
  }

  #reports(opened: readonly Opened[], failed: ReadonlyMap<string, string>): readonly PeerReport[] {
    const nameOf = (address: string) => this.#known.get(address)?.name ?? address;
    const answered = opened
      .filter(({ address }) => !failed.has(address))
      .map(({ address }) => ({ collector: nameOf(address), answered: true }));
    const silent = Array.from(failed, ([address, why]) => ({ collector: nameOf(address), answered: false, why }));
    return [...answered, ...silent].sort((a, b) => (a.collector < b.collector ? -1 : 1));
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof HistoryError && error.code === code;
}
