// Logs that were damaged at random: nothing throws, every line is counted, and what is whole is read. The seed is printed;
// PODTRAIL_FUZZ_SEED=N repeats a run, PODTRAIL_FUZZ_RUNS=N makes it longer.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SeededNumbers } from '../testing/seeded-numbers.ts';
import { actionDocument } from './action-document.ts';
import { AuditReader } from './audit-reader.ts';
import { actionSchema } from './schemas.ts';
import { anEvent, recordedLines } from './testing/an-event.ts';

const seed = Number(process.env['PODTRAIL_FUZZ_SEED'] ?? Date.now() % 1_000_000);
const runs = Number(process.env['PODTRAIL_FUZZ_RUNS'] ?? 150);

const whole = recordedLines().map(({ event }) => Buffer.from(JSON.stringify(event)));
const NASTY = [
  '\u0000',
  '\n',
  '"',
  '\\',
  '{',
  '}',
  '[',
  '\\u0070',
  '\\ud800',
  '1e999',
  '-',
  'null',
  '{"kind":"Event"',
  '\ufeff',
];

test('damaged logs never make it throw, and whole lines beside them are read', (t) => {
  t.diagnostic(`seed ${seed}, ${runs} runs`);
  const numbers = new SeededNumbers(seed);
  const below = (n: number) => numbers.between(0, n - 1);
  for (let run = 0; run < runs; run++) {
    const where = `seed ${seed}, run ${run}`;
    const lines: Buffer[] = [];
    for (let i = 0; i < 20; i++) lines.push(damage(Buffer.from(whole[below(whole.length)]!), below));
    const log = Buffer.concat(lines.flatMap((line) => [line, Buffer.from('\n')]));
    const untouched = anEvent();
    const bytes = Buffer.concat([log, Buffer.from(`${JSON.stringify(untouched)}\n`)]);
    const actions: ReturnType<typeof actionDocument>[] = [];
    let damaged = 0;
    const reader = new AuditReader({
      longestLine: 1 << (8 + below(10)),
      onAction: (action) => actions.push(actionDocument(action)),
      onDamaged: () => damaged++,
    });
    reader.begin(where);
    for (let at = 0; at < bytes.length; ) {
      const size = 1 + below(5000);
      reader.push(bytes.subarray(at, at + size));
      at += size;
    }
    reader.end();
    for (const action of actions) assert.doesNotThrow(() => actionSchema.parse(action), where);
    assert.equal(actions.filter(({ auditID }) => auditID === untouched['auditID']).length, 1, where);
    const { tally } = reader;
    assert.equal(tally.bytes, bytes.length, where);
    assert.equal(tally.lines, bytes.toString('latin1').split('\n').length - 1, where);
    assert.equal(tally.damaged, damaged, where);
    assert.equal(tally.actions, actions.length, where);
  }
});

test('values of every wrong type in every field never make it throw', (t) => {
  t.diagnostic(`seed ${seed}`);
  const numbers = new SeededNumbers(seed + 1);
  const odd: unknown[] = [
    null,
    true,
    0,
    -1,
    1e300,
    '',
    'x'.repeat(5000),
    [],
    {},
    [[]],
    [null],
    { items: 1 },
    { code: {} },
  ];
  for (const bytes of whole) {
    const event = JSON.parse(bytes.toString()) as Record<string, unknown>;
    for (const path of paths(event)) {
      const copy = structuredClone(event);
      put(copy, path, odd[numbers.between(0, odd.length - 1)]);
      const reader = new AuditReader({
        onAction: (action) => actionSchema.parse(actionDocument(action)),
      });
      reader.push(Buffer.from(JSON.stringify(copy)));
      reader.end();
    }
  }
});

function damage(line: Buffer, below: (n: number) => number): Buffer {
  switch (below(7)) {
    case 0:
      return line.subarray(0, below(line.length));
    case 1:
      for (let i = 0; i <= below(8); i++) line[below(line.length)] = below(256);
      return line;
    case 2: {
      const at = below(line.length);
      return Buffer.concat([line.subarray(0, at), Buffer.from(NASTY[below(NASTY.length)]!), line.subarray(at)]);
    }
    case 3:
      return Buffer.concat([line.subarray(0, below(line.length)), line]);
    case 4:
      return Buffer.from('['.repeat(below(20_000)));
    case 5: {
      const from = below(line.length);
      return Buffer.concat([line.subarray(0, from), line.subarray(from + below(200))]);
    }
    default:
      return line;
  }
}

function paths(value: unknown, before: readonly string[] = []): string[][] {
  if (typeof value !== 'object' || value === null || before.length > 3) return [];
  return Object.entries(value).flatMap(([key, member]) => [[...before, key], ...paths(member, [...before, key])]);
}

function put(object: Record<string, unknown>, path: readonly string[], value: unknown): void {
  let inner = object;
  for (const key of path.slice(0, -1)) inner = inner[key] as Record<string, unknown>;
  inner[path.at(-1)!] = value;
}
