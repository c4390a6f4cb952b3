import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPaste } from '../../paste/read-paste.ts';
import { askedOf, dayTrail, parametersOf } from './asked.ts';

const clock = { now: Date.UTC(2026, 10, 18), inZone: () => undefined };

test('a line of a log becomes an address and a time in the URL, and nothing else of it', () => {
  const paste = readPaste('2026-11-15T10:05:00Z token=hunter2 src=10.1.2.3', clock);
  assert.deepEqual(parametersOf(paste, undefined), { ip: '10.1.2.3', at: '2026-11-15T10:05:00.000Z' });
});

test('the time that was typed goes before the one that was pasted', () => {
  const paste = readPaste('2026-11-15T10:05:00Z 10.1.2.3', clock);
  assert.equal(parametersOf(paste, Date.UTC(2026, 0, 1))['at'], '2026-01-01T00:00:00.000Z');
});

test('an address without a time is asked about now, also when the link is opened later', () => {
  assert.deepEqual(parametersOf(readPaste('10.1.2.3', clock), undefined), { ip: '10.1.2.3' });
  assert.deepEqual(askedOf({ ip: '10.1.2.3' }), {
    ...{ kind: 'address', ip: '10.1.2.3', at: undefined, isSeen: false },
  });
  assert.deepEqual(askedOf({ ip: '10.1.2.3', seen: 'true' }), {
    ...{ kind: 'address', ip: '10.1.2.3', at: undefined, isSeen: true },
  });
});

test('a name is looked for', () => {
  assert.deepEqual(askedOf(parametersOf(readPaste('cart', clock), undefined)), { kind: 'name', text: 'cart' });
  assert.deepEqual(askedOf({}), { kind: 'nothing' });
});

test('who had an address on a day is a trail from midnight to midnight', () => {
  const day = { from: Date.UTC(2026, 10, 15), to: Date.UTC(2026, 10, 16), text: '2026-11-15' };
  assert.deepEqual(dayTrail('10.1.2.3', day), {
    ...{ by: 'pod', subject: '10.1.2.3' },
    ...{ since: '2026-11-15T00:00:00.000Z', until: '2026-11-16T00:00:00.000Z' },
  });
});
