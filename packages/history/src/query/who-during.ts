// who(ip, window): a row of a flow log covers a stretch of time, and whoever held the address at any instant of it may be
// meant. `held` only if one holder certainly held it throughout; `free` only if certainly nobody did at any instant;
// `unknown` if nobody is known who could have, and not all of it was watched; else `ambiguous`, with everybody who may
// have held it, and for how much of the window. Both ends belong to the window.
import type { Snapshot, Span } from '../engines/snapshot.ts';
import { HistoryError } from '../errors.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { Placement, Tenure } from '../model/records.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import type { AnsweredHolder, AnswerKind, AnswerReason } from './answer.ts';
import { boundariesOf, cutsOf, judgedParts, mayBeThere, nodesOf } from './answers-within.ts';
import { unlessDamaged } from './damage.ts';
import { judge, turningPoints, type Verdict } from './judge.ts';
import { LARGEST_PAGE } from './limits.ts';
import { readTenuresOfIps } from './tenure-reads.ts';
import type { WatchedTime } from './watched-time.ts';
import { answered, MOST_HOST_NETWORK_PODS, placed, readWatchedTime } from './who.ts';

export interface DuringQuestion {
  readonly ip: IpAddress;
  /** The first and the last instant of the window; both belong to it. */
  readonly from: EpochMillis;
  readonly to: EpochMillis;
  /** The asker's clock, as for `who`. */
  readonly now?: EpochMillis | undefined;
}

/** For how much of the window somebody may have held the address. */
export interface Overlap {
  /** The first and the last instant at which it may have held it. */
  readonly from: EpochMillis;
  readonly to: EpochMillis;
  /** Parts of the window, 0 to 1: where it may have held it, and where it certainly did. */
  readonly possible: number;
  readonly certain: number;
}

export interface DuringHolder extends AnsweredHolder {
  readonly overlap: Overlap;
}

export interface DuringAnswer {
  readonly cluster: string;
  readonly ip: IpAddress;
  readonly from: EpochMillis;
  readonly to: EpochMillis;
  readonly answer: AnswerKind;
  readonly reason: AnswerReason | undefined;
  /** So of at least one instant of it. */
  readonly provisional: boolean;
  /** One with `held`; with `ambiguous` nodes first, then by how much of the window may have been theirs. */
  readonly holders: readonly DuringHolder[];
  /** With `ambiguous`: at each of its instants it was the one candidate or nobody. */
  readonly isOnly: boolean;
  /** Which part of the window has which answer; together 1. */
  readonly shares: Readonly<Record<AnswerKind, number>>;
}

/** [from, to) in which `who` gives one answer at every instant. */
interface AnsweredPart {
  readonly from: number;
  readonly to: number;
  readonly verdict: Verdict;
  readonly holders: readonly AnsweredHolder[];
}

export async function whoDuring(snapshot: Snapshot, question: DuringQuestion): Promise<DuringAnswer> {
  const { ip } = question;
  const span = spanOf(question);
  const answer = await unlessDamaged(async () => {
    const [[tenures], watched] = await Promise.all([
      readTenuresOfIps(snapshot, [{ ip, ...span }], LARGEST_PAGE),
      readWatchedTime(snapshot),
    ]);
    return await duringFrom(snapshot, question, tenures, watched);
  });
  return answer ?? damagedDuring(snapshot.cluster, question);
}

export function damagedDuring(cluster: string, { ip, from, to }: DuringQuestion): DuringAnswer {
  const shares = { held: 0, free: 0, ambiguous: 0, unknown: 1 };
  return {
    cluster,
    ip,
    from,
    to,
    answer: 'unknown',
    reason: 'damaged',
    provisional: false,
    holders: [],
    isOnly: false,
    shares,
  };
}

/** The rest of it, for those who have read the tenures that touch the window, oldest first, and the coverage. */
export async function duringFrom(
  snapshot: Pick<Snapshot, 'cluster' | 'hostNetworkPodsOn'>,
  question: DuringQuestion,
  tenures: readonly Tenure[] | undefined,
  watched: WatchedTime,
): Promise<DuringAnswer> {
  const { ip, from, to, now } = question;
  if (tenures === undefined) {
    throw new HistoryError('window-too-full', `${ip} changed hands more than ${LARGEST_PAGE} times in that window`, {
      hint: 'ask for a shorter one.',
    });
  }
  const span = spanOf(question);
  const points = turningPoints(watched, now).map((at) => ({ notBefore: at, notAfter: at }));
  const cuts = cutsOf(span, [...tenures.flatMap(boundariesOf), ...points]);
  const parts: AnsweredPart[] = [];
  for (const part of judgedParts(cuts, tenures, watched, now)) {
    const verdict = part.verdict ?? judge([], watched, epochMillis(part.from), now);
    const holders = verdict.tenures.map(answered);
    const nodes = nodesOf(verdict);
    if (nodes.length === 0) parts.push({ from: part.from, to: part.to, verdict, holders });
    else parts.push(...(await withHostNetworkPods(snapshot, part.from, part.to, verdict, nodes)));
  }
  return { cluster: snapshot.cluster, ip, from, to, ...summedUp(parts, span) };
}

function spanOf({ from, to }: DuringQuestion): Span {
  if (to < from) throw new HistoryError('bad-span', 'the window ends before it begins', { hint: 'swap its ends.' });
  return { from, to: epochMillis(to + 1) };
}

/** The pods of a node's network come and go while the node has its address. */
async function withHostNetworkPods(
  snapshot: Pick<Snapshot, 'hostNetworkPodsOn'>,
  from: number,
  to: number,
  verdict: Verdict,
  nodes: readonly string[],
): Promise<AnsweredPart[]> {
  const span = { from: epochMillis(from), to: epochMillis(to) };
  const pods: Placement[] = [];
  for (const node of nodes) {
    const { items } = await snapshot.hostNetworkPodsOn(node, span, { limit: MOST_HOST_NETWORK_PODS });
    // A pod that shows the address itself is among the tenures.
    pods.push(...items.filter(({ pod }) => !verdict.tenures.some(({ holder }) => holder.uid === pod.uid)));
  }
  const cuts = cutsOf(span, pods.flatMap(boundariesOf));
  return cuts.slice(0, -1).map((at, i) => ({
    from: at,
    to: cuts[i + 1] as number,
    verdict,
    holders: [...verdict.tenures.map(answered), ...pods.filter((pod) => mayBeThere(pod, at)).map(placed)],
  }));
}

interface Stay {
  readonly holder: AnsweredHolder;
  readonly from: number;
  to: number;
  possible: number;
  certain: number;
}

type Summary = Pick<DuringAnswer, 'answer' | 'reason' | 'provisional' | 'holders' | 'isOnly' | 'shares'>;

function summedUp(parts: readonly AnsweredPart[], span: Span): Summary {
  const whole = span.to - span.from;
  const shares = { held: 0, free: 0, ambiguous: 0, unknown: 0 };
  const stays = new Map<string, Stay>();
  for (const { from, to, verdict, holders } of parts) {
    const length = to - from;
    shares[verdict.answer] += length / whole;
    for (const holder of holders) {
      const stay: Stay = stays.get(holder.uid) ?? { holder, from, to, possible: 0, certain: 0 };
      stays.set(holder.uid, stay);
      stay.to = to;
      stay.possible += length;
      if (verdict.answer === 'held') stay.certain += length;
    }
  }
  const provisional = parts.some(({ verdict }) => verdict.provisional);
  const holders = [...stays.values()].sort(nodesFirstThenLongest).map(({ holder, from, to, possible, certain }) => ({
    ...holder,
    overlap: {
      from: epochMillis(from),
      to: epochMillis(to - 1),
      possible: possible / whole,
      certain: certain / whole,
    },
  }));
  const all = (answer: AnswerKind) => parts.every(({ verdict }) => verdict.answer === answer);
  const unknown = parts.map(({ verdict }) => verdict).find(({ answer }) => answer === 'unknown');
  const reason = unknown?.answer === 'unknown' ? unknown.reason : undefined;
  if (holders.length === 0) {
    const answer = all('free') ? 'free' : 'unknown';
    return { answer, reason, provisional, holders, isOnly: false, shares };
  }
  const answer = all('held') && holders.length === 1 ? 'held' : 'ambiguous';
  // While an instant of it is provisional, another may have got the address and not shown it yet.
  const isOnly =
    answer === 'ambiguous' &&
    holders.length === 1 &&
    !provisional &&
    parts.every(({ verdict }) =>
      verdict.answer === 'ambiguous' ? verdict.isOnly === true : verdict.answer !== 'unknown',
    );
  return { answer, reason: undefined, provisional, holders, isOnly, shares };
}

function nodesFirstThenLongest(a: Stay, b: Stay): number {
  const isNode = ({ holder }: Stay) => Number(holder.kind === 'Node');
  return isNode(b) - isNode(a) || b.certain - a.certain || b.possible - a.possible || a.from - b.from;
}
