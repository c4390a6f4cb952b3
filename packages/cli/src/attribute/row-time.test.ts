import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@podtrail/machinery';
import { parseTime } from '../times/parse-time.ts';
import { parseZone, UTC, type Zone } from '../times/zone.ts';
import { RowTimes } from './row-time.ts';

const BERLIN = parseZone('Europe/Berlin') as Zone;

/** What parse-time.ts makes of it, but for ages, once what only logs write is spelled as it takes it. */
function slowly(text: string, zone: Zone): number {
  const plain = text
    .trim()
    .replace(/^([1-9]\d{11,13})\d{3}(?:\.\d*)?$/, '$1')
    .replace(/^([1-9]\d{11,12})\d{6}(?:\.\d*)?$/, '$1')
    .replace(/^(\d{4}-\d\d-\d\d.*[T \d:.,][+-]\d\d)(\d\d)$/, '$1:$2');
  const parsed = parseTime(plain, Number.NaN, zone);
  return parsed.ok ? parsed.at : Number.NaN;
}

function fromBytes(times: RowTimes, text: string): number {
  const bytes = Buffer.from(`9${text}9`, 'latin1');
  return times.parseBytes(bytes, 1, bytes.length - 1);
}

const SPELLINGS = [
  '2026-11-15T10:05:00Z',
  '2026-11-15t10:05:00z',
  '2026-11-15 10:05:00.5Z',
  '2026-11-15T10:05:00,25Z',
  '2026-11-15T10:05:00.123456789Z',
  '2026-11-15T10:05:00.1234567891Z',
  '2026-11-15T10:05:00.Z',
  '2026-11-15T10:05Z',
  '2026-11-15T10:05',
  '2026-11-15T10:05:00',
  '2026-11-15',
  '2026-11-15T10:05:00+02:00',
  '2026-11-15T00:05:00.999+23:59',
  '2026-11-15T10:05:00-05:30',
  '2026-11-15T10:05:00+24:00',
  '2026-11-15T10:05:00+0200',
  '2026-11-15T24:00:00Z',
  '2026-11-15T10:60:00Z',
  '2026-12-31T23:59:60Z',
  '2026-02-30T10:05:00Z',
  '2026-13-01T10:05:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59.999Z',
  '2026-10-25T02:30:00',
  '2026-03-29T02:30:00',
  ' 2026-11-15T10:05:00Z ',
  '2026-11-15T10:05:00Zulu',
  '2026-11-15T1x:05:00Z',
  '1794737100',
  '1794737100.25',
  '1794737100.123456789',
  '1794737100.1234567891',
  '1794737100.',
  '1794737100250',
  '1794737100250.9',
  '1794737100250000',
  '001794737100',
  '99999999',
  '100000000',
  '99999999999',
  '100000000000',
  '99999999999999',
  '100000000000000',
  '17947371e2',
  '-1794737100',
  '',
  '-',
];

test('times are read from bytes as from the command line', () => {
  for (const zone of [UTC, BERLIN]) {
    const times = new RowTimes(zone);
    for (const text of SPELLINGS) {
      assert.equal(fromBytes(times, text), slowly(text, zone), `${JSON.stringify(text)} in ${zone.name}`);
      assert.equal(times.parse(text) ?? Number.NaN, slowly(text, zone), `${JSON.stringify(text)} in ${zone.name}`);
    }
  }
});

test('also when a character of them is another', () => {
  const seed = 20261115;
  const random = seededRandom(seed);
  const others = '0123456789-+:.,TtZz \u00e9x';
  const below = (limit: number) => Math.floor(random() * limit);
  const times = new RowTimes(UTC);
  for (let run = 0; run < 20_000; run++) {
    const text = SPELLINGS[below(SPELLINGS.length)] as string;
    const at = below(text.length + 1);
    const changed = text.slice(0, at) + (others[below(others.length)] as string) + text.slice(at + below(2));
    // Ages are times on the command line only, and none of these becomes one.
    assert.equal(fromBytes(times, changed), slowly(changed, UTC), `seed ${seed}: ${JSON.stringify(changed)}`);
  }
});

const OF_LOGS: readonly (readonly [sentence: string, text: string, expected: string])[] = [
  ['epoch seconds', '1794737100', '2026-11-15T10:05:00.000Z'],
  ['epoch milliseconds', '1794737100250', '2026-11-15T10:05:00.250Z'],
  ['epoch microseconds', '1794737100250999', '2026-11-15T10:05:00.250Z'],
  ['epoch nanoseconds', '1794737100250999999', '2026-11-15T10:05:00.250Z'],
  ['an offset without a colon', '2026-11-15T10:05:00.250999+0000', '2026-11-15T10:05:00.250Z'],
  ['an offset without a colon to the east', '2026-11-15T12:05:00+0200', '2026-11-15T10:05:00.000Z'],
  ['a blank before the offset is no part of it', '2026-11-15 10:05:00-0530', '2026-11-15T15:35:00.000Z'],
  ['UTC in letters', '2026-11-15 10:05:00 UTC', '2026-11-15T10:05:00.000Z'],
  ['UTC in letters, with a fraction', '2026-11-15 10:05:00.250 UTC', '2026-11-15T10:05:00.250Z'],
  ['GMT in letters', '2026-11-15T10:05:00 GMT', '2026-11-15T10:05:00.000Z'],
];

for (const [sentence, text, expected] of OF_LOGS) {
  test(`logs write ${sentence}: ${text}`, () => {
    const times = new RowTimes(undefined);
    assert.equal(new Date(fromBytes(times, text)).toISOString(), expected);
    assert.equal(new Date(times.parse(text) ?? Number.NaN).toISOString(), expected);
  });
}

test('without a zone given, a time that says none is none, and that is distinguished from other problems', () => {
  const times = new RowTimes(undefined);
  for (const text of ['2026-11-15T10:05:00', '2026-11-15 10:05', '2026-11-15', '2026-11-15 10:05:00.25']) {
    assert.deepEqual([times.parse(text), times.problem], [undefined, `"${text}" has no time zone`]);
  }
  for (const text of ['2026-02-30T10:05:00', 'soon']) {
    assert.equal(times.parse(text), undefined);
    assert.doesNotMatch(times.problem, /has no time zone/);
  }
});

test('letters that look like digits once their upper half is cut off are none', () => {
  const times = new RowTimes(UTC);
  assert.equal(times.parse('\u013179473710\u0130'), undefined);
  assert.match(times.problem, /is not a time/);
});

test('what the command line takes relative to now is no time of a row', () => {
  const times = new RowTimes(UTC);
  for (const text of ['now', 'NOW', '15m', '1d', '1d12h', '3d ago']) {
    assert.deepEqual([times.parse(text), times.problem], [undefined, `"${text}" is an age, not a time`]);
    assert.ok(Number.isNaN(fromBytes(times, text)), text);
  }
});
