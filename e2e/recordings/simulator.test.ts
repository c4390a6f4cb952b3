// The simulated kubelets beside the real ones: for each mechanism and each version of which there is a recording, what the
// API says of a simulated pod must be a sequence that was recorded of a real one, and its address must have been taken
// and given back between the same words. Several sequences are right where a kubelet coalesces what it writes or a
// deletion meets a pod at another moment: what is accepted is what was recorded, not what a rule would allow.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MECHANISMS } from '../proof/nodes/mechanisms.ts';
import { compareWords } from './compare-words.ts';
import { RecordedWords } from './recorded-words.ts';
import { SIMULATED, simulate } from './simulated-lives.ts';

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
    const known = recorded.ofAlike(version, mechanism);
    if (known.length === 0) continue;
    test(`${mechanism}: a simulated kubelet of ${version} says what a real one said`, () => {
      for (const seed of SEEDS) {
        for (const said of simulate(mechanism, `v${version}.0`, seed)) compareWords(said, known, `seed ${seed}`);
      }
    });
  }
}
