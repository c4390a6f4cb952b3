// Makes verdicts: the evidence in the order of time, nothing twice.
import type { Evidence } from '../model/evidence.ts';
import type { Cause, Verdict } from './cause.ts';

export function certain(cause: Cause, sentence: string, evidence: readonly Evidence[] = [], actor?: string): Verdict {
  return made(cause, 'certain', sentence, evidence, actor);
}

export function inferred(cause: Cause, sentence: string, evidence: readonly Evidence[] = [], actor?: string): Verdict {
  return made(cause, 'inferred', sentence, evidence, actor);
}

/** The same, and what else it may have been: `unless` goes before the full stop. */
export function doubted(verdict: Verdict, unless: string): Verdict {
  return { ...verdict, certainty: 'inferred', sentence: verdict.sentence.replace(/\.$/, `, ${unless}.`) };
}

function made(
  cause: Cause,
  certainty: Verdict['certainty'],
  sentence: string,
  evidence: readonly Evidence[],
  actor: string | undefined,
): Verdict {
  const ids = new Set([...evidence].sort((a, b) => a.at - b.at).map(({ id }) => id));
  return { cause, certainty, sentence, evidence: [...ids], ...(actor === undefined ? {} : { actor }) };
}
