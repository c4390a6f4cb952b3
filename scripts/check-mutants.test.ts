// That each mutant is caught takes minutes and is asked by hand; that each still fits the code is asked every time.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';

const MUTANTS = new URL('./mutants/', import.meta.url);

for (const file of readdirSync(MUTANTS)) {
  test(`the mutant ${file} fits the code in exactly one place, and changes it`, () => {
    const mutant = JSON.parse(readFileSync(new URL(file, MUTANTS), 'utf8')) as Record<string, string>;
    const source = readFileSync(new URL(`../${mutant['file']}`, import.meta.url), 'utf8');
    assert.equal(source.split(mutant['search'] ?? '').length, 2);
    assert.notEqual(mutant['search'], mutant['replace']);
  });
}
