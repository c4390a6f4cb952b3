// What several questions of one snapshot share is read once, and every answer is that of a reading of its own.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { OccurrenceQuestion, Snapshot, Subject } from '../engines/snapshot.ts';
import { at } from '../engines/testing/record-builders.ts';
import type { Evidence } from '../model/evidence.ts';
import { SeededNumbers } from '../testing/seeded-numbers.ts';
import { readEvidence, readShared } from './read-evidence.ts';
import { evidence, NODE } from './testing/case-builders.ts';
import { askStore, evidenceFact } from './testing/case-store.ts';

const SUBJECT: Subject = { by: 'name', namespace: '', name: NODE.name };
const HOUR = 3600;
const every = () => true;
const facts = (count: number, seconds: number) =>
  Array.from({ length: count }, (_, n) => evidenceFact(evidence(NODE, 'condition', n * seconds, { reason: `r${n}` })));

/** Counts the questions. */
function counting(snapshot: Snapshot): { readonly snapshot: Snapshot; readonly asked: OccurrenceQuestion[] } {
  const asked: OccurrenceQuestion[] = [];
  const watched = new Proxy(snapshot, {
    get(target, name) {
      const value = Reflect.get(target, name, target);
      if (name !== 'occurrences') return value;
      return (question: OccurrenceQuestion) => {
        asked.push(question);
        return value.call(target, question);
      };
    },
  });
  return { snapshot: watched, asked };
}

const span = (from: number, to: number) => ({ from: at(from), to: at(to) });
const ids = (found: readonly Evidence[]) => found.map(({ id }) => id);

test('ends that follow each other cost one reading of their node', async () => {
  await askStore(facts(100, 600), async (store) => {
    const { snapshot, asked } = counting(store);
    for (let end = 30_000; end < 32_000; end += 100) {
      const found = await readShared(snapshot, SUBJECT, span(end - 24 * HOUR, end + 900), every);
      assert.deepEqual(ids(found), ids(await readEvidence(store, SUBJECT, span(end - 24 * HOUR, end + 900), every)));
    }
    assert.equal(asked.length, 1);
  });
});

test('whatever is asked in whatever order, also at once, the answer is that of a reading of its own', async () => {
  const random = new SeededNumbers(7);
  await askStore(facts(300, 200), async (snapshot) => {
    const spans = Array.from({ length: 60 }, () => {
      const from = Math.floor(random.next() * 60_000);
      return span(from, from + Math.floor(random.next() * 30_000) + 1);
    });
    const isWanted = ({ at: when }: Evidence) => when % 400 === 0;
    const found = await Promise.all(spans.map((one) => readShared(snapshot, SUBJECT, one, isWanted)));
    for (const [i, one] of spans.entries()) {
      assert.deepEqual(ids(found[i]!), ids(await readEvidence(snapshot, SUBJECT, one, isWanted)));
    }
  });
});

test('where there is more than the limit, what is nearest to the end is read, as without sharing', async () => {
  await askStore(facts(6000, 10), async (snapshot) => {
    const day = span(0, 59_000);
    const found = await readShared(snapshot, SUBJECT, day, every);
    assert.deepEqual(ids(found), ids(await readEvidence(snapshot, SUBJECT, day, every)));
    assert.ok(found.length > 4000 && found.at(-1)!.at > at(58_000));
  });
});
