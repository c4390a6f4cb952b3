import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { StringInterner } from './string-interner.ts';

const seed = 20260;
const get = (interner: StringInterner, text: string, method: 'get' | 'recurring' = 'get') => {
  const bytes = Buffer.from(`<${text}>`);
  return interner[method](bytes, 1, bytes.length - 1);
};

describe(`StringInterner (seed ${seed})`, () => {
  it('tells strings of equal hash and length apart', () => {
    const interner = new StringInterner();
    // These two have the same hash; if the hash changes, choose another pair.
    for (const text of ['node-0xopsh3', 'node-09eo8w1', 'node-0xopsh3']) assert.equal(get(interner, text), text);
    // Past 32 bytes only both ends are hashed.
    const long = (middle: string) => `${'a'.repeat(16)}${middle}${'z'.repeat(16)}`;
    for (const text of [long('one'), long('two'), long('one')]) {
      assert.equal(get(interner, text), text);
      assert.equal(interner.ofString(text), text);
    }
  });

  it('decodes UTF-8, and replaces what is no UTF-8, exactly as Buffer does', () => {
    const interner = new StringInterner(4);
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 60 }),
        fc.constantFrom('get' as const, 'recurring' as const),
        (raw, how) => {
          const bytes = Buffer.from(raw);
          for (let i = 0; i < 3; i++) assert.equal(interner[how](bytes, 0, bytes.length), bytes.toString('utf8'));
        },
      ),
      { seed, numRuns: 2000 },
    );
    // A Latin-1 character in the table is no match for its single byte, which is invalid UTF-8.
    interner.ofString('é');
    interner.ofString('é');
    assert.equal(interner.get(Buffer.from([0xe9]), 0, 1), '\ufffd');
  });

  it('finds the right string however small the table is and whoever filled it', () => {
    const interner = new StringInterner(2);
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 40 }), { maxLength: 30 }), (texts) => {
        for (const text of texts) {
          const wellFormed = text.toWellFormed();
          assert.equal(get(interner, wellFormed), wellFormed);
          assert.equal(get(interner, wellFormed, 'recurring'), wellFormed);
          assert.equal(interner.ofString(text), text);
        }
      }),
      { seed, numRuns: 300 },
    );
  });

  it('keeps a recurring string in spite of a hundred thousand unique ones', () => {
    // Identity of strings cannot be asked for, but work can be counted: a kept string is not decoded again.
    const interner = new StringInterner(8);
    const bytes = Buffer.from('kube-system');
    let decoded = 0;
    const decode = bytes.toString.bind(bytes);
    bytes.toString = (...args) => {
      decoded++;
      return decode(...args);
    };
    interner.get(bytes, 0, bytes.length);
    for (let i = 0; i < 100_000; i++) get(interner, `unique-${i}`, 'recurring');
    interner.get(bytes, 0, bytes.length);
    assert.equal(decoded, 1);
  });
});
