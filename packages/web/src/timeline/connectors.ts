// Ends of pods with their causes, as lines between intervals: from who left to who took the place. Pure.
import { type CauseFamily, familyOf } from '../parts/cause.ts';
import type { TimelineData } from './timeline-data.ts';

/** A pod's end with its cause, and who took its place. */
export interface TimelineMove {
  readonly at: string;
  readonly uid: string;
  readonly cause: string;
  readonly certainty: string;
  readonly sentence: string;
  readonly successor: { readonly uid: string; readonly certain: boolean } | null;
}

export interface Connector {
  /** Places of intervals. */
  readonly from: number;
  /** -1: nobody took its place, or it is not in a lane that is shown. */
  readonly to: number;
  readonly family: CauseFamily;
  readonly move: TimelineMove;
}

/** From the last interval of who left to the first of who came. */
export function connectorsOf({ index, document }: TimelineData, moves: readonly TimelineMove[]): Connector[] {
  const wanted = new Set<string>();
  for (const { uid, successor } of moves) {
    wanted.add(uid);
    if (successor !== null) wanted.add(successor.uid);
  }
  const firsts = new Map<string, number>();
  const lasts = new Map<string, number>();
  for (let place = 0; place < index.count; place++) {
    const uid = document.holders.uid[index.holder[place]!] ?? '';
    if (!wanted.has(uid)) continue;
    const first = firsts.get(uid);
    const last = lasts.get(uid);
    if (first === undefined || index.start[place]! < index.start[first]!) firsts.set(uid, place);
    if (last === undefined || index.end[place]! > index.end[last]!) lasts.set(uid, place);
  }
  return moves.flatMap((move) => {
    const from = lasts.get(move.uid);
    if (from === undefined) return [];
    const to = move.successor === null ? undefined : firsts.get(move.successor.uid);
    return [{ from, to: to ?? -1, family: familyOf(move.cause), move }];
  });
}
