// What the table and the complaints say of given results.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Assertions } from './assertions.ts';
import { complaints, renderTable } from './table.ts';

const result = (area: string, name: string, failures: string[] = []) => ({
  area,
  name,
  assertions: 2,
  failures,
  milliseconds: 1,
});
const ACCEPTED = [{ case: 'known', reason: 'it is so' }];
const REAL = { server: 'real', results: [result('one', 'known'), result('one', 'b'), result('two', 'c')] };

test('a failure that nobody accepted is a complaint', () => {
  const run = { server: 'sandbox', results: [result('one', 'b', ['it differs'])] };
  assert.deepEqual(complaints(run, ACCEPTED), [{ area: 'one', text: 'b: it differs' }]);
});

test('an accepted difference is none on the sandbox and one on the real server', () => {
  const results = [result('one', 'known', ['it differs'])];
  assert.deepEqual(complaints({ server: 'sandbox', results }, ACCEPTED), []);
  assert.equal(complaints({ server: 'real', results }, ACCEPTED).length, 1);
});

test('an accepted difference that no longer differs is a complaint', () => {
  const run = { server: 'sandbox', results: [result('one', 'known')] };
  assert.match(complaints(run, ACCEPTED)[0]?.text ?? '', /no longer differs/);
});

test('the table counts cases and assertions once and shows each server', () => {
  const sandbox = {
    server: 'sandbox',
    results: [result('one', 'known', ['x']), result('one', 'b', ['y']), result('two', 'c')],
  };
  assert.equal(
    renderTable([REAL, sandbox], ACCEPTED),
    [
      '| area | cases | assertions | real | sandbox |',
      '|---|---:|---:|---|---|',
      '| one | 2 | 4 | all pass | 0 pass, 1 accepted, **1 fail** |',
      '| two | 1 | 2 | all pass | all pass |',
      '| **all** | 3 | 6 | all pass | 1 pass, 1 accepted, **1 fail** |',
    ].join('\n'),
  );
});

test('a refusal is compared field by field, and a wrong one is reported with both sides', () => {
  const noted = new Assertions();
  const json = { kind: 'Status', apiVersion: 'v1', metadata: {}, status: 'Failure', code: 404, reason: 'NotFound' };
  noted.refused({ status: 404, json, text: '' }, { code: 404, reason: 'NotFound' }, 'right');
  assert.deepEqual(noted.failures, []);
  noted.refused({ status: 404, json, text: '' }, { code: 409, reason: 'Conflict' }, 'wrong');
  assert.equal(noted.failures.length, 3);
  assert.match(noted.failures[0] ?? '', /wrong: HTTP status: 404, and 409 was expected/);
});
