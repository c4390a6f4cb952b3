// Who is there now, and which addresses they show. Finds conflicts, and addresses that went over to another while their
// holder showed none; decides nothing else.
import type { Boundary, Provenance } from '../model/boundary.ts';
import { type Fact, type LiveHolder, possibleFact } from '../model/fact.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { Holder, Tenure } from '../model/records.ts';
import { clamp, type EpochMillis, epochMillis, latest, REPORTING_LAG_MS } from '../model/time.ts';
import { endKnownBy, isDoubtful, undecidedStart } from './boundaries.ts';
import { correctedLive, type WrongTime } from './clock-correction.ts';
import { GoingPods } from './going-pods.ts';
import { released } from './holder-life.ts';
import { HoldersByAddress } from './holders-by-address.ts';
import { type ObservationContext, provenanceOf } from './observation-context.ts';
import { stateOf } from './pod-life.ts';
import { isEndOpen } from './tenure-ends.ts';

/** A UID never comes back; so many of the last ones that ended are remembered, for corrections that come late. */
const REMEMBERED_ENDS = 1000;
/** Nobody saw these end, and a comparison may find them again only minutes later: more of them, and they are rare. */
const REMEMBERED_MISSES = 50_000;

export class LiveHolders {
  readonly #live = new Map<string, LiveHolder>();
  /** Who shows an address now; more than one is a conflict. */
  readonly #holding = new HoldersByAddress();
  readonly #ended = new Set<string>();
  /** With what was known of it. */
  readonly #missed = new Map<string, LiveHolder>();
  readonly #going = new GoingPods();
  /** Whose sandbox was lost, or that somebody else ended, by address: those that are there. */
  readonly #losing = new HoldersByAddress();
  /** Pods on a node that show no address, and of whose waiting nothing is stored. */
  readonly #awaiting = new Set<string>();
  readonly #mirrors = new Map<string, string>();

  constructor(live: readonly LiveHolder[]) {
    for (const holder of live) this.#add(holder);
  }

  get(uid: string): LiveHolder | undefined {
    return this.#live.get(uid);
  }

  /** Gone from the API, and perhaps still there. */
  get going(): GoingPods {
    return this.#going;
  }

  awaiting(): LiveHolder[] {
    return [...this.#awaiting].flatMap((uid) => this.#live.get(uid) ?? []);
  }

  /** The mirror pod of this identity that is there. */
  mirror(mirror: string): LiveHolder | undefined {
    const uid = this.#mirrors.get(mirror);
    return uid === undefined ? undefined : this.#live.get(uid);
  }

  /** Its end was seen: whatever says otherwise is late. */
  hasEnded(uid: string): boolean {
    return this.#ended.has(uid);
  }

  /** A listing lacked it, and nobody saw it end: if it shows up again, that listing was not whole. */
  missed(uid: string): LiveHolder | undefined {
    return this.#live.has(uid) ? undefined : this.#missed.get(uid);
  }

  of(kind: Holder['kind'], namespace: string | undefined): LiveHolder[] {
    const all = [...this.#live.values()];
    return all.filter(
      ({ holder }) => holder.kind === kind && (namespace === undefined || holder.namespace === namespace),
    );
  }

  /** Up to when it is known who held what, if nothing was delivered after `last`. */
  addressesKnownUntil(last: EpochMillis): EpochMillis {
    let known = last;
    for (const live of this.#live.values()) {
      const since = addressAwaitedSince(live, last);
      if (since !== undefined && since < known) known = since;
    }
    return known;
  }

  /** Takes over what a life's next step left to remember. Returns the step's facts. */
  replace(uid: string, live: LiveHolder | undefined, facts: readonly Fact[]): readonly Fact[] {
    const before = this.#live.get(uid);
    if (before !== undefined) this.#drop(before);
    if (live === undefined || isGone(live)) {
      this.#remember(uid, before && missedSince(before, facts));
      if (live !== undefined) this.#going.add(live);
      return facts;
    }
    // It was not gone, after all: what was open for want of proof ended before it is here again.
    const back = this.#going.remove(uid);
    const past = back === undefined ? [] : released(back, live.seenAt).facts.filter(({ kind }) => kind !== 'live');
    this.#add(live);
    return [...past, ...facts];
  }

  /** Its network is gone by `release`; `wasUnknown`: to its kubelet, so that it never had one. */
  release(uid: string, release: EpochMillis, wasUnknown = false): readonly Fact[] {
    const live = this.#going.remove(uid);
    return live === undefined ? [] : released(live, release, wasUnknown).facts;
  }

  /** It goes on as `live`, whose facts are stored already. */
  keep(live: LiveHolder): void {
    const before = this.#live.get(live.holder.uid);
    if (before !== undefined) this.#drop(before);
    this.#going.remove(live.holder.uid);
    this.#add(live);
  }

  /** Invariant: an address has at most one non-terminal holder; a violation is a stored conflict, never an overwrite. */
  conflicts(uid: string, context: ObservationContext): Fact[] {
    const { epoch, resourceVersion } = context;
    const provenance = provenanceOf(context);
    const live = this.#live.get(uid);
    const facts: Fact[] = [];
    for (const { ip, start } of heldBy(live)) {
      // Only at the beginning of the later one: a conflict is one record, however long it lasts.
      if (live === undefined || start.epoch !== epoch || start.resourceVersion !== resourceVersion) continue;
      for (const other of this.#holding.of(ip)) {
        const before = other === uid ? undefined : this.#live.get(other);
        if (before === undefined) continue;
        facts.push({ kind: 'conflict', conflict: { ...provenance, ip, holders: [before.holder, live.holder] } });
        if (before.blankSince !== undefined) facts.push(...this.#takenFrom(before, ip, before.blankSince, provenance));
      }
      if (!isDoubtful(start) && !live.holder.hostNetwork) facts.push(...this.#goneBy(ip, uid, start.notAfter));
    }
    return facts;
  }

  /** It has shown no address for a while, and another shows the one that it had: so long it has been gone, or less. */
  #takenFrom(blank: LiveHolder, ip: IpAddress, since: EpochMillis, provenance: Provenance): Fact[] {
    const { uid } = blank.holder;
    const facts: Fact[] = [];
    const kept: Tenure[] = [];
    for (const tenure of blank.tenures) {
      if (tenure.ip !== ip || tenure.end !== undefined) kept.push(tenure);
      else facts.push({ kind: 'tenure', tenure: takenSince(tenure, since, provenance) });
    }
    this.#holding.remove(ip, uid);
    const live: LiveHolder = { ...blank, tenures: kept };
    this.#live.set(uid, live);
    return [...facts, { kind: 'live', uid, live }];
  }

  /** Those that a wrong clock dated, as they read now; and what has changed of them. */
  correct(wrong: WrongTime): Fact[] {
    const facts: Fact[] = [];
    for (const [uid, missed] of this.#missed) this.#missed.set(uid, correctedLive(missed, wrong));
    for (const before of [...this.#live.values(), ...this.#going.all()]) {
      const { uid } = before.holder;
      const live = correctedLive(before, wrong);
      if (live === before) continue;
      if (isGone(live)) this.#going.add(live);
      else this.#live.set(uid, live);
      for (const tenure of live.tenures) facts.push({ kind: 'tenure', tenure });
      if (live.placement !== undefined) facts.push({ kind: 'placement', placement: live.placement });
      if (live.more?.possible !== undefined) facts.push(possibleFact(live.more.possible));
      facts.push({ kind: 'live', uid, live });
    }
    return facts;
  }

  /** Another pod has the address: whoever had it before has let go of it. */
  #goneBy(ip: IpAddress, uid: string, release: EpochMillis): Fact[] {
    const facts: Fact[] = [];
    const losing = this.#losing.of(ip).flatMap((other) => this.#live.get(other) ?? []);
    for (const other of [...this.#going.having(ip), ...losing]) {
      if (other.holder.uid === uid) continue;
      const tenures = other.tenures.map((tenure) => {
        if (tenure.ip !== ip || tenure.end === undefined || !isEndOpen(tenure)) return tenure;
        const end = endKnownBy(tenure.end, release);
        const known = { ...tenure, start: undecidedStart(tenure.start, end), end };
        facts.push({ kind: 'tenure', tenure: known });
        return known;
      });
      const live = { ...other, tenures };
      facts.push({ kind: 'live', uid: other.holder.uid, live });
      if (isGone(live)) this.#going.add(live);
      else this.keep(live);
    }
    return facts;
  }

  #drop(live: LiveHolder): void {
    const { uid } = live.holder;
    for (const { ip, end } of live.tenures) (end === undefined ? this.#holding : this.#losing).remove(ip, uid);
    this.#awaiting.delete(uid);
    if (live.more?.mirror !== undefined) this.#mirrors.delete(live.more.mirror);
    this.#live.delete(uid);
  }

  #add(live: LiveHolder): void {
    if (isGone(live)) {
      this.#going.add(live);
      return;
    }
    this.#live.set(live.holder.uid, live);
    if (isAwaiting(live)) this.#awaiting.add(live.holder.uid);
    if (live.more?.mirror !== undefined) this.#mirrors.set(live.more.mirror, live.holder.uid);
    for (const tenure of live.tenures) if (isEndOpen(tenure)) this.#losing.add(tenure.ip, live.holder.uid);
    this.#ended.delete(live.holder.uid);
    this.#missed.delete(live.holder.uid);
    for (const { ip } of heldBy(live)) this.#holding.add(ip, live.holder.uid);
  }

  #remember(uid: string, missed: LiveHolder | undefined): void {
    if (missed === undefined) {
      this.#ended.add(uid);
      forgetOldest(this.#ended, REMEMBERED_ENDS);
    } else {
      this.#missed.set(uid, missed);
      forgetOldest(this.#missed, REMEMBERED_MISSES);
    }
  }
}

function isGone({ more }: LiveHolder): boolean {
  return more?.going?.why === 'deleted';
}

/** On a node, and perhaps with an address that it does not show. */
function isAwaiting(live: LiveHolder): boolean {
  const { holder, more } = live;
  if (holder.kind !== 'Pod' || holder.hostNetwork || more?.possible !== undefined) return false;
  const { kind } = stateOf(live);
  return kind === 'bound' || kind === 'up' || (kind === 'going' && holder.node !== '');
}

function takenSince(tenure: Tenure, since: EpochMillis, provenance: Provenance): Tenure {
  const { start } = tenure;
  const notBefore = latest(start.notBefore, since) ?? since;
  const notAfter = latest(start.at, notBefore, provenance.observedAt) ?? notBefore;
  const at = clamp(start.at, notBefore, notAfter);
  const end: Boundary = { ...provenance, source: 'inferred', notBefore, at, notAfter };
  return { ...tenure, start: undecidedStart(start, end), end };
}

function forgetOldest(remembered: Set<string> | Map<string, unknown>, most: number): void {
  if (remembered.size <= most) return;
  for (const oldest of remembered.keys()) {
    remembered.delete(oldest);
    return;
  }
}

/**
 * A pod that has a node and shows no address may have had one since then: since its network came up, if it says so, for
 * its address is shown only with the next look, perhaps after images were pulled; else for as long as a report takes.
 */
function addressAwaitedSince(live: LiveHolder, last: EpochMillis): EpochMillis | undefined {
  const { holder, placement, terminal, networkReadyAt, networkLostAt } = live;
  if (holder.kind !== 'Pod' || holder.hostNetwork || terminal || heldBy(live).length > 0) return undefined;
  if (placement === undefined || placement.end !== undefined) return undefined;
  const unsaid = epochMillis(last - REPORTING_LAG_MS);
  const isUp = networkReadyAt !== undefined && networkLostAt === undefined;
  const since = isUp ? Math.min(unsaid, networkReadyAt - REPORTING_LAG_MS) : unsaid;
  return epochMillis(Math.max(placement.start.notBefore, since));
}

/**
 * Without those of a sandbox that was lost, which are remembered until there is another. A pod on the host network only
 * shows its node's address: it is in nobody's way.
 */
function heldBy(live: LiveHolder | undefined): readonly Tenure[] {
  return live === undefined || live.holder.hostNetwork ? [] : live.tenures.filter(({ end }) => end === undefined);
}

/** What it would go on from: its network counts as lost since the end that was inferred. */
function missedSince(before: LiveHolder, facts: readonly Fact[]): LiveHolder | undefined {
  for (const fact of facts) {
    const record = fact.kind === 'tenure' ? fact.tenure : fact.kind === 'placement' ? fact.placement : undefined;
    if (record?.end?.source !== 'inferred') continue;
    const placement = before.placement && { ...before.placement, end: record.end };
    const { notBefore: networkLostAt, observedAt: seenAt } = record.end;
    const { more: _, ...known } = before;
    return { ...known, tenures: [], placement, blankSince: undefined, networkLostAt, seenAt };
  }
  return undefined;
}
