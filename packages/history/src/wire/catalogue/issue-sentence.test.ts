// Whatever is wrong with a parameter is said in our words, of every parameter of every question.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { HistoryError } from '../../errors.ts';
import { checkedParameters } from './ask.ts';
import { issueSentence } from './issue-sentence.ts';
import type { Question } from './question.ts';
import { QUESTIONS } from './questions.ts';

const WRONG = [undefined, null, '', 'x', 7, -1, 1.5, 1e300, true, {}, [], [null], ['', 'y'], 'x'.repeat(10_000)];
const OF_ZOD = /Invalid|expected|received|Too (small|big)|Unrecognized/;

function refusal(question: Question, parameters: unknown): HistoryError | undefined {
  try {
    checkedParameters(question, parameters);
    return undefined;
  } catch (error) {
    assert.ok(error instanceof HistoryError, String(error));
    return error;
  }
}

test('what is wrong with a parameter is said in a sentence of ours, with a hint, whatever was given', () => {
  let refused = 0;
  for (const question of Object.values(QUESTIONS) as unknown as Question[]) {
    const names = Object.keys(question.parameters.shape);
    const all = [
      ...names.flatMap((name) => WRONG.map((value) => ({ [name]: value }))),
      {},
      [],
      null,
      'x',
      { other: 1 },
    ];
    for (const parameters of all) {
      const error = refusal(question, parameters);
      if (error === undefined) continue;
      refused++;
      assert.doesNotMatch(error.message, OF_ZOD, `${question.name} ${JSON.stringify(parameters)?.slice(0, 80)}`);
      assert.ok(error.hint);
    }
  }
  assert.ok(refused > 200, `${refused}`);
});

test('the sentences name the parameter and say what to give', () => {
  const said = (name: keyof typeof QUESTIONS, parameters: unknown) =>
    refusal(QUESTIONS[name] as unknown as Question, parameters)?.message;
  assert.equal(said('who', {}), 'ip: is missing');
  assert.equal(said('node', { node: 7 }), 'node: is not a text');
  assert.equal(said('timeline', {}), 'by: is missing; it is one of node, workload, pod, ip');
  assert.equal(said('timeline', { by: 'day' }), 'by: is none of node, workload, pod, ip');
  assert.match(said('moves', { limit: -1 }) ?? '', /^limit: is at least 1$/);
  assert.equal(said('moves', { limit: 10_001 }), 'limit: is at most 10000');
  assert.equal(said('moves', { limit: 1e20 }), 'limit: is at most 10000');
  assert.equal(said('moves', { limit: -1e20 }), 'limit: is at least 1');
  assert.equal(said('moves', { limit: 1.5 }), 'limit: is not a whole number');
});

test('kinds of mistakes that no parameter has yet are said in words of ours, too', () => {
  const said = (schema: z.ZodType, value: unknown) =>
    (schema.safeParse(value).error?.issues ?? []).map((issue) => issueSentence(issue));
  assert.deepEqual(said(z.iso.datetime(), 'yesterday'), ['is not written as it must be']);
  assert.deepEqual(said(z.int().multipleOf(5), 7), ['is not understood']);
  assert.deepEqual(said(z.union([z.literal('a'), z.int()]), 'b'), ['is not understood']);
  assert.deepEqual(said(z.strictObject({}), { a: 1 }), ['has no field a']);
  assert.deepEqual(
    said(
      z.string().refine(() => false, 'is of no use'),
      'a',
    ),
    ['is of no use'],
  );
});
