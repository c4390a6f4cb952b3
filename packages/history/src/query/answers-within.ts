// All answers about one address within a span of settled time: where they change, and what they are in between. The
// same as `who` at every instant of the span, because judge decides here too. At once, unless pods of a node must be read.
import type { Snapshot, Span } from '../engines/snapshot.ts';
import type { Boundary } from '../model/boundary.ts';
import type { Placement, Tenure } from '../model/records.ts';
import type { EpochMillis } from '../model/time.ts';
import type { AnsweredHolder, AnswerKind } from './answer.ts';
import { judge, turningPoints, type Verdict } from './judge.ts';
import type { WatchedTime } from './watched-time.ts';
import { answered, MOST_HOST_NETWORK_PODS, placed, sharedNode } from './who.ts';

export interface SpanQuestion<T> {
  /** Invariant: all of it has been reported to the end, so that no answer in it depends on the asker's clock. */
  readonly span: Span;
  /** All of the address that touch the span, oldest first. */
  readonly tenures: readonly Tenure[];
  readonly watched: WatchedTime;
  readonly now: EpochMillis | undefined;
  format(answer: AnswerKind, holders: readonly AnsweredHolder[], isOnly: boolean): T;
}

export interface SpanAnswers<T> {
  /** Sorted, within the span. */
  readonly bounds: readonly number[];
  /** One more than bounds; undefined where no tenure touches. */
  readonly answers: readonly (T | undefined)[];
}

/** [from, to) with one verdict. */
export interface Part {
  readonly from: number;
  readonly to: number;
  /** Undefined where no tenure touches. */
  readonly verdict: Verdict | undefined;
}

/** The promise gives undefined when there are too many pods on a node to work with. */
export function answersWithin<T>(
  snapshot: Pick<Snapshot, 'hostNetworkPodsOn'>,
  question: SpanQuestion<T>,
): SpanAnswers<T> | Promise<SpanAnswers<T> | undefined> {
  if (question.tenures.length === 0) return { bounds: [], answers: [undefined] };
  const parts = partsOf(question);
  if (parts.some(({ verdict }) => nodesOf(verdict).length > 0)) return withNodes(snapshot, question, parts);
  const answers = parts.map(({ verdict }) =>
    verdict === undefined ? undefined : question.format(verdict.answer, verdict.tenures.map(answered), isOnly(verdict)),
  );
  return { bounds: parts.slice(1).map(({ from }) => from), answers };
}

/** Between two neighbouring bounds of tenures everything that judge looks at stays as it is, but for what was watched. */
function partsOf<T>({ span, tenures, watched, now }: SpanQuestion<T>): Part[] {
  const points = turningPoints(watched, now).map((at) => ({ notBefore: at, notAfter: at }));
  const cuts = cutsOf(span, [...tenures.flatMap(boundariesOf), ...points]);
  return judgedParts(cuts, tenures, watched, now);
}

/** One part between each two neighbouring cuts, between which nothing changes that judge looks at. */
export function judgedParts(
  cuts: readonly number[],
  tenures: readonly Tenure[],
  watched: WatchedTime,
  now: EpochMillis | undefined,
): Part[] {
  const parts: Part[] = [];
  let possible: Tenure[] = [];
  let next = 0;
  for (let i = 0; i < cuts.length - 1; i++) {
    const from = cuts[i] as EpochMillis;
    possible = possible.filter(({ end }) => end === undefined || end.notAfter > from);
    for (; next < tenures.length && (tenures[next] as Tenure).start.notBefore <= from; next++) {
      const tenure = tenures[next] as Tenure;
      if (tenure.end === undefined || tenure.end.notAfter > from) possible.push(tenure);
    }
    const verdict = possible.length === 0 ? undefined : judge(possible, watched, from, now);
    parts.push({ from, to: cuts[i + 1] as number, verdict });
  }
  return parts;
}

/** A node's address is shared by its host-network pods, and those come and go too. */
async function withNodes<T>(
  snapshot: Pick<Snapshot, 'hostNetworkPodsOn'>,
  { span, format }: SpanQuestion<T>,
  parts: readonly Part[],
): Promise<SpanAnswers<T> | undefined> {
  const names = [...new Set(parts.flatMap(({ verdict }) => nodesOf(verdict)))];
  const page = { limit: MOST_HOST_NETWORK_PODS };
  const pages = await Promise.all(names.map((name) => snapshot.hostNetworkPodsOn(name, span, page)));
  if (pages.some(({ cursor }) => cursor !== undefined)) return undefined;
  const pods = new Map(names.map((name, i) => [name, pages[i]?.items ?? []]));
  const bounds: number[] = [];
  const answers: (T | undefined)[] = [];
  for (const { from, to, verdict } of parts) {
    const around = nodesOf(verdict).flatMap((name) => pods.get(name) ?? []);
    const cuts = cutsOf({ from, to }, around.flatMap(boundariesOf));
    for (const at of cuts.slice(0, -1)) {
      if (at > span.from) bounds.push(at);
      if (verdict === undefined) answers.push(undefined);
      else {
        const isNamed = ({ pod }: Placement) => verdict.tenures.some(({ holder }) => holder.uid === pod.uid);
        const there = nodesOf(verdict).flatMap((name) =>
          (pods.get(name) ?? []).filter((pod) => mayBeThere(pod, at) && !isNamed(pod)),
        );
        answers.push(format(verdict.answer, [...verdict.tenures.map(answered), ...there.map(placed)], isOnly(verdict)));
      }
    }
  }
  return { bounds, answers };
}

function isOnly(verdict: Verdict): boolean {
  return verdict.answer === 'ambiguous' && verdict.isOnly;
}

export function nodesOf(verdict: Verdict | undefined): string[] {
  return [...new Set(verdict?.tenures.flatMap((tenure) => sharedNode(tenure) ?? []))];
}

export function boundariesOf({ start, end }: Pick<Tenure, 'start' | 'end'>): Boundary[] {
  return end === undefined ? [start] : [start, end];
}

export function mayBeThere({ start, end }: Placement, at: number): boolean {
  return start.notBefore <= at && (end === undefined || end.notAfter > at);
}

/** The span's ends and what lies between them, sorted, each once. */
export function cutsOf(
  { from, to }: { readonly from: number; readonly to: number },
  boundaries: readonly { readonly notBefore: number; readonly notAfter: number }[],
): number[] {
  const within: number[] = [from, to];
  for (const { notBefore, notAfter } of boundaries) {
    if (notBefore > from && notBefore < to) within.push(notBefore);
    if (notAfter > from && notAfter < to) within.push(notAfter);
  }
  within.sort((a, b) => a - b);
  return within.filter((cut, i) => i === 0 || cut !== within[i - 1]);
}
