import assert from 'node:assert/strict';
import { test } from 'node:test';
import { jsonRecords } from './json-records.ts';
import { FILE_LIMITS } from './log-limits.ts';

const TABLE: readonly (readonly [sentence: string, text: string, records: readonly string[]])[] = [
  ['one on each line', '{"a":1}\r\n{"b":2}\n\n{"c":3}', ['{"a":1}', '{"b":2}', '', '{"c":3}']],
  ['an array', '[{"a":"]}\\"\\\\"}, 7,\n[1,2] ]', ['{"a":"]}\\"\\\\"}', '7', '[1,2]']],
  ['values that are broken over lines', '{\n"a":1\n}\n{\n"b":[2]}', ['{\n"a":1\n}', '{\n"b":[2]}']],
  [
    'the list of a document',
    '{"x":"records","records" : [{"a":1},{"records":[2]}],"y":[3]}',
    ['{"a":1}', '{"records":[2]}'],
  ],
  ['a longer name is another one', '[{"recordsof":[1]}]', ['{"recordsof":[1]}']],
];

for (const [sentence, text, records] of TABLE) {
  test(`JSON: ${sentence}, wherever it is cut`, () => {
    for (const size of [text.length, 1, 2, 3, 7]) {
      const source = jsonRecords(text, 'records', FILE_LIMITS);
      const found: string[] = [];
      for (let at = 0; at < text.length; at += size) found.push(...source.push(text.slice(at, at + size)));
      assert.deepEqual([...found, ...source.end()], records, `in pieces of ${size}`);
    }
  });
}
