// What changed between two values of an annotation: the same beginning, what differs, the same end. Pure. Characters are
// never cut in half, and of a long value only what is near the change is shown at first.

export interface DiffPart {
  readonly kind: 'same' | 'changed' | 'cut';
  readonly text: string;
}

export interface ValueDiff {
  readonly before: readonly DiffPart[];
  readonly after: readonly DiffPart[];
  /** Something was left out. */
  readonly isCut: boolean;
}

/** So many characters beside the change, and of the change itself. */
const BESIDE = 40;
const CHANGED = 160;

/** Undefined: there was, or is, no value. */
export function diffValues(before: string | undefined, after: string | undefined, isWhole = false): ValueDiff {
  const old = [...(before ?? '')];
  const now = [...(after ?? '')];
  const most = Math.min(old.length, now.length);
  let start = 0;
  while (start < most && old[start] === now[start]) start++;
  let end = 0;
  while (end < most - start && old[old.length - 1 - end] === now[now.length - 1 - end]) end++;
  const sides = [old, now].map((text) => side(text, start, end, isWhole));
  const isCut = sides.flat().some(({ kind }) => kind === 'cut');
  return { before: sides[0] ?? [], after: sides[1] ?? [], isCut };
}

function side(text: readonly string[], start: number, end: number, isWhole: boolean): readonly DiffPart[] {
  const same = text.slice(0, start);
  const changed = text.slice(start, text.length - end);
  const rest = text.slice(text.length - end);
  const most = isWhole ? Number.POSITIVE_INFINITY : BESIDE;
  const parts: DiffPart[] = [];
  const push = (kind: DiffPart['kind'], piece: readonly string[]) => {
    if (piece.length > 0) parts.push({ kind, text: piece.join('') });
  };
  if (same.length > most) push('cut', same.slice(0, same.length - most));
  push('same', same.length > most ? same.slice(-most) : same);
  const mostChanged = isWhole ? Number.POSITIVE_INFINITY : CHANGED;
  push('changed', changed.slice(0, mostChanged));
  if (changed.length > mostChanged) push('cut', changed.slice(mostChanged));
  push('same', rest.slice(0, most));
  if (rest.length > most) push('cut', rest.slice(most));
  return parts;
}
