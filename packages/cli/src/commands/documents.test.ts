// What the asking commands print with `-o json` is a document of the wire: every field of it, and no other.
import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Engine } from '@podtrail/history';
import {
  anomaliesSchema,
  attributionSchema,
  changesSchema,
  gapsSchema,
  nodeSchema,
  trailSchema,
  whoSchema,
} from '@podtrail/history/wire/schemas';
import { run } from '../testing/run-in-process.ts';
import { aLedgerWithAnomalies, aLedgerWithFlood, aStory, at } from '../testing/story.ts';

let story: Engine;
let flood: Engine;
before(async () => {
  story = await aStory();
  flood = await aLedgerWithFlood();
});

const ask = async (engine: Engine, words: string): Promise<unknown> => {
  const { out } = await run([...words.split(' '), '-o', 'json'], { engine, now: at(201) });
  return JSON.parse(out);
};

for (const [words, answer] of [
  ['10.0.0.7 --at 2026-11-15T10:00:30Z', 'held'],
  ['10.0.0.9 --at 2026-11-15T10:00:30Z', 'free'],
  ['10.200.0.9 --at 2026-11-15T10:00:30Z', 'free'],
  ['10.0.0.7 --at 2026-11-15T10:00:59.5Z', 'ambiguous'],
  ['10.0.0.7 --at 2026-11-15T10:00:59.5Z --seen', 'held'],
  ['192.168.0.1 --at 2026-11-15T10:00:30Z', 'ambiguous'],
  ['10.0.0.9 --at 2026-11-15T10:02:00Z', 'unknown'],
  ['10.0.0.7 --at 2026-11-15T08:00:00Z', 'unknown'],
  ['10.0.0.7 --at 2027-11-15T08:00:00Z', 'unknown'],
] as const) {
  test(`who ${words}`, async () => {
    assert.equal(whoSchema.parse(await ask(story, `who ${words}`)).answer, answer);
  });
}

for (const [words, schema] of [
  ['trail 10.0.0.7', trailSchema],
  ['trail web-1 -n shop --limit 1', trailSchema],
  ['trail deploy/web -n shop --since 2026-11-15T09:00:00Z', trailSchema],
  ['trail nobody -n shop', trailSchema],
  ['node node-a --at 2026-11-15T10:00:30Z', nodeSchema],
  ['node node-a --since 2026-11-15T10:00:00Z --until 2026-11-15T10:03:00Z', nodeSchema],
  ['changes web-1 -n shop', changesSchema],
  ['gaps', gapsSchema],
  ['gaps --limit 1', gapsSchema],
] as const) {
  test(words, async () => {
    schema.parse(await ask(story, words));
  });
}

test('changes of which some were suppressed', async () => {
  const { changes } = changesSchema.parse(await ask(flood, 'changes web-1 -n shop'));
  assert.ok(changes.some(({ change }) => change === 'suppressed'));
});

test('anomalies', async () => {
  const { anomalies } = anomaliesSchema.parse(await ask(await aLedgerWithAnomalies(), 'anomalies'));
  assert.deepEqual(
    anomalies.map(({ what }) => what),
    ['node-changed', 'unparsable-address'],
  );
});

test('what attribute puts beside a row', async () => {
  const times = ['10:00:30', '10:00:59.5', '10:02:00', '10:01:30', 'never'];
  const rows = times.flatMap((time) =>
    ['10.0.0.7', '10.0.0.9', '10.200.0.9', '192.168.0.1', ''].map((ip) => `${ip},2026-11-15T${time}Z`),
  );
  const input = `addr,when\n${rows.join('\n')}\n`;
  const words = 'attribute - --ip addr --time when -o jsonl'.split(' ');
  const { out } = await run(words, { engine: story, now: at(201), input });
  const answers = out
    .trimEnd()
    .split('\n')
    .map((line) => {
      const { addr: _addr, when: _when, problem: _problem, ...document } = JSON.parse(line);
      return attributionSchema.parse(document).answer;
    });
  assert.deepEqual([...new Set(answers)].sort(), ['ambiguous', 'free', 'held', 'malformed', 'unknown']);
});

test('a document with a field that no schema has is no document', async () => {
  const document = (await ask(story, 'gaps')) as object;
  assert.throws(() => gapsSchema.parse({ ...document, extra: 1 }), /extra/);
});
