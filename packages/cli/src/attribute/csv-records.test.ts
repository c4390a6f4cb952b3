import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@podtrail/machinery';
import { csvFields } from './csv-fields.ts';
import { CsvRecords } from './csv-records.ts';
import { FILE_LIMITS } from './log-limits.ts';

function read(text: string, sizes: () => number = () => text.length): string[][] {
  const records = new CsvRecords();
  const found: string[][] = [];
  const take = () => {
    while (records.next()) found.push([...csvFields(records.raw(), records.quoted).fields]);
  };
  for (let i = 0; i < text.length; ) {
    const size = Math.max(1, sizes());
    records.push(Buffer.from(text.slice(i, i + size), 'latin1'));
    take();
    i += size;
  }
  records.finish();
  take();
  return found;
}

const TABLE: readonly (readonly [sentence: string, text: string, fields: readonly (readonly string[])[]])[] = [
  [
    'plain lines',
    'a,b\n1,2\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'CRLF lines',
    'a,b\r\n1,2\r\n',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'no line end at the end',
    'a,b\n1,2',
    [
      ['a', 'b'],
      ['1', '2'],
    ],
  ],
  [
    'quotes around commas, quotes and line ends',
    'a,b\n"x,y","say ""hi""\r\nthere"\n3,4\n',
    [
      ['a', 'b'],
      ['x,y', 'say "hi"\r\nthere'],
      ['3', '4'],
    ],
  ],
  [
    'a quote inside a plain field is a quote',
    'a,b\n5" pipe,2\n3,4\n',
    [
      ['a', 'b'],
      ['5" pipe', '2'],
      ['3', '4'],
    ],
  ],
  [
    'empty fields and empty quoted fields',
    'a,b,c\n,"",\n',
    [
      ['a', 'b', 'c'],
      ['', '', ''],
    ],
  ],
  ['an empty line is one empty field', 'a,b\n\n1,2\n', [['a', 'b'], [''], ['1', '2']]],
  [
    'a quoted line end in the last field of a file that ends without one',
    'a,b\n1,"x\ny"',
    [
      ['a', 'b'],
      ['1', 'x\ny'],
    ],
  ],
  ['an unclosed quote takes its own line only', 'a,b\n"1,2\n3,4\n', [['a', 'b'], ['1,2'], ['3', '4']]],
  [
    'a carriage return within a line stays',
    'a,b\n1\r1,2\n',
    [
      ['a', 'b'],
      ['1\r1', '2'],
    ],
  ],
  [
    'text behind a closing quote is kept',
    'a,b\n"1"x,2\n',
    [
      ['a', 'b'],
      ['1x', '2'],
    ],
  ],
];

for (const [sentence, text, fields] of TABLE) {
  test(`CSV: ${sentence}`, () => assert.deepEqual(read(text), fields));
  test(`CSV in single characters: ${sentence}`, () =>
    assert.deepEqual(
      read(text, () => 1),
      fields,
    ));
}

test('CSV: malformed quoting is reported', () => {
  const problems = (text: string) => csvFields(text, text.includes('"')).problem;
  assert.equal(problems('"a",b'), undefined);
  assert.match(problems('"a"x,b') ?? '', /behind a closing quote/);
  assert.match(problems('a,"b') ?? '', /not closed/);
});

test('CSV: records do not depend on where chunks are cut', () => {
  const seed = 20261115;
  const random = seededRandom(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const atoms = ['a', '10.0.0.1', '""', '"x,y"', '"l\nm"', '"q""q"', ''];
  for (let run = 0; run < 500; run++) {
    const lines = Array.from({ length: 1 + Math.floor(random() * 6) }, () =>
      Array.from({ length: 1 + Math.floor(random() * 4) }, () => pick(atoms)).join(','),
    );
    const text = lines.join(pick(['\n', '\r\n'])) + pick(['\n', '']);
    const whole = read(text);
    assert.deepEqual(
      read(text, () => Math.ceil(random() * 5)),
      whole,
      `seed ${seed}, run ${run}: ${JSON.stringify(text)}`,
    );
  }
});

test('CSV: a quoted field of 30 MB with line ends stays one field, also in chunks of 64 KiB, in time that grows with its size', () => {
  const field = `${'x'.repeat(99)}\n`.repeat(300_000);
  const rows = read(`a,b,c\n1,"${field}",3\n4,5,6\n`, () => 65_536);
  assert.deepEqual(
    rows.map((fields) => fields.map(({ length }) => length)),
    [
      [1, 1, 1],
      [1, field.length, 1],
      [1, 1, 1],
    ],
  );
});

test('CSV: a large quoted field is read the same wherever its quotes are cut', () => {
  const field = `${'""'.repeat(3)}x,\n`.repeat(300_000);
  for (const size of [65_535, 65_536, 99_991]) {
    const rows = read(`1,"${field}",""\n"2",3,4`, () => size);
    assert.deepEqual(
      rows.map((fields) => fields.map(({ length }) => length)),
      [
        [1, field.length - 3 * 300_000, 0],
        [1, 1, 1],
      ],
    );
  }
});

test('CSV: an unclosed quote at the head of a long file is cut after a while, and memory stays bounded', () => {
  const records = new CsvRecords({ ...FILE_LIMITS, longestRecord: 1 << 20 });
  let count = 0;
  const push = (text: string) => {
    records.push(Buffer.from(text));
    while (records.next()) count++;
  };
  push('a,b\n"never closed,1\n');
  const lines = `${'x'.repeat(999)}\n`.repeat(100);
  for (let i = 0; i < 50; i++) {
    push(lines);
    assert.ok(records.bytes.length < 3 << 20, `${records.bytes.length}`);
  }
  records.finish();
  push('');
  assert.equal(count, 5002);
});

test('CSV: the commas of a record without quotes are known, also beyond those that were made room for', () => {
  const records = new CsvRecords();
  records.push(Buffer.from(`ab,c,,d\n${','.repeat(100)}\n`));
  assert.ok(records.next());
  assert.deepEqual([records.commaCount, [...records.commas.subarray(0, 3)]], [3, [2, 4, 5]]);
  assert.ok(records.next());
  assert.equal(records.commaCount, 100);
});
