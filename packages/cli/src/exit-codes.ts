// Every code that podtrail ends with, in one place. Scripts branch on them: a number never changes its meaning.
import type { Answer } from '@podtrail/history';

export const EXIT = {
  answered: 0,
  error: 1,
  usage: 2,
  /** Nobody held it (free), or there is no record of what was asked for. */
  none: 3,
  ambiguous: 4,
  unknown: 5,
  forbidden: 6,
  interrupted: 130,
} as const;

export type ExitCode = (typeof EXIT)[keyof typeof EXIT];

export const EXIT_BY_ANSWER: Readonly<Record<Answer['answer'], ExitCode>> = {
  held: EXIT.answered,
  free: EXIT.none,
  ambiguous: EXIT.ambiguous,
  unknown: EXIT.unknown,
};
