// Which causes are wanted, as people and programs write it: names of causes, and names with a "!" of those that are not.
import { CAUSES, type Cause } from '../cause.ts';

export type CauseChoice = Cause | `!${Cause}`;

export const CAUSE_CHOICES: readonly CauseChoice[] = [...CAUSES, ...CAUSES.map((cause): CauseChoice => `!${cause}`)];

/** Undefined: all. Where no name is of one that is wanted, all but those that are not. */
export function chosenCauses(choices: readonly CauseChoice[] | undefined): readonly Cause[] | undefined {
  if (choices === undefined) return undefined;
  const unwanted = new Set(choices.filter((choice) => choice.startsWith('!')));
  // As they were given: a cursor is of the question in these words.
  const wanted = choices.filter(isCause);
  const some = wanted.length === 0 && unwanted.size > 0 ? CAUSES : wanted;
  return some.filter((cause) => !unwanted.has(`!${cause}`));
}

function isCause(choice: CauseChoice): choice is Cause {
  return !choice.startsWith('!');
}
