// The simulated kubelets beside the real ones: for each mechanism and each version of which there is a recording, what the
// API says of a simulated pod must be a sequence that was recorded of a real one, and its address must have been taken
// and given back between the same words. Several sequences are right where a kubelet coalesces what it writes or a
// deletion meets a pod at another moment: what is accepted is what was recorded, not what a rule would allow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MECHANISMS } from '../proof/nodes/mechanisms.ts';
import type { AddressMark } from './api-words.ts';
import { type RecordedSequence, RecordedWords } from './recorded-words.ts';
import { SIMULATED, type SimulatedSequence, simulate } from './simulated-lives.ts';

const SEEDS = [1, 2, 3, 4, 5];
const NOT_SIMULATED: Readonly<Record<string, string>> = {
  static: 'the simulated kubelets have no files of static pods',
};

const recorded = await RecordedWords.read(import.meta.dirname);

test('every mechanism of the churn on real nodes is simulated, or listed with a reason', () => {
  const missing = Object.keys(MECHANISMS).filter((name) => SIMULATED[name] === undefined);
  assert.deepEqual(missing, Object.keys(NOT_SIMULATED));
  for (const name of Object.keys(SIMULATED))
    assert.ok(recorded.of('1.36', name).length > 0, `nothing was recorded of ${name}`);
});

for (const version of recorded.versions) {
  for (const mechanism of Object.keys(SIMULATED)) {
    const known = recorded.of(version, mechanism);
    if (known.length === 0) continue;
    test(`${mechanism}: a simulated kubelet of ${version} says what a real one said`, () => {
      for (const seed of SEEDS) {
        for (const said of simulate(mechanism, `v${version}.0`, seed)) compare(said, known, `seed ${seed}`);
      }
    });
  }
}

function compare(said: SimulatedSequence, known: readonly RecordedSequence[], seed: string): void {
  const alike = known.filter(({ words }) => agreement(words, said.words) === undefined);
  if (alike.length === 0) assert.fail(`${seed}: ${difference(said.words, known)}`);
  if (alike.some(({ marks }) => fits(marks, said.marks))) return;
  const [{ pod, marks }] = alike as [RecordedSequence];
  assert.fail(
    [
      `${seed}: the words are those of ${pod}, but addresses came and went between others`,
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
  const at = Array.from({ length: Math.max(one.length, other.length) }, (_, n) => n).find((n) => one[n] !== other[n]);
  return at;
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
