import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { SharedParts } from './shared-parts.ts';

const bytesOf = (text: string) => Buffer.from(text, 'latin1');

function meet(parts: SharedParts<object>, text: string): object {
  const bytes = bytesOf(text);
  const known = parts.find(bytes, 0, bytes.length);
  if (known !== undefined) return known;
  const made = { text };
  parts.remember(bytes, 0, bytes.length, made);
  return made;
}

describe('SharedParts', () => {
  it('shares a part from the second meeting on', () => {
    const parts = new SharedParts<object>();
    const first = meet(parts, 'a part');
    const second = meet(parts, 'a part');
    assert.notEqual(first, second);
    assert.equal(meet(parts, 'a part'), second);
    assert.equal(meet(parts, 'a part'), second);
  });

  it('tells parts of equal hash and length apart', () => {
    const parts = new SharedParts<object>();
    for (let i = 0; i < 3; i++) {
      for (const text of ['node-0xopsh3', 'node-09eo8w1']) assert.deepEqual(meet(parts, text), { text });
    }
  });

  it('compares bytes, not what they decode to', () => {
    const parts = new SharedParts<object>();
    // Both are invalid UTF-8 and would decode to the same replacement character.
    for (let i = 0; i < 3; i++) {
      for (const text of ['\xfe', '\xff']) assert.deepEqual(meet(parts, text), { text });
    }
  });

  it('forgets rather than grows, and lets unique parts evict nothing', () => {
    const parts = new SharedParts<object>(1);
    meet(parts, 'kept');
    const kept = meet(parts, 'kept');
    for (let i = 0; i < 1000; i++) meet(parts, `unique ${i}`);
    assert.equal(meet(parts, 'kept'), kept);
  });
});
