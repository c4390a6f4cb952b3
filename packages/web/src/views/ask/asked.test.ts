import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readPaste } from '../../paste/read-paste.ts';
import { askedOf, dayTrail, parametersOf, trailTimes } from './asked.ts';

const clock = { now: Date.UTC(2026, 10, 18), inZone: () => [] };

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
  assert.deepEqual(askedOf(parametersOf(readPaste('cart', clock), undefined)), {
    ...{ kind: 'name', text: 'cart', at: undefined },
  });
  assert.deepEqual(askedOf({}), { kind: 'nothing' });
});

test('what was meant as an address and is none is asked about as one: the server says what is wrong with it', () => {
  for (const ip of ['10.1.2.256', '010.001.002.003', '10.0.0.0/8'])
    assert.deepEqual(parametersOf(readPaste(ip, clock), undefined), { ip }, ip);
  for (const q of ['10.1.2', '10-1-2-3', 'http-10.1.2.3', '1795063357'])
    assert.deepEqual(parametersOf(readPaste(q, clock), undefined), { q }, q);
});

test('a name keeps the time that was typed or pasted with it, and leads to the trails of that time', () => {
  const at = '2026-11-15T10:05:00.000Z';
  const hubble = readPaste(`${at}: shop/cart-7d9-x2k:49152 -> shop/db-0:5432 FORWARDED`, clock);
  assert.deepEqual(parametersOf(hubble, undefined), { q: 'shop/cart-7d9-x2k', at });
  assert.deepEqual(parametersOf(readPaste('cart', clock), Date.parse(at)), { q: 'cart', at });
  assert.deepEqual(askedOf({ q: 'cart', at }), { kind: 'name', text: 'cart', at });
  assert.deepEqual(trailTimes(at, clock.now), {
    ...{ since: '2026-11-15T07:05:00.000Z', until: '2026-11-15T11:05:00.000Z' },
  });
  for (const none of [undefined, 'soon']) assert.deepEqual(trailTimes(none, clock.now), {});
});

test('who had an address on a day is a trail from midnight to midnight', () => {
  const day = { from: Date.UTC(2026, 10, 15), to: Date.UTC(2026, 10, 16), text: '2026-11-15' };
  assert.deepEqual(dayTrail('10.1.2.3', day), {
    ...{ by: 'pod', subject: '10.1.2.3' },
    ...{ since: '2026-11-15T00:00:00.000Z', until: '2026-11-16T00:00:00.000Z' },
  });
});
