// Searches for a UID with the filter of a week file: whatever is asked, the same lives as without it, and rows of a file
// that has none are not read.
import assert from 'node:assert/strict';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { beforeEach, test } from 'node:test';
import { scratchDirectory } from '../../../testing/scratch-directory.ts';
import { compareTexts } from '../../order.ts';
import { aPlacement, aTenure, at } from '../../testing/record-builders.ts';
import type { Life } from '../format/record-layout.ts';
import { FORMAT } from '../head/schema.ts';
import { IndexRoom } from './address-index.ts';
import { UidFilter, WORTH_FILTERING } from './uid-filter.ts';
import { weekOf } from './week.ts';
import { WeekFile } from './week-file.ts';
import { buildWeekFile } from './week-writer.ts';

const directory = scratchDirectory('uids');
const LIVES = 800;
const NO_ROOM = new IndexRoom(0);
let path = '';
let files = 0;
let present: string[] = [];
let absent: string[] = [];

function life(name: string): Life {
  const tenure = aTenure('10.0.0.1', name, 0, 60);
  return { holder: tenure.holder, placement: aPlacement(name, 0, 60), tenures: [tenure] };
}

beforeEach(() => {
  path = join(directory, `${++files}.db`);
  const lives = Array.from({ length: LIVES }, (_, i) => life(`pod-${i}`));
  present = lives.map(({ holder }) => holder.uid);
  absent = Array.from({ length: LIVES }, (_, i) => life(`other-${i}`).holder.uid);
  const sorted = lives.toSorted((a, b) => compareTexts(a.holder.uid, b.holder.uid));
  const whose = { cluster: 'prod', week: weekOf(at(0)), generation: 1 };
  for (const _ of buildWeekFile(path, FORMAT.weekVersion, whose, sorted));
});

function open(room?: IndexRoom): WeekFile {
  return new WeekFile(path, FORMAT.weekVersion, room);
}

test('with a filter, every UID has the lives that it has without', () => {
  const [week, plain] = [open(), open(NO_ROOM)];
  // Twice: while it is being filled, and then.
  for (let round = 0; round < 2; round++) {
    for (const uid of [...absent, ...present]) assert.deepEqual(week.livesOf(uid), plain.livesOf(uid));
  }
  assert.equal(week.livesOf(present[7]!).length, 1);
});

test('a UID that is not in the file costs no read, but for a few', () => {
  const week = open();
  for (const uid of present) week.livesOf(uid);
  week.close();
  // Whatever would be read now fails.
  let read = 0;
  for (const uid of absent) {
    try {
      assert.deepEqual(week.livesOf(uid), []);
    } catch {
      read++;
    }
  }
  assert.ok(read < absent.length / 25, `${read} of ${absent.length} were looked for`);
  assert.throws(() => week.livesOf(present[0]!), 'what is there is read');
});

test('a block is damaged: who needs it is refused, and nothing is ruled out', () => {
  const db = new DatabaseSync(path);
  const block = Math.ceil(LIVES / 8) - 2;
  db.exec(`UPDATE life SET body = zeroblob(length(body)) WHERE block = ${block}`);
  db.close();
  const week = open();
  for (let i = 0; i < 2 * WORTH_FILTERING; i++) assert.deepEqual(week.livesOf('00000000-none'), []);
  const refused = present.filter((uid) => {
    try {
      assert.equal(week.livesOf(uid).length, 1);
      return false;
    } catch (error) {
      assert.equal((error as { code?: string }).code, 'damaged');
      return true;
    }
  });
  // Its own eight lives, and some beside it, which are looked for from there.
  assert.ok(refused.length >= 8 && refused.length < LIVES / 10, `${refused.length} refused`);
});

test('its room is counted, and given back when the file is closed', () => {
  const { bytes } = new UidFilter(LIVES);
  const room = new IndexRoom(bytes);
  const week = open(room);
  for (let i = 0; i < WORTH_FILTERING; i++) week.livesOf(absent[i]!);
  assert.equal(room.give({}, 1), false, 'all taken');
  week.close();
  assert.equal(room.give({}, bytes), true);
});
