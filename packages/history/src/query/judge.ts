// From what may have held an address at an instant, and what was being watched then, to one of the four answers. Pure:
// this file is where it is decided that a wrong answer is worse than "unknown".
import type { Tenure } from '../model/records.ts';
import { type EpochMillis, REPORTING_LAG_MS } from '../model/time.ts';
import { isDoubtful } from '../observe/boundaries.ts';
import type { UnknownReason } from './answer.ts';
import { LIVENESS_MS } from './liveness.ts';
import { isExpiredAt, lastSeen, seesEverything, stretchAt, type WatchedTime } from './watched-time.ts';

interface Judged {
  /** More may be reported about this instant: the answer may still change. */
  readonly provisional: boolean;
}

export type Verdict =
  | (Judged & { readonly answer: 'held'; readonly tenures: readonly [Tenure] })
  | (Judged & { readonly answer: 'free'; readonly tenures: readonly [] })
  | (Judged & {
      readonly answer: 'ambiguous';
      /** The candidates, a node first. */
      readonly tenures: readonly [Tenure, ...Tenure[]];
      /** It was the one candidate or nobody. Who knows that somebody had it knows who. */
      readonly isOnly: boolean;
    })
  | (Judged & { readonly answer: 'unknown'; readonly reason: UnknownReason; readonly tenures: readonly [] });

/** `possible` holds all tenures of the address that may have held at `at`; `now` is the reader's clock, if it is asked. */
export function judge(
  possible: readonly Tenure[],
  watched: WatchedTime,
  at: EpochMillis,
  now: EpochMillis | undefined,
): Verdict {
  if (now !== undefined && at > now) return unknown('in-the-future');
  // While the watch is open, an instant after the last word is answered from the present state.
  const asOf = knownInstant(watched, at, now);
  const certain = nodesFirst(possible.filter((tenure) => certainlyHeld(tenure, watched, at, asOf)));
  const [first] = certain;
  if (first !== undefined) {
    // Two can be possible at once, never two true: a certain holder rules the merely possible ones out.
    const isOne = certain.every(({ holder }) => holder.uid === first.holder.uid);
    // Whoever let go of it just then has perhaps not said so yet, either; services and nodes do not report, they are.
    const provisional = certain.some(
      ({ end, holder }) =>
        end === undefined && isUnconfirmed(watched, at, holder.kind === 'Pod' ? REPORTING_LAG_MS : 0),
    );
    const isShared = first.holder.kind === 'Node' || first.holder.hostNetwork;
    if (isOne && !isShared) return { answer: 'held', provisional, tenures: [first] };
    return { answer: 'ambiguous', provisional, tenures: [first, ...certain.slice(1)], isOnly: false };
  }
  // An end that is open for want of proof reaches as far as anybody was watching, as one that lasts does.
  const open = possible.filter((tenure) => isEnded(tenure) || asOf <= (lastSeen(watched, tenure.holder) ?? asOf));
  const reason = whyUnknown(watched, asOf);
  const [likeliest, ...others] = nodesFirst(open);
  if (likeliest !== undefined) {
    // Where not all of the cluster was being watched, it may have been somebody who was never seen.
    const isConfirmed = reason === undefined && !isUnconfirmed(watched, at, REPORTING_LAG_MS);
    const isOnly = isConfirmed && others.length === 0 && hasShown(likeliest);
    return { answer: 'ambiguous', provisional: isUnconfirmed(watched, at), tenures: [likeliest, ...others], isOnly };
  }
  if (reason !== undefined) return unknown(reason);
  // Whoever got the address just then has perhaps not said so yet.
  return { answer: 'free', provisional: isUnconfirmed(watched, at, REPORTING_LAG_MS), tenures: [] };
}

/**
 * Every instant at which `judge` may decide otherwise than a millisecond before, whatever the tenures; theirs are the
 * bounds of their boundaries. Invariant: between two neighbours of both, `judge` gives one verdict.
 */
export function turningPoints(watched: WatchedTime, now: EpochMillis | undefined): number[] {
  const points: number[] = [];
  for (const { from, confirmed, to } of [...watched.stretches, ...watched.partial]) {
    points.push(from, confirmed + 1, to + 1);
  }
  for (const { from, to } of watched.expired) points.push(from, to);
  const known = confirmedUntil(watched);
  if (known !== undefined) points.push(known - REPORTING_LAG_MS + 1, known + 1);
  if (watched.last !== undefined) points.push(watched.last + 1);
  if (now !== undefined) points.push(now + 1);
  return points;
}

/**
 * A pod or service with an address of its own, and this one was it. A pod that never showed one may have had any of its
 * node's, among them those of which the API knows nothing: a bridge or a router sends, too.
 */
function hasShown(tenure: Tenure): boolean {
  if (isDoubtful(tenure.start)) return false;
  return tenure.holder.kind !== 'Node' && !tenure.holder.hostNetwork;
}

function unknown(reason: UnknownReason): Verdict {
  return { answer: 'unknown', reason, provisional: false, tenures: [] };
}

function certainlyHeld(
  { holder, start, end }: Tenure,
  watched: WatchedTime,
  at: EpochMillis,
  asOf: EpochMillis,
): boolean {
  // What was stored since the watch last gave a sign of life counts too: it is part of the present state.
  if (start.notAfter > at) return false;
  // Still open: it held as far as anybody was watching, and a gap before that end is bridged by the far side.
  if (end === undefined) {
    const last = lastSeen(watched, holder);
    return last !== undefined && asOf <= last;
  }
  return at < end.notBefore;
}

function isEnded({ end }: Tenure): boolean {
  return end !== undefined && !isDoubtful(end);
}

/** The instant whose knowledge answers for `at`: while the watch lives, what it last said holds until now. */
export function knownInstant(watched: WatchedTime, at: EpochMillis, now: EpochMillis | undefined): EpochMillis {
  return isStillWatched(watched, at, now) ? (watched.last ?? at) : at;
}

function isStillWatched({ last, stretches }: WatchedTime, at: EpochMillis, now: EpochMillis | undefined): boolean {
  if (last === undefined || now === undefined || at <= last || at > now) return false;
  return now - last <= LIVENESS_MS && stretches.at(-1)?.ended === false;
}

/** How far everything has been reported; undefined when nobody watches now, and the past stays what it is. */
export function confirmedUntil({ stretches }: WatchedTime): EpochMillis | undefined {
  const present = stretches.at(-1);
  if (present === undefined || present.ended) return undefined;
  // The listing at its beginning may have been long under way: until more is reported, the gap before it may be, too.
  const isNew = present.confirmed <= present.from;
  return isNew ? (stretches.at(-2)?.confirmed ?? present.confirmed) : present.confirmed;
}

/** Later than what has been reported to the end; `lag`: what is reported may have happened this long before. */
function isUnconfirmed(watched: WatchedTime, at: EpochMillis, lag = 0): boolean {
  const known = confirmedUntil(watched);
  return known !== undefined && at > known - lag;
}

function whyUnknown(watched: WatchedTime, at: EpochMillis): UnknownReason | undefined {
  if (isExpiredAt(watched, at)) return 'expired';
  if (watched.first === undefined || at < watched.first) return 'before-first-record';
  const stretch = stretchAt(watched, at);
  if (stretch === undefined) return watched.last !== undefined && at > watched.last ? 'after-last-record' : 'gap';
  if (!seesEverything(stretch.scope)) return 'not-watched';
  return stretch.ended && at > stretch.confirmed ? 'gap' : undefined;
}

/**
 * Candidates, each once, the likelier before the others: nodes, which keep their address; who has shown this one; then who
 * showed none and may have had any. Pods on the host network of a node that is among them are not: whoever asks reads them
 * with it.
 */
function nodesFirst(tenures: readonly Tenure[]): readonly Tenure[] {
  // As of nearly every address.
  if (tenures.length <= 1) return tenures;
  const isNode = ({ holder }: Tenure) => holder.kind === 'Node';
  const nodes = new Set(tenures.filter(isNode).map(({ holder }) => holder.name));
  const rest = tenures.filter(
    ({ holder }) => holder.kind !== 'Node' && !(holder.hostNetwork && nodes.has(holder.node)),
  );
  const seen = new Set<string>();
  const shown = rest.filter(({ start }) => !isDoubtful(start));
  const others = rest.filter(({ start }) => isDoubtful(start));
  // Several tenures of one pod (its sandbox was made again) are one candidate.
  return [...tenures.filter(isNode), ...shown, ...others].filter(
    ({ holder }) => !seen.has(holder.uid) && seen.add(holder.uid),
  );
}
