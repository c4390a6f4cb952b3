// Whether a sequence of words is one that was recorded of a real kubelet; where it is not, what is other. For the tests of
// the simulated kubelets and of the truth driver.
import assert from 'node:assert/strict';
import type { AddressMark, WordSequence } from './api-words.ts';
import type { RecordedSequence } from './recorded-words.ts';

/** Fails unless one of the recorded sequences has these words, and its addresses came and went between them. */
export function compareWords(said: WordSequence, known: readonly RecordedSequence[], which: string): void {
  const alike = known.filter(({ words }) => agreement(words, said.words) === undefined);
  if (alike.length === 0) assert.fail(`${which}: ${difference(said.words, known)}`);
  if (alike.some(({ marks }) => fits(marks, said.marks))) return;
  const [{ pod, marks }] = alike as [RecordedSequence];
  assert.fail(
    [
      `${which}: the words are those of ${pod}, but addresses came and went between others`,
      ...said.words.map((word, n) => `  ${n + 1}. ${word}`),
      ...said.marks.map(({ what, least }) => `  simulated: ${what} after word ${least}`),
      ...marks.map(({ what, least, most }) => `  real:      ${what} after word ${least} to ${most}`),
    ].join('\n'),
  );
}

function fits(real: readonly AddressMark[], simulated: readonly AddressMark[]): boolean {
  return (
    real.length === simulated.length &&
    real.every(({ what, least, most }, n) => {
      const mark = simulated[n] as AddressMark;
      return mark.what === what && mark.least >= least && mark.least <= most;
    })
  );
}

/** The index of the first word that is another one; undefined when there is none. */
function agreement(one: readonly string[], other: readonly string[]): number | undefined {
  for (let n = 0; n < Math.max(one.length, other.length); n++) if (one[n] !== other[n]) return n;
  return undefined;
}

/** Beside the recorded sequence that agrees for longest. */
function difference(said: readonly string[], known: readonly RecordedSequence[]): string {
  const agreed = ({ words }: RecordedSequence): number => agreement(words, said) ?? words.length;
  const nearest = known.reduce((best, one) => (agreed(one) > agreed(best) ? one : best));
  const at = agreed(nearest);
  return [
    `no real kubelet was recorded to say this; from word ${at + 1} on it is another than ${nearest.pod}`,
    ...nearest.words.slice(0, at).map((word) => `    ${word}`),
    ...said.slice(at).map((word) => `  simulated: ${word}`),
    ...nearest.words.slice(at).map((word) => `  real:      ${word}`),
  ].join('\n');
}
