// A table of cases by sentence: each is a test.
import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { Case } from '../case.ts';
import type { Verdict } from '../cause.ts';
import { explain } from '../explain.ts';

/** What of the verdict the test is about; `cites`: how many ids of evidence. */
export type Expected = Partial<Pick<Verdict, 'cause' | 'certainty' | 'sentence' | 'actor'>> & {
  readonly cites?: number;
};

export function verdictTable(title: string, table: Readonly<Record<string, readonly [Case, Expected]>>): void {
  suite(title, () => {
    for (const [sentence, [known, { cites, ...expected }]] of Object.entries(table)) {
      test(sentence, () => {
        const verdict = explain(known);
        const said = Object.fromEntries(Object.keys(expected).map((key) => [key, verdict[key as keyof Verdict]]));
        assert.deepEqual(said, expected, verdict.sentence);
        if (cites !== undefined) assert.equal(verdict.evidence.length, cites, verdict.evidence.join('\n'));
        // Invariant: one sentence, with a full stop.
        assert.match(verdict.sentence, /^[a-z].*\.$/);
      });
    }
  });
}
