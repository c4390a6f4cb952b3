// Why many pods ended, for listings and counters: one verdict for each that has begun to end and may be seen. Pods that
// live, that nothing is stored of, or that the asker may not see are left out.
import type { Snapshot } from '../engines/snapshot.ts';
import type { Departure, PodLife } from '../model/pod-life.ts';
import { epochMillis } from '../model/time.ts';
import { isHolderVisible, type Visibility } from '../query/visibility.ts';
import type { Verdict } from './cause.ts';
import { explain } from './explain.ts';
import { type Move, readMoves } from './moves/moves.ts';
import { readDepartedCase, readDeparture, readLife } from './read-case.ts';
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

type KnownVerdict = Pick<Move, 'departure' | 'known' | 'verdict'>;

/** So many are found out at once. What they share (nodes, owners, namespaces) is read once in a snapshot. */
const AT_ONCE = 16;

/** By UID, in the order of the question. */
export async function causesOf(
  snapshot: Snapshot,
  { pods, visibility, withMoves = false }: CausesQuestion,
): Promise<Map<string, FoundCause>> {
  const found = new Map<string, FoundCause>();
  for (let from = 0; from < pods.length; from += AT_ONCE) {
    const some = pods.slice(from, from + AT_ONCE);
    const departures = await Promise.all(
      some.map((pod) => (typeof pod === 'string' ? findDeparture(snapshot, pod) : pod)),
    );
    const seen = departures.filter((one) => one !== undefined).filter((one) => isVisible(one, visibility));
    const verdicts = withMoves ? await readMoves(snapshot, seen) : await readVerdicts(snapshot, seen);
    for (const one of verdicts) {
      const { departure, verdict, ...rest } = visibleMove(one, visibility);
      const move = withMoves ? ({ departure, verdict, ...rest } as Move) : undefined;
      found.set(departure.pod.uid, { departure, verdict, move });
    }
  }
  return found;
}

async function readVerdicts(snapshot: Snapshot, departures: readonly Departure[]): Promise<KnownVerdict[]> {
  return await Promise.all(
    departures.map(async (departure) => {
      const known = await readDepartedCase(snapshot, departure);
      return { departure, known, verdict: explain(known) };
    }),
  );
}

/** A move for the asker: without what may not be seen of its verdict, and without a successor that may not be seen. */
export function visibleMove<T extends KnownVerdict & Partial<Move>>(move: T, visibility: Visibility): T {
  if (visibility.kind === 'all') return move;
  const { pod, node, owner, workload, namespace } = move.known;
  const evidence = [...pod, ...node, ...owner, ...workload, ...namespace];
  const seen = { ...move, verdict: visibleVerdict(move.verdict, evidence, visibility) };
  const { to, addresses } = move;
  if (to === undefined || isHolderVisible(visibility, to.life.pod, { notBefore: to.life.created })) return seen;
  return { ...seen, to: undefined, addresses: addresses && { ...addresses, to: [] }, downtimeMs: undefined };
}

function isVisible({ pod, at }: Departure, visibility: Visibility): boolean {
  return isHolderVisible(visibility, pod, { notBefore: at });
}

/** As it was stored; where that has expired, as the pod's life has it. */
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
