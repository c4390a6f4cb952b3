// Why a stay ended, and who took its place: what listings of stays say beside each. What was not recorded is said to be
// so; it is never taken for a deletion on request.
import type { Snapshot, Span } from '../engines/snapshot.ts';
import {
  causesOf,
  explain,
  readCase,
  readLife,
  type Successor,
  type Verdict,
  visibleVerdict,
} from '../explain/index.ts';
import type { Boundary } from '../model/boundary.ts';
import type { PodLife } from '../model/pod-life.ts';
import type { Holder } from '../model/records.ts';
import { NOT_KNOWN_YET } from '../model/time.ts';
import type { Visibility } from '../query/visibility.ts';
import { holderDocument } from './holder.ts';
import { lifeDocument } from './life.ts';
import type { EndingDocument, SuccessorDocument } from './schemas/index.ts';

export interface Ended {
  readonly holder: Holder;
  readonly end: Boundary | undefined;
}

export interface Ending {
  /** Undefined where nothing is stored of it. */
  readonly life: PodLife | undefined;
  /** Undefined while the stay goes on, and where the cause is not there. */
  readonly verdict: Verdict | undefined;
  readonly to: Successor | undefined;
  /** It ended, and why was never recorded, or is not there any more. */
  readonly missing: 'not-recorded' | 'expired' | undefined;
}

/** Of what goes on, and of what is no pod. */
export const NO_ENDING: Ending = { life: undefined, verdict: undefined, to: undefined, missing: undefined };

/** An address that was given back so long before its pod began to end was given back for another reason. */
const LONG_BEFORE_MS = 60_000;

/** One for each, in their order. Whoever asks has left out what may not be seen. */
export async function readEndings(
  snapshot: Snapshot,
  visibility: Visibility,
  stays: readonly Ended[],
): Promise<Ending[]> {
  const pods = [...new Set(stays.flatMap(({ holder }) => (holder.kind === 'Pod' ? [holder.uid] : [])))];
  const causes = await causesOf(snapshot, { pods, visibility, withMoves: true });
  const lives = new Map<string, PodLife | undefined>();
  for (const uid of pods) lives.set(uid, await readLife(snapshot, uid));
  const expired = pods.length === 0 ? [] : [await snapshot.expired('life'), await snapshot.expired('departure')].flat();
  const endings: Ending[] = [];
  for (const { holder, end } of stays) {
    if (holder.kind !== 'Pod') {
      endings.push(NO_ENDING);
      continue;
    }
    const life = lives.get(holder.uid);
    const found = causes.get(holder.uid);
    const isEarlier = found === undefined || (end !== undefined && endsBefore(end, found.departure.at));
    if (!isEarlier) {
      endings.push({ life, verdict: found.verdict, to: found.move?.to, missing: undefined });
    } else if (end === undefined) {
      endings.push({ ...NO_ENDING, life });
    } else if (life === undefined) {
      endings.push({ ...NO_ENDING, missing: isWithin(end, expired) ? 'expired' : 'not-recorded' });
    } else {
      endings.push({ ...NO_ENDING, life, verdict: await verdictAt(snapshot, visibility, holder.uid, end) });
    }
  }
  return endings;
}

function endsBefore({ notAfter }: Boundary, departed: number): boolean {
  return notAfter < NOT_KNOWN_YET && notAfter + LONG_BEFORE_MS < departed;
}

/** The pod goes on, without this address. */
async function verdictAt(
  snapshot: Snapshot,
  visibility: Visibility,
  uid: string,
  { at }: Boundary,
): Promise<Verdict | undefined> {
  const known = await readCase(snapshot, uid, at);
  if (known === undefined) return undefined;
  const { pod, node, owner, workload, namespace } = known;
  return visibleVerdict(explain(known), [...pod, ...node, ...owner, ...workload, ...namespace], visibility);
}

function isWithin({ at }: Boundary, spans: readonly Span[]): boolean {
  return spans.some(({ from, to }) => at >= from && at < to);
}

export function endingDocument({ life, verdict, to, missing }: Ending): EndingDocument {
  return {
    cause: verdict?.cause ?? null,
    certainty: verdict?.certainty ?? null,
    sentence: verdict?.sentence ?? null,
    ...(verdict?.actor === undefined ? {} : { actor: verdict.actor }),
    ...(missing === undefined ? {} : { causeMissing: missing }),
    successor: successorDocument(to),
    life: life === undefined ? null : lifeDocument(life),
  };
}

export function successorDocument(to: Successor | undefined): SuccessorDocument | null {
  return to === undefined ? null : { ...holderDocument(to.life.pod), certain: to.certainty === 'certain' };
}
