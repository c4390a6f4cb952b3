// who(ip, t): the question that podtrail is about. Reads what judge.ts decides on, and adds what the answer rests on.
import type { Moment, Snapshot } from '../engines/snapshot.ts';
import type { Boundary, Provenance } from '../model/boundary.ts';
import type { IpAddress } from '../model/ip-address.ts';
import type { Coverage, Placement, Tenure } from '../model/records.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import type { Ambiguous, Answer, AnsweredHolder, Free, Held, Unknown, UnknownReason } from './answer.ts';
import { conflictsOf } from './conflicts.ts';
import { unlessDamaged } from './damage.ts';
import { judge, knownInstant, type Verdict } from './judge.ts';
import { type Finding, narrowedFinding, visibleConflicts } from './narrow.ts';
import { type Neighbours, neighboursOf } from './neighbours.ts';
import { type RangeReader, SeenRanges } from './seen-ranges.ts';
import { readTenuresAt } from './tenure-reads.ts';
import { ALL_VISIBLE, isHolderVisible, type Visibility, visibleScope } from './visibility.ts';
import { gapAt, gapSoonAfter, stretchAt, type WatchedTime, watchedTime } from './watched-time.ts';

export interface WhoQuestion {
  readonly ip: IpAddress;
  readonly at: EpochMillis;
  /** The asker's clock: instants between the last word of a living watch and now are then answered, provisionally. */
  readonly now?: EpochMillis | undefined;
  /** The address was seen in use then: that nobody had it is ruled out, and one candidate is the holder. */
  readonly seen?: boolean;
  /** What the asker may see; everything unless it says otherwise. */
  readonly visibility?: Visibility | undefined;
}

export const MOST_HOST_NETWORK_PODS = 1000;
/** Conflicts are stored when they are seen, which is after they began. */
const CONFLICT_WINDOW_MS = 60_000;

export async function who(snapshot: Snapshot, question: WhoQuestion): Promise<Answer> {
  const { ip, at } = question;
  const answer = await unlessDamaged(async () => {
    const [possible, watched] = await Promise.all([readTenuresAt(snapshot, ip, at), readWatchedTime(snapshot)]);
    return await completed(snapshot, question, await answerFrom(snapshot, question, possible, watched), watched);
  });
  return answer ?? damagedAnswer(snapshot.cluster, question);
}

/** An answer of `answerFrom` with what `who` adds to it. Held and unknown are complete as they are. */
export async function completed(
  snapshot: Snapshot,
  question: WhoQuestion,
  bare: Answer,
  watched: WatchedTime,
): Promise<Answer> {
  if (bare.answer === 'free') return await withFree(snapshot, bare, watched);
  return question.seen === true && bare.answer === 'ambiguous' && bare.isOnly ? inUse(bare) : bare;
}

/** What would have to be read cannot be: nothing is known, not even what was watched. */
export function damagedAnswer(cluster: string, { ip, at }: WhoQuestion): Unknown {
  const coverage = { scope: undefined, from: undefined, to: undefined, gaps: [] };
  const base = { cluster, ip, at, provisional: false, conflicts: [], coverage, evidence: [] };
  return { ...base, ...WITHOUT, answer: 'unknown', reason: 'damaged', holders: [] };
}

const WITHOUT = { reason: undefined, isOnly: false, basis: undefined, last: undefined, next: undefined } as const;

/** It was the one candidate or nobody, and it was not nobody. */
function inUse({ holders: [holder], ...answer }: Ambiguous): Held {
  return { ...answer, answer: 'held', holders: [holder], isOnly: false, basis: 'traffic' };
}

/** With what is known of an address that nobody had: whether anybody could have, and who had it before and after. */
async function withFree(snapshot: Snapshot, answer: Free, watched: WatchedTime): Promise<Free> {
  const [about] = await aboutFree(snapshot, [answer], watched, new SeenRanges());
  return { ...answer, ...about };
}

/** The same of moments at which nobody had the address. What is outside was never anybody's: nobody is looked for. */
export async function aboutFree(
  snapshot: RangeReader,
  free: readonly Moment[],
  watched: WatchedTime,
  ranges: SeenRanges,
): Promise<readonly Pick<Free, 'reason' | 'last' | 'next'>[]> {
  const outside = await ranges.areOutside(snapshot, free, watched);
  const inside = free.filter((_, i) => outside[i] === false);
  const around = inside.length === 0 ? [] : await neighboursOf(snapshot, inside, watched);
  let next = 0;
  return outside.map((isOutside) =>
    isOutside
      ? { reason: 'outside' as const, last: undefined, next: undefined }
      : { reason: undefined, ...neighbourHolders(around[next++]) },
  );
}

function neighbourHolders(around: Neighbours | undefined): Pick<Free, 'last' | 'next'> {
  return {
    last: around?.last === undefined ? undefined : answered(around.last),
    next: around?.next === undefined ? undefined : answered(around.next),
  };
}

export async function readWatchedTime(snapshot: Pick<Snapshot, 'coverage' | 'expired'>): Promise<WatchedTime> {
  const [coverage, expired] = await Promise.all([snapshot.coverage(), snapshot.expired()]);
  // Questions that share what they read share what follows from it.
  const known = WATCHED.get(coverage);
  if (known?.expired === expired) return known;
  const watched = watchedTime(coverage, expired);
  WATCHED.set(coverage, watched);
  return watched;
}

const WATCHED = new WeakMap<readonly Coverage[], WatchedTime>();

type RestReader = Pick<Snapshot, 'cluster' | 'hostNetworkPodsOn' | 'occurrences'>;

/** The rest of `who`, for those who have read the tenures and the coverage already. At once, unless more must be read. */
export function answerFrom(
  snapshot: RestReader,
  question: WhoQuestion,
  possible: readonly Tenure[],
  watched: WatchedTime,
): Answer | Promise<Answer> {
  const verdict = judge(possible, watched, question.at, question.now);
  const { tenures } = verdict;
  const isPlain = tenures.length === 0 || (tenures.length === 1 && sharedNode(tenures[0]) === undefined);
  const holders = tenures.map(answered);
  if (isPlain) return inFull(snapshot.cluster, question, verdict, watched, holders, []);
  return readRest(snapshot, question, verdict, watched, holders);
}

async function readRest(
  snapshot: RestReader,
  question: WhoQuestion,
  verdict: Verdict,
  watched: WatchedTime,
  holders: AnsweredHolder[],
): Promise<Answer> {
  const { ip, at } = question;
  // A node's address is shared by its host-network pods: any of them may be meant.
  const nodes = new Set(verdict.tenures.flatMap((tenure) => sharedNode(tenure) ?? []));
  for (const node of nodes) {
    const pods = await hostNetworkPods(snapshot, node, question);
    holders.push(...pods.filter(({ uid }) => !holders.some((holder) => holder.uid === uid)));
  }
  const span = { from: epochMillis(at - CONFLICT_WINDOW_MS), to: epochMillis(at + CONFLICT_WINDOW_MS) };
  // One that names somebody hidden is not shown: then none is read, either.
  const { visibility = ALL_VISIBLE } = question;
  const named = verdict.tenures.filter(({ holder, start }) => isHolderVisible(visibility, holder, start));
  const conflicts = named.length > 1 ? await conflictsOf(snapshot, ip, span) : [];
  return inFull(snapshot.cluster, question, verdict, watched, holders, conflicts);
}

function inFull(
  cluster: string,
  question: WhoQuestion,
  verdict: Verdict,
  watched: WatchedTime,
  holders: readonly AnsweredHolder[],
  conflicts: Answer['conflicts'],
): Answer {
  const { ip, at, now, visibility = ALL_VISIBLE } = question;
  const found = narrowedFinding(findingOf(verdict, holders), visibility, () => reasonUnseen(question, watched));
  const stretch = stretchAt(watched, knownInstant(watched, at, now));
  const isGap = found.answer === 'unknown' && found.reason === 'gap';
  const gap = gapAt(watched, at) ?? (isGap ? gapSoonAfter(watched, at) : undefined);
  const coverage = {
    scope: stretch && visibleScope(visibility, stretch.scope),
    from: stretch?.from,
    to: stretch?.to,
    gaps: gap === undefined ? [] : [gap],
  };
  const seen = visibleConflicts(conflicts, found.holders, visibility);
  const base = { cluster, ip, at, conflicts: seen, coverage, evidence: evidenceOf(found.holders), ...WITHOUT };
  return { ...base, ...found };
}

function findingOf(verdict: Verdict, [first, ...rest]: readonly AnsweredHolder[]): Finding {
  const { answer, provisional } = verdict;
  switch (answer) {
    case 'held':
      return { answer, provisional, holders: [first ?? answered(verdict.tenures[0])] };
    case 'free':
      return { answer, provisional, holders: [] };
    case 'ambiguous':
      return {
        ...{ answer, provisional, isOnly: verdict.isOnly },
        holders: [first ?? answered(verdict.tenures[0]), ...rest],
      };
    case 'unknown':
      return { answer, provisional, holders: [], reason: verdict.reason };
  }
}

/** As if there were no record: it says nothing about those that are hidden. */
function reasonUnseen({ at, now }: WhoQuestion, watched: WatchedTime): UnknownReason {
  const verdict = judge([], watched, at, now);
  return verdict.answer === 'unknown' ? verdict.reason : 'not-visible';
}

/** The first ones; of who sees some namespaces only, the first visible ones: how many there are is hidden. */
async function hostNetworkPods(snapshot: RestReader, node: string, question: WhoQuestion): Promise<AnsweredHolder[]> {
  const { at, visibility = ALL_VISIBLE } = question;
  const span = { from: at, to: epochMillis(at + 1) };
  const found: AnsweredHolder[] = [];
  let cursor: string | undefined;
  do {
    const page = await snapshot.hostNetworkPodsOn(node, span, { limit: MOST_HOST_NETWORK_PODS, cursor });
    for (const { pod, start, end } of page.items)
      if (isHolderVisible(visibility, pod, start)) found.push({ ...pod, start, end });
    cursor = page.cursor;
  } while (cursor !== undefined && found.length < MOST_HOST_NETWORK_PODS);
  return found.slice(0, MOST_HOST_NETWORK_PODS);
}

/** The node whose host network the address is part of: any pod there may be meant. */
export function sharedNode(tenure: Tenure | undefined): string | undefined {
  if (tenure === undefined) return undefined;
  const { kind, name, node, hostNetwork } = tenure.holder;
  return kind === 'Node' ? name : hostNetwork ? node : undefined;
}

/** The observations behind the boundaries, each once: the last word on it, at the place of the first. */
function evidenceOf(holders: readonly AnsweredHolder[]): Provenance[] {
  const [first, ...others] = holders;
  if (first === undefined) return [];
  // Of most answers there are two at most: texts as keys would cost more than the rest of it.
  if (others.length === 0) return ofBoundaries(first.start, first.end);
  const found = new Map<string, Provenance>();
  for (const { start, end } of holders) {
    for (const one of ofBoundaries(start, end)) found.set(`${one.source}|${one.epoch}|${one.resourceVersion}`, one);
  }
  return [...found.values()];
}

function ofBoundaries(start: Boundary, end: Boundary | undefined): Provenance[] {
  if (end === undefined) return [provenanceOf(start)];
  const isSame =
    start.resourceVersion === end.resourceVersion && start.epoch === end.epoch && start.source === end.source;
  return isSame ? [provenanceOf(end)] : [provenanceOf(start), provenanceOf(end)];
}

function provenanceOf({ source, epoch, resourceVersion, observedAt, collector }: Boundary): Provenance {
  return { source, epoch, resourceVersion, observedAt, collector };
}

export function answered({ holder, start, end }: Tenure): AnsweredHolder {
  return { ...holder, start, end };
}

export function placed({ pod, start, end }: Placement): AnsweredHolder {
  return { ...pod, start, end };
}
