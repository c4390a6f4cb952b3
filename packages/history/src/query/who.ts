// who(ip, t): the question that podtrail is about. A wrong answer is worse than "unknown"; this file is where that is
// decided.
import type { Engine } from '../engines/engine.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { Placement, Tenure } from '../model/records.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import type { Answer, AnsweredHolder, AnswerKind, UnknownReason } from './answer.ts';
import { gapAt, seesEverything, stretchAt, type WatchedTime, watchedTime } from './watched-time.ts';

export interface WhoQuestion {
  readonly cluster: string;
  readonly ip: IpAddress;
  readonly at: EpochMillis;
}

const MOST_HOST_NETWORK_PODS = 1000;
/** Conflicts are stored when they are seen, which is after they began. */
const CONFLICT_WINDOW_MS = 60_000;

export async function who(engine: Engine, question: WhoQuestion): Promise<Answer> {
  const { cluster, ip, at } = question;
  const [possible, coverage, expired] = await Promise.all([
    engine.tenuresAt(cluster, ip, at),
    engine.coverage(cluster),
    engine.expired(cluster),
  ]);
  const watched = watchedTime(coverage);
  const verdict = judge(
    possible,
    watched,
    at,
    expired.some((e) => e.from <= at && at < e.to),
  );
  const node = possible.find((t) => t.holder.kind === 'Node');
  const holders =
    node === undefined
      ? verdict.holders.map(answered)
      : [answered(node), ...(await hostNetworkPods(engine, cluster, node, at))];
  const span = { from: epochMillis(at - CONFLICT_WINDOW_MS), to: epochMillis(at + CONFLICT_WINDOW_MS) };
  const conflicts = verdict.holders.length > 1 ? await engine.conflicts(cluster, ip, span) : [];
  const stretch = stretchAt(watched, at);
  const gap = gapAt(watched, at);
  return {
    cluster,
    ip,
    at,
    answer: node === undefined ? verdict.answer : 'ambiguous',
    reason: node === undefined ? verdict.reason : undefined,
    provisional: false,
    holders,
    conflicts,
    coverage: { scope: stretch?.scope, from: stretch?.from, to: stretch?.to, gaps: gap === undefined ? [] : [gap] },
  };
}

interface Verdict {
  readonly answer: AnswerKind;
  readonly reason: UnknownReason | undefined;
  readonly holders: readonly Tenure[];
}

/** Pure: from the tenures that may have held at `at`, and what was watched, to one of the four answers. */
export function judge(possible: readonly Tenure[], watched: WatchedTime, at: EpochMillis, isExpired: boolean): Verdict {
  const certain = possible.filter((tenure) => certainlyHeld(tenure, watched, at));
  // Two can be possible at once, never two true: a certain holder rules the merely possible ones out.
  if (certain.length === 1) return { answer: 'held', reason: undefined, holders: certain };
  if (certain.length > 1) return { answer: 'ambiguous', reason: undefined, holders: certain };
  const open = possible.filter((tenure) => tenure.end !== undefined || at <= (watched.last ?? at));
  if (open.length > 0) return { answer: 'ambiguous', reason: undefined, holders: open };
  const reason = whyUnknown(watched, at, isExpired);
  return reason === undefined ? { answer: 'free', reason, holders: [] } : { answer: 'unknown', reason, holders: [] };
}

function certainlyHeld({ start, end }: Tenure, watched: WatchedTime, at: EpochMillis): boolean {
  if (start.notAfter > at) return false;
  // Still open: it held as far as anybody was watching, and a gap before that end is bridged by the far side.
  if (end === undefined) return watched.last !== undefined && at <= watched.last;
  return at < end.notBefore;
}

function whyUnknown(watched: WatchedTime, at: EpochMillis, isExpired: boolean): UnknownReason | undefined {
  if (isExpired) return 'expired';
  if (watched.first === undefined || at < watched.first) return 'before-first-record';
  const stretch = stretchAt(watched, at);
  if (stretch === undefined) return watched.last !== undefined && at > watched.last ? 'after-last-record' : 'gap';
  return seesEverything(stretch.scope) ? undefined : 'not-watched';
}

/** A node's address is shared by its host-network pods: any of them may be meant. */
async function hostNetworkPods(
  engine: Engine,
  cluster: string,
  node: Tenure,
  at: EpochMillis,
): Promise<AnsweredHolder[]> {
  const span = { from: at, to: epochMillis(at + 1) };
  const { items } = await engine.placementsOn(cluster, node.holder.name, span, { limit: MOST_HOST_NETWORK_PODS });
  return items.filter((placement) => placement.pod.hostNetwork).map(placed);
}

function answered({ holder, start, end }: Tenure): AnsweredHolder {
  return { ...holder, start, end };
}

function placed({ pod, start, end }: Placement): AnsweredHolder {
  return { ...pod, start, end };
}
