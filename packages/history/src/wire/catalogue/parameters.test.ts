import assert from 'node:assert/strict';
import { test } from 'node:test';
import { z } from 'zod';
import { SeededNumbers } from '../../testing/seeded-numbers.ts';
import { instantOf } from './parameters.ts';

test('an instant that is read without the schema is one that the schema takes, and the same one', () => {
  const schema = z.iso.datetime({ offset: true });
  const numbers = new SeededNumbers(11);
  const digits = (least: number, most: number, width: number) =>
    String(numbers.between(least, most)).padStart(width, '0');
  let taken = 0;
  for (let n = 0; n < 20_000; n++) {
    // Mostly right, and often just beside it.
    const day = `${digits(0, 9999, 4)}-${digits(0, 13, 2)}-${digits(0, 32, 2)}`;
    const time = `${digits(0, 24, 2)}:${digits(0, 60, 2)}:${digits(0, 60, 2)}`;
    const fraction = numbers.chance(0.5) ? '' : `.${digits(0, 999_999_999, numbers.between(0, 12))}`;
    const zone = numbers.pick(['Z', 'Z', 'Z', 'z', '', '+01:00', ' ']);
    let text = `${day}${numbers.pick(['T', 'T', 'T', 't', ' '])}${time}${fraction}${zone}`;
    const place = numbers.between(0, text.length - 1);
    if (numbers.chance(0.1))
      text = `${text.slice(0, place)}${numbers.pick(['0', 'x', '-', ''])}${text.slice(place + 1)}`;
    const isTaken = schema.safeParse(text).success;
    if (isTaken) taken++;
    assert.equal(instantOf(text), isTaken ? Math.trunc(Date.parse(text)) : undefined, text);
  }
  assert.ok(taken > 1_000, `only ${taken} were right`);
});
