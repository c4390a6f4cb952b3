// Why many pods ended, for listings and counters: one verdict for each that has begun to end and may be seen. Pods that
// live, that nothing is stored of, or that the asker may not see are left out.
import type { Snapshot } from '../engines/snapshot.ts';
import type { Departure, PodLife } from '../model/pod-life.ts';
import { epochMillis } from '../model/time.ts';
import { isHolderVisible, type Visibility } from '../query/visibility.ts';
import type { Verdict } from './cause.ts';
import { type Move, readMove } from './moves/moves.ts';
import { readDeparture, readLife } from './read-case.ts';
import { endOf } from './traces.ts';
import { visibleVerdict } from './visible-verdict.ts';

export interface CausesQuestion {
  /** Pods by their UIDs, or departures that have been read already. */
  readonly pods: readonly (string | Departure)[];
  readonly visibility: Visibility;
  /** With who took their places, and the addresses of both: more reads for each. */
  readonly withMoves?: boolean | undefined;
}

export interface FoundCause {
  readonly departure: Departure;
  /** Without what the asker may not see. */
  readonly verdict: Verdict;
  /** Only where it was asked for; its verdict is the one above. */
  readonly move: Move | undefined;
}

/** By UID, in the order of the question. */
export async function causesOf(
  snapshot: Snapshot,
  { pods, visibility, withMoves = false }: CausesQuestion,
): Promise<Map<string, FoundCause>> {
  const found = new Map<string, FoundCause>();
  for (const pod of pods) {
    const departure = typeof pod === 'string' ? await findDeparture(snapshot, pod) : pod;
    if (departure === undefined || !isVisible(departure, visibility)) continue;
    const move = visibleMove(await readMove(snapshot, departure), visibility);
    found.set(departure.pod.uid, { departure, verdict: move.verdict, move: withMoves ? move : undefined });
  }
  return found;
}

/** A move for the asker. Its successor is of the same workload, and so of the same namespace. */
export function visibleMove(move: Move, visibility: Visibility): Move {
  if (visibility.kind === 'all') return move;
  const { pod, node, owner, workload, namespace } = move.known;
  const evidence = [...pod, ...node, ...owner, ...workload, ...namespace];
  return { ...move, verdict: visibleVerdict(move.verdict, evidence, visibility) };
}

function isVisible({ pod, at }: Departure, visibility: Visibility): boolean {
  return isHolderVisible(visibility, pod, { notBefore: at });
}

/** As it was stored; where that has expired, as the pod's life tells it. */
async function findDeparture(snapshot: Snapshot, uid: string): Promise<Departure | undefined> {
  const stored = await readDeparture(snapshot, uid);
  if (stored !== undefined) return stored;
  const life = await readLife(snapshot, uid);
  return life === undefined ? undefined : departureOf(life);
}

function departureOf(life: PodLife): Departure | undefined {
  const { source, epoch, resourceVersion, observedAt, collector, pod, owner } = life;
  const at = endOf(life);
  if (at === undefined) return undefined;
  return { source, epoch, resourceVersion, observedAt, collector, pod, owner, at: epochMillis(at) };
}
