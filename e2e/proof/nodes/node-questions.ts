// What is asked about a run on real nodes, and how an answer is judged. Half of the instants are uniform in time, half
// lie within five seconds of a change of their address.
import type { Chance } from '../random.ts';
import type { PhysicalTruth } from './physical-truth.ts';

export interface NodeQuestion {
  readonly ip: string;
  readonly at: number;
  /** UIDs that are right; none: nobody held it. */
  readonly truth: readonly string[];
  readonly mechanism: string;
  /** The address was still reserved, for a network that was gone. */
  readonly networkGone: boolean;
  /** And its kubelet had reported since: a leak that no word of the API shows. */
  readonly leaked: boolean;
  /** Nobody who reads only the API can decide it. */
  readonly undecidable: boolean;
  readonly kind: 'address' | 'packet';
}

export type Verdict = 'right' | 'wrong' | 'ambiguous' | 'unknown';

export interface GivenAnswer {
  readonly answer: 'held' | 'free' | 'ambiguous' | 'unknown';
  /** The holder, or the candidates. */
  readonly uids: readonly string[];
  /** Of an answer that decides nothing: why, in the order of `uids`, or of `unknown` its reason. */
  readonly why?: readonly string[];
}

/** Our own observers are this late at most; nearer to a change than this, nobody can say what was so. */
const OBSERVERS_MS = 20;
const NEAR_MS = 5_000;

/** Only instants at least `marginMs` away from every change of their address. */
export function drawAddresses(truth: PhysicalTruth, count: number, marginMs: number, chance: Chance): NodeQuestion[] {
  const { from, to, addresses } = truth.run;
  const changes = truth.reservations.flatMap(({ ip, from: start, to: end }) =>
    [start, end].flatMap((at) => (at === undefined || at < from || at > to ? [] : [{ ip, at }])),
  );
  const questions: NodeQuestion[] = [];
  const margin = Math.max(marginMs, OBSERVERS_MS);
  for (let tries = 0; questions.length < count && tries < count * 100; tries++) {
    const near = questions.length % 2 === 1 && changes.length > 0;
    const change = near ? chance.pick(changes) : undefined;
    const ip = change?.ip ?? chance.pick(addresses);
    const at = Math.floor(
      change === undefined ? chance.between(from, to) : change.at + chance.between(-NEAR_MS, NEAR_MS),
    );
    if (at < from || at > to || truth.distance(ip, at) < margin) continue;
    const holder = truth.holderAt(ip, at);
    if (holder !== undefined && holder.uids.length === 0) continue;
    const mechanism = truth.mechanismAt(ip, at);
    const networkGone = holder?.down !== undefined && holder.down + OBSERVERS_MS < at;
    const leaked = networkGone && holder?.nodeBack !== undefined && holder.nodeBack < at;
    const undecidable = holder === undefined ? truth.isUnshownAt(ip, at) : !holder.shown;
    const uids = holder?.uids ?? [];
    questions.push({ ip, at, truth: uids, mechanism, networkGone, leaked, undecidable, kind: 'address' });
  }
  return questions;
}

export function drawPackets(truth: PhysicalTruth, count: number, marginMs: number, chance: Chance): NodeQuestion[] {
  const { from, to } = truth.run;
  const asked = truth.packets.filter(
    ({ ip, at, uids }) => at >= from && at <= to && uids.length > 0 && truth.distance(ip, at) >= marginMs,
  );
  const near = asked.filter(({ ip, at }) => truth.distance(ip, at) <= NEAR_MS);
  const questions: NodeQuestion[] = [];
  while (questions.length < count && asked.length > 0) {
    const { ip, at, uids, mechanism } = chance.pick(questions.length % 2 === 1 && near.length > 0 ? near : asked);
    const node = truth.holderAt(ip, at)?.node;
    const event = node === undefined ? undefined : truth.nodeEventAt(node, at);
    questions.push({
      ip,
      at: Math.floor(at),
      truth: uids,
      mechanism: event ?? mechanism,
      networkGone: false,
      leaked: false,
      undecidable: truth.holderAt(ip, at)?.shown === false,
      kind: 'packet',
    });
  }
  return questions;
}

/** Why it was not decided: of the true holder, who is among the candidates; where nobody held it, of the first. */
export function undecidedBy({ truth }: NodeQuestion, { uids, why = [] }: GivenAnswer): string {
  const holder = uids.findIndex((uid) => truth.includes(uid));
  return why[Math.max(0, holder)] ?? 'not said';
}

/** `ambiguous` without the true holder among its candidates is wrong; a packet was sent by somebody. */
export function judge(question: NodeQuestion, { answer, uids }: GivenAnswer): Verdict {
  const { truth } = question;
  const named = uids.some((uid) => truth.includes(uid));
  if (answer === 'unknown') return 'unknown';
  if (answer === 'free') return truth.length === 0 ? 'right' : 'wrong';
  if (answer === 'ambiguous') return truth.length === 0 || named ? 'ambiguous' : 'wrong';
  return truth.includes(uids[0] ?? '') ? 'right' : 'wrong';
}
