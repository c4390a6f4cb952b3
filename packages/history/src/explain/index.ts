// Why pods ended, for everything above: the wire, the CLI, the recorder's metrics.
export type { Case, Check } from './case.ts';
export { CAUSES, type Cause, type Verdict } from './cause.ts';
export { type CausesQuestion, causesOf, type FoundCause, visibleMove } from './causes-of.ts';
export { explain } from './explain.ts';
export { CAUSE_GUIDE, hintOf } from './guide.ts';
export { lifecycle, MILESTONES, type Milestone } from './lifecycle.ts';
export { CAUSE_CHOICES, type CauseChoice, chosenCauses } from './moves/cause-choice.ts';
export { parseLabelSelector } from './moves/label-selector.ts';
export { isWantedDeparture, isWantedMove, type MoveFilters } from './moves/move-filters.ts';
export { causeWords, moveText } from './moves/move-text.ts';
export { type Move, type MovesQuestion, movePlace, moves, readMove } from './moves/moves.ts';
export { Predecessors } from './moves/predecessor.ts';
export { mayBeReplaced, type Successor } from './moves/successor.ts';
export { readCase, readLife } from './read-case.ts';
export { RESTATED_EVERY_MS, STILL_FOLLOWED, STILL_LOST } from './streams.ts';
export { isEvidenceVisible, visibleVerdict } from './visible-verdict.ts';
