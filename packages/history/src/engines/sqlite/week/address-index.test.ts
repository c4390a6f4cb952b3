// Address postings in memory: whatever is asked, the same lives as from the rows of the file.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, test } from 'node:test';
import { scratchDirectory } from '../../../testing/scratch-directory.ts';
import { SeededNumbers } from '../../../testing/seeded-numbers.ts';
import { compareTexts } from '../../order.ts';
import { aPlacement, aTenure, at } from '../../testing/record-builders.ts';
import type { Life } from '../format/record-layout.ts';
import { FORMAT } from '../head/schema.ts';
import { IndexRoom, WORTH_KEEPING } from './address-index.ts';
import { weekOf } from './week.ts';
import { type Candidate, WeekFile } from './week-file.ts';
import { buildWeekFile, placeOf } from './week-writer.ts';

const directory = scratchDirectory('addresses');
const SEED = 20_261_115;
const WEEK_S = 7 * 86_400;
const FIRST = 0x0a000000;
const ADDRESSES = 300;
let path = '';
let files = 0;

/** Lives of a week: most addresses have a few, the first has more than a block holds. */
function lives(): Life[] {
  const numbers = new SeededNumbers(SEED);
  const made = Array.from({ length: 3000 }, (_, i): Life => {
    const start = numbers.between(-WEEK_S, WEEK_S - 3600);
    const end = Math.max(start, 0) + numbers.between(1, 3600);
    const last = numbers.chance(0.1) ? 0 : numbers.between(0, ADDRESSES - 1);
    const tenure = aTenure(`10.0.${last >> 8}.${last & 255}`, `pod-${i}`, start, end);
    return { holder: tenure.holder, placement: aPlacement(`pod-${i}`, start, end), tenures: [tenure] };
  });
  return made.sort((a, b) => compareTexts(a.holder.uid, b.holder.uid));
}

function open(room?: IndexRoom): WeekFile {
  return new WeekFile(path, FORMAT.weekVersion, room);
}

/** Every address, some that nobody had, and instants all over the week. */
function askAll(week: WeekFile): Candidate[][] {
  const numbers = new SeededNumbers(SEED + 1);
  const found: Candidate[][] = [];
  for (let handle = FIRST - 2; handle < FIRST + ADDRESSES + 2; handle++) {
    const from = at(numbers.between(-WEEK_S, WEEK_S));
    for (const length of [1, 3_600_000, 14 * 86_400_000]) {
      found.push(week.candidates('ip', handle, from, from + length));
    }
  }
  for (const handle of [0, 2 ** 32 - 1]) found.push(week.candidates('ip', handle, at(0), at(WEEK_S)));
  return found;
}

/** Each by a file that is opened for it: from rows. */
const NO_ROOM = new IndexRoom(0);

beforeEach(() => {
  path = join(directory, `${++files}.db`);
  for (const _ of buildWeekFile(
    path,
    FORMAT.weekVersion,
    { cluster: 'prod', week: weekOf(at(0)), generation: 1 },
    lives(),
  ));
});

test('what is kept in memory answers as the rows do', () => {
  const fromRows = askAll(open(NO_ROOM));
  assert.ok(
    fromRows.some((found) => found.length > 64),
    'an address of several blocks',
  );
  assert.ok(fromRows.length > 2 * WORTH_KEEPING);
  const week = open();
  assert.deepEqual(askAll(week), fromRows);
  assert.deepEqual(askAll(week), fromRows);
  // Shown by taking the rows away: what is asked for next is not read from them.
  week.close();
  assert.deepEqual(askAll(week), fromRows);
});

test('a damaged row is reported by the questions that need it, also when the others are worth keeping', () => {
  const whole = askAll(open(NO_ROOM));
  const db = new DatabaseSync(path);
  db.exec(`UPDATE posting SET body = zeroblob(length(body))
    WHERE place = (SELECT max(place) FROM posting WHERE place < ${placeOf('node', 0, 0)})`);
  db.close();
  const week = open();
  let refused = 0;
  for (let round = 0; round < 3; round++) {
    for (const [i, expected] of whole.entries()) {
      const handle = FIRST - 2 + Math.floor(i / 3);
      if (i >= whole.length - 2) continue;
      try {
        const found = week.candidates('ip', handle, at(-WEEK_S), at(WEEK_S));
        assert.ok(expected.length <= found.length);
      } catch (error) {
        assert.equal((error as { code?: string }).code, 'damaged');
        refused++;
      }
    }
  }
  assert.ok(refused > 0 && refused < whole.length, `${refused} refused`);
});

test('a closed file gives its room back, and one that finds none reads rows', () => {
  const room = new IndexRoom(3000 * 10);
  const one = open(room);
  askAll(one);
  assert.equal(room.give({}, 1), false, 'all taken');
  const other = open(room);
  const answers = askAll(other);
  other.close();
  assert.throws(() => askAll(other), 'it had only its rows');
  one.close();
  assert.equal(room.give({}, 3000 * 10), true);
  assert.deepEqual(answers, askAll(open(NO_ROOM)));
});
