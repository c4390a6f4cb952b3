import assert from 'node:assert/strict';
import { test } from 'node:test';
import { describeSkip, parseAllowedSkips, readAllowedSkips, unlistedSkips } from './allowed-skips.ts';

const skip = (title: string, reason?: string) => ({ file: 'x.test.ts', title, reason });
const allowed = [{ test: 'suite > a', reason: 'needs a server' }];

test('only a skip whose full title is listed is allowed', () => {
  assert.deepEqual(
    unlistedSkips([skip('suite > a'), skip('a'), skip('other > a')], allowed).map((entry) => entry.title),
    ['a', 'other > a'],
  );
});

test('a skip is described by its own reason, else by the listed one, else as having none', () => {
  assert.match(describeSkip(skip('suite > a', 'own words'), allowed), /own words$/);
  assert.match(describeSkip(skip('suite > a'), allowed), /needs a server$/);
  assert.match(describeSkip(skip('b'), allowed), /no reason given$/);
});

test('an entry without a reason is refused by its number', () => {
  assert.throws(() => parseAllowedSkips('[{"test":"a","reason":"r"},{"test":"b","reason":" "}]', 'f.json'), /entry 2/);
  assert.throws(() => parseAllowedSkips('{}', 'f.json'), /must hold a list/);
  assert.throws(() => parseAllowedSkips('[', 'f.json'), /f\.json is not JSON/);
  assert.deepEqual(parseAllowedSkips('[{"test":"a","reason":"r"}]', 'f.json'), [{ test: 'a', reason: 'r' }]);
});

test('a missing file allows nothing', () => {
  assert.deepEqual(readAllowedSkips('no/such/file.json'), []);
});
