import assert from 'node:assert/strict';
import { test } from 'node:test';
import { NOW, watched } from '../testing/records.ts';
import { instantText } from '../times/span.ts';
import { whyEmpty } from './why-empty.ts';

const HOUR = 3_600_000;
const asked = { from: NOW - HOUR, to: NOW, isFiltered: false, isNarrowed: false, coverage: watched(NOW - 24 * HOUR) };
const gap = (reason: 'removed' | 'start' | 'pods-only', from: number, to: number | null) =>
  watched(NOW - 24 * HOUR, [{ from: instantText(from), to: to === null ? null : instantText(to), reason }]);

test('an empty listing says which reason applies', () => {
  const future = watched(NOW, [{ from: instantText(NOW - HOUR), to: null, reason: 'in-the-future' }]);
  const cases: readonly [Partial<typeof asked>, string][] = [
    [{}, 'Nothing happened'],
    [{ isFiltered: true }, 'Nothing matches'],
    [{ coverage: watched(null) }, 'Nothing is recorded yet'],
    [{ from: NOW - 48 * HOUR, to: NOW - 24 * HOUR }, 'Before the first record'],
    [{ coverage: gap('removed', NOW - HOUR, NOW) }, 'Not kept any more'],
    [{ coverage: gap('start', NOW - 2 * HOUR, null) }, 'Nobody was watching'],
    [{ coverage: gap('pods-only', NOW - 2 * HOUR, null) }, 'Nothing happened'],
    // A gap that leaves a part of the time: what was watched had nothing.
    [{ coverage: gap('start', NOW - HOUR + 1, null) }, 'Nothing happened'],
    [{ coverage: { ...future, from: instantText(NOW - 24 * HOUR) } }, 'This time has not come'],
    [{ isNarrowed: true }, 'Nothing of yours'],
    [{ isNarrowed: true, isFiltered: true }, 'Nothing of yours matches'],
  ];
  for (const [changes, title] of cases) assert.equal(whyEmpty({ ...asked, ...changes }).title, title);
});

test('at an instant nothing happens, and there is no longer time to choose', () => {
  const instant = { ...asked, from: NOW };
  assert.deepEqual(whyEmpty(instant), { title: 'Nothing was there', text: 'Choose another time.' });
  assert.deepEqual(whyEmpty({ ...instant, isFiltered: true }), {
    ...{ title: 'Nothing matches', text: 'Take away a filter, or choose another time.' },
  });
});
