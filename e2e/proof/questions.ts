// Asks the ledger about instants whose truth is certain, and judges the answers.
import type { Chance } from './random.ts';
import type { Truth, TruthBook } from './truth.ts';

export interface Asked {
  readonly ip: string;
  readonly at: number;
  readonly truth: Truth;
}

export interface Answered extends Asked {
  readonly answer: 'held' | 'free' | 'ambiguous' | 'unknown';
  readonly uids: readonly string[];
  readonly reason: string | undefined;
  readonly wrong: boolean;
}

/** Questions are only asked where the truth is certain by this much on both sides. */
const MARGIN_MS = 2_000;

export function drawQuestions(
  truth: TruthBook,
  ips: readonly string[],
  span: { readonly from: number; readonly to: number },
  count: number,
  chance: Chance,
): Asked[] {
  const questions: Asked[] = [];
  while (questions.length < count) {
    const ip = chance.pick(ips);
    const at = Math.floor(chance.between(span.from, span.to));
    const certain = truth.at(ip, at, MARGIN_MS);
    if (certain.kind !== 'uncertain') questions.push({ ip, at, truth: certain });
  }
  return questions;
}

/** Wrong: it named somebody who did not hold the address, or called a held address free. */
export function isWrong(truth: Truth, answer: Answered['answer'], uids: readonly string[]): boolean {
  if (answer === 'held') return truth.kind !== 'held' || uids[0] !== truth.uid;
  return answer === 'free' && truth.kind === 'held';
}
