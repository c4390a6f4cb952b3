// Whose place a pod took: the move that leads to it. Found by asking each pod of its workload that ended around its
// creation who took its place, so that a predecessor and a successor never contradict each other.
import type { Snapshot, Subject } from '../../engines/snapshot.ts';
import type { Departure, PodLife } from '../../model/pod-life.ts';
import { epochMillis } from '../../model/time.ts';
import { isHolderVisible, type Visibility } from '../../query/visibility.ts';
import { causesOf } from '../causes-of.ts';
import { MINUTE_MS } from '../traces.ts';
import type { Move } from './moves.ts';

/** A controller may wait for a day, for quota or for a node; what a rollout replaces ends up to an hour later. */
const BEFORE_MS = 24 * 60 * MINUTE_MS;
const AFTER_MS = 60 * MINUTE_MS;
const PAGE = 500;
/** Of one pod; in a rollout of more it may stay unknown whose place it took. */
const MOST_ASKED = 40;

/** For one snapshot and one asker: what was found of one pod serves for the next. */
export class Predecessors {
  readonly #snapshot: Snapshot;
  readonly #visibility: Visibility;
  readonly #moves = new Map<string, Promise<Move | undefined>>();

  constructor(snapshot: Snapshot, visibility: Visibility) {
    this.#snapshot = snapshot;
    this.#visibility = visibility;
  }

  /** The move whose successor this pod is; undefined where there is none, or none is known. */
  async of(life: PodLife): Promise<Move | undefined> {
    const ended = await this.#endedAround(life);
    const distance = ({ at }: Departure) => Math.abs(at - life.created);
    const nearest = ended.sort((a, b) => distance(a) - distance(b)).slice(0, MOST_ASKED);
    for (const departure of nearest) {
      const move = await this.#moveOf(departure);
      if (move?.to?.life.pod.uid === life.pod.uid) return move;
    }
    return undefined;
  }

  async #endedAround(life: PodLife): Promise<Departure[]> {
    const subject = familyOf(life);
    if (subject === undefined) return [];
    const span = { from: epochMillis(Math.max(0, life.created - BEFORE_MS)), to: epochMillis(life.created + AFTER_MS) };
    const { items } = await this.#snapshot.occurrences({ kind: 'departure', subject, span, page: { limit: PAGE } });
    return items.filter(({ pod, at }) => {
      // Whoever makes a pod in another namespace may claim any owner for it.
      if (pod.namespace !== life.pod.namespace) return false;
      const isOther = pod.uid !== life.pod.uid && (life.owner?.kind !== 'DaemonSet' || pod.node === life.pod.node);
      return isOther && isHolderVisible(this.#visibility, pod, { notBefore: at });
    });
  }

  #moveOf(departure: Departure): Promise<Move | undefined> {
    const { uid } = departure.pod;
    const found = this.#moves.get(uid) ?? this.#read(departure);
    this.#moves.set(uid, found);
    return found;
  }

  async #read(departure: Departure): Promise<Move | undefined> {
    const question = { pods: [departure], visibility: this.#visibility, withMoves: true };
    return (await causesOf(this.#snapshot, question)).get(departure.pod.uid)?.move;
  }
}

/** Who may have been in its place: the pods of its name, else those of its workload, else of its owner. */
function familyOf({ pod, owner, isMirror }: PodLife): Subject | undefined {
  const { namespace, name, workload } = pod;
  if (isMirror || owner?.kind === 'StatefulSet') return { by: 'name', namespace, name };
  if (workload !== undefined) return { by: 'workload', namespace, kind: workload.kind, name: workload.name };
  return owner === undefined || owner.uid === '' ? undefined : { by: 'uid', uid: owner.uid };
}
