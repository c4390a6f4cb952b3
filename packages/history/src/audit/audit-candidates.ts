// What an audit log shows of addresses in times that nobody watched, as candidates: from the first to the last time that an
// answer showed a pod with an address, the pod may have had it. Never a certain holder: the log shows some instants, and
// nobody says what was in between. What the ledger watched itself, or may yet, is left to it.
import type { Snapshot } from '../engines/snapshot.ts';
import type { Boundary } from '../model/boundary.ts';
import type { StoredFact } from '../model/fact.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { Coverage, Holder, Tenure } from '../model/records.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import { AUDIT_COLLECTOR } from './audit-collector.ts';
import type { AuditedAction } from './audited-action.ts';

export interface CandidateTally {
  /** Candidates that were given out; one that was given out before, and reaches further now, once more. */
  stored: number;
  /** Addresses that were shown in times that the ledger watched, or goes on from. */
  watched: number;
  /** In times that it has forgotten. */
  expired: number;
}

interface Stay {
  readonly ip: IpAddress;
  readonly holder: Holder;
  /** Of the unwatched time in which it lies: when that began. */
  readonly unwatchedSince: number;
  first: number;
  last: number;
}

/** What is kept of pods that may be shown again. */
const MOST_OPEN = 20_000;
const AT_ONCE = 16;
/** What was shown was so until the answer, and a moment longer. */
const MOMENT_MS = 1000;
const FAR = epochMillis(Date.UTC(9999, 0, 1));

export class AuditCandidates {
  readonly tally: CandidateTally = { stored: 0, watched: 0, expired: 0 };
  /** In the order of their last sighting. */
  readonly #stays = new Map<string, Stay>();
  readonly #coverage: readonly Coverage[];
  readonly #lastSeen: number;
  readonly #isForgotten: (at: number) => boolean;
  readonly #now: EpochMillis;

  private constructor(coverage: readonly Coverage[], isForgotten: (at: number) => boolean, now: EpochMillis) {
    this.#coverage = coverage.filter(({ scope }) => scope.kind === 'cluster');
    this.#lastSeen = this.#coverage.reduce((last, { to }) => Math.max(last, to), 0);
    this.#isForgotten = isForgotten;
    this.#now = now;
  }

  /** What is watched must not grow meanwhile: the caller is the one writer of the store. */
  static async open(snapshot: Snapshot, now: EpochMillis): Promise<AuditCandidates> {
    const [coverage, expired] = await Promise.all([snapshot.coverage(), snapshot.expired()]);
    return new AuditCandidates(coverage, (at) => expired.some(({ from, to }) => from <= at && at < to), now);
  }

  /** More are kept than should be: `take` makes room. */
  get isFull(): boolean {
    return this.#stays.size > MOST_OPEN;
  }

  add({ at, answeredAt, outcome, sighting }: AuditedAction): void {
    if (sighting === undefined || outcome.kind !== 'allowed' || at > this.#now) return;
    const last = Math.max(at, answeredAt ?? at);
    const unwatchedSince = this.#unwatchedSince(at, last);
    if (this.#isForgotten(at)) this.tally.expired++;
    else if (unwatchedSince === undefined) this.tally.watched++;
    else
      for (const ip of sighting.ips)
        this.#see({ ip, holder: sighting.holder, unwatchedSince, first: at, last }, sighting.hasEnded);
  }

  #see(seen: Stay, hasEnded: boolean): void {
    const key = `${seen.holder.uid}|${seen.ip}|${seen.unwatchedSince}`;
    const before = this.#stays.get(key);
    // Of a pod that had ended before it was first seen, nobody knows when it had the address.
    if (before === undefined && hasEnded) return;
    this.#stays.delete(key);
    this.#stays.set(key, before === undefined ? seen : joined(before, seen));
  }

  /** When the time began that nobody watched and in which both lie. Undefined: somebody watched, or may yet. */
  #unwatchedSince(from: number, to: number): number | undefined {
    if (this.#coverage.length === 0) return 0;
    // A recorder that starts again goes on from its checkpoint: then that time will have been watched.
    if (to + MOMENT_MS >= this.#lastSeen) return undefined;
    let since = 0;
    for (const one of this.#coverage) {
      if (one.from <= to + MOMENT_MS && from <= one.to) return undefined;
      if (one.to < from) since = Math.max(since, one.to);
    }
    return since;
  }

  /** What is to be stored, `all` of it or what must make room. Joined with what an earlier import has stored. */
  async take(snapshot: Snapshot, all: boolean): Promise<StoredFact[]> {
    const some = [...this.#stays].slice(0, all ? undefined : MOST_OPEN / 2);
    const found: StoredFact[] = [];
    for (let i = 0; i < some.length; i += AT_ONCE) {
      const stays = some.slice(i, i + AT_ONCE).map(([, stay]) => stay);
      const stored = await Promise.all(stays.map((stay) => readStored(snapshot, stay)));
      for (const [j, stay] of stays.entries()) {
        const before = stored[j];
        const tenure = tenureOf(before === undefined ? stay : joined(before, stay));
        found.push({ kind: 'tenure', tenure });
      }
    }
    // Only now: a snapshot that ends meanwhile is asked again.
    for (const [key] of some) this.#stays.delete(key);
    this.tally.stored += found.length;
    return found;
  }
}

function joined(a: Stay, b: Stay): Stay {
  return { ...b, first: Math.min(a.first, b.first), last: Math.max(a.last, b.last) };
}

async function readStored(snapshot: Snapshot, stay: Stay): Promise<Stay | undefined> {
  const { uid } = stay.holder;
  const span = { from: epochMillis(0), to: FAR };
  const { items } = await snapshot.tenuresOf({ by: 'uid', uid }, span, { limit: 1000 });
  const version = String(stay.unwatchedSince);
  const found = items.find(
    ({ ip, start }) => ip === stay.ip && start.source === 'audit' && start.resourceVersion === version,
  );
  if (found?.end === undefined) return undefined;
  return { ...stay, first: found.start.at, last: found.end.at };
}

/** Bounds as wide as the stay: a candidate at every instant of it, a certain holder at none. */
function tenureOf({ ip, holder, unwatchedSince, first, last }: Stay): Tenure {
  const boundary = (at: number): Boundary => ({
    at: epochMillis(at),
    notBefore: epochMillis(first),
    notAfter: epochMillis(last + MOMENT_MS),
    ...{ source: 'audit', epoch: 0, resourceVersion: String(unwatchedSince) },
    observedAt: epochMillis(last),
    collector: AUDIT_COLLECTOR,
  });
  return { ip, holder, start: boundary(first), end: boundary(last) };
}
