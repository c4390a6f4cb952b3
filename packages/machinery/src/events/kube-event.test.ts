import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import fc from 'fast-check';
import { cutToBytes, referenceTo } from './kube-event.ts';

const seed = Number(process.env['PODTRAIL_SEED'] ?? 20260103);
console.log(`event texts: seed ${seed}`);

describe('event texts and references', () => {
  test('a text that fits is left alone, a longer one is cut between characters and marked', () => {
    assert.equal(cutToBytes('abc', 3), 'abc');
    assert.equal(cutToBytes('abcdef', 5), 'ab…');
    assert.equal(cutToBytes('a👍👍', 8), 'a👍…');
    assert.equal(cutToBytes('ab👍👍', 8), 'ab…');
  });

  test('no cut text is too long or has half a character', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme', maxLength: 80 }), fc.integer({ min: 3, max: 60 }), (text, max) => {
        const cut = cutToBytes(text, max);
        assert.ok(Buffer.byteLength(cut) <= max);
        assert.ok(cut.isWellFormed());
        assert.ok(cut === text || (cut.endsWith('…') && text.startsWith(cut.slice(0, -1))));
      }),
      { seed },
    );
  });

  test('a reference has what the object has and nothing undefined', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'a', namespace: 'b', uid: 'c', labels: { d: 'e' } },
    };
    assert.deepEqual(referenceTo(pod, 'spec'), {
      apiVersion: 'v1',
      kind: 'Pod',
      name: 'a',
      namespace: 'b',
      uid: 'c',
      fieldPath: 'spec',
    });
    assert.deepEqual(referenceTo({ metadata: {} }), {});
  });
});
