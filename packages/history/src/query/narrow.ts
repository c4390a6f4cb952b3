// What of an answer an asker may see. It is judged on all records first and narrowed afterwards: a candidate that is
// hidden still rules out that another one is certain.
import type { Conflict } from '../model/records.ts';
import { isDoubtful } from '../observe/boundaries.ts';
import type { AnsweredHolder, UnknownReason } from './answer.ts';
import { isHolderVisible, type Visibility } from './visibility.ts';

/** A verdict with everybody that it names. */
export type Finding =
  | { readonly answer: 'held'; readonly provisional: boolean; readonly holders: readonly [AnsweredHolder] }
  | { readonly answer: 'free'; readonly provisional: boolean; readonly holders: readonly [] }
  | {
      readonly answer: 'ambiguous';
      readonly provisional: boolean;
      readonly holders: readonly [AnsweredHolder, ...AnsweredHolder[]];
      /** Invariant: then there is one holder, so that none is hidden beside it. */
      readonly isOnly: boolean;
    }
  | {
      readonly answer: 'unknown';
      readonly provisional: boolean;
      readonly holders: readonly [];
      readonly reason: UnknownReason;
    };

/**
 * `reason`: why it would be unknown if there were no record at all, else `not-visible`. It must not depend on records:
 * otherwise the reason would tell whether there is one that is hidden.
 */
export function narrowedFinding(finding: Finding, visibility: Visibility, reason: () => UnknownReason): Finding {
  if (visibility.kind === 'all' || finding.answer === 'unknown') return finding;
  const [first, ...others] = visibleHolders(finding.holders, visibility);
  if (first === undefined) return { answer: 'unknown', provisional: false, holders: [], reason: reason() };
  return finding.answer === 'ambiguous' ? { ...finding, holders: [first, ...others] } : finding;
}

function visibleHolders<T extends AnsweredHolder>(holders: readonly T[], visibility: Visibility): readonly T[] {
  return holders.filter((holder) => isHolderVisible(visibility, holder, holder.start) && isShown(holder, visibility));
}

/**
 * A pod that never showed its address may have had any of its node's. Who sees some namespaces only does not get it as a
 * candidate: it would tell of every address of the node whether somebody hidden had it, and from when to when.
 */
export function isShown({ start }: AnsweredHolder, visibility: Visibility): boolean {
  return visibility.kind === 'all' || !isDoubtful(start);
}

/** One that names somebody who is hidden is hidden: its version is of another's object. */
export function visibleConflicts(
  conflicts: readonly Conflict[],
  holders: readonly AnsweredHolder[],
  visibility: Visibility,
): readonly Conflict[] {
  if (visibility.kind === 'all') return conflicts;
  const uids = new Set(holders.map(({ uid }) => uid));
  return conflicts.filter((conflict) => conflict.holders.every(({ uid }) => uids.has(uid)));
}
