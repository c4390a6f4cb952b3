// What keeps a run of causes from being right, as sentences: for the tests, which pass on nothing less, and for the proof,
// which fails on wrong verdicts and on what it never provoked.
import type { Provocation } from './provocation.ts';
import type { Outcome } from './run.ts';

/** One sentence for each verdict that is not right, each provocation that was not carried out, and each without a pod. */
export function notRight(
  provocations: readonly Provocation[],
  outcomes: readonly Outcome[],
  { isAudited = false }: { readonly isAudited?: boolean } = {},
): string[] {
  const begun = new Set(outcomes.map(({ provocation }) => provocation));
  return [
    ...outcomes.flatMap((outcome) => sentencesOf(outcome, isAudited)),
    ...provocations.filter((one) => !begun.has(one)).map(({ name }) => `${name}: no pod was judged`),
  ];
}

/** The names of those of which no pod was judged: not begun, or given up each time. */
export function neverCarriedOut(provocations: readonly Provocation[], outcomes: readonly Outcome[]): string[] {
  const judged = new Set(outcomes.filter(isCarriedOut).map(({ provocation }) => provocation));
  return provocations.filter((one) => !judged.has(one)).map(({ name }) => name);
}

export function isCarriedOut({ result }: Outcome): boolean {
  return result !== 'not carried out';
}

function sentencesOf(outcome: Outcome, isAudited: boolean): string[] {
  const { provocation, result, error, audited } = outcome;
  const { name, cause } = provocation;
  if (!isCarriedOut(outcome)) return [`${name} was not carried out: ${error}`];
  const instead = ({ said, verdict }: Pick<Outcome, 'said' | 'verdict'>) =>
    `${said} instead of ${cause}: ${verdict?.sentence ?? ''}`;
  const sentences = result === 'right' ? [] : [`${name}: ${instead(outcome)}`];
  if (audited !== undefined && audited.result !== 'right')
    sentences.push(`${name}, with the audit log: ${instead(audited)}`);
  if (audited === undefined && isAudited) sentences.push(`${name} was not judged with the audit log`);
  return sentences;
}
