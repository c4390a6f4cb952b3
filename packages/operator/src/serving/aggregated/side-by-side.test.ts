import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sideBySide } from './side-by-side.ts';

/** Reads that end when the test says so, in the order that it says. */
function heldReads() {
  const begun: number[] = [];
  const ends = new Map<number, { resolve(found: string): void; reject(error: Error): void }>();
  const read = (item: number) => {
    begun.push(item);
    return new Promise<string>((resolve, reject) => ends.set(item, { resolve, reject }));
  };
  return { begun, read, end: (item: number) => ends.get(item)?.resolve(`found ${item}`), ends };
}

test('what was found comes in the order of the items, whichever read ends first', async () => {
  const { read, end } = heldReads();
  const found: string[] = [];
  const all = (async () => {
    for await (const one of sideBySide([1, 2, 3], read, 3)) found.push(one);
  })();
  for (const item of [3, 1, 2]) end(item);
  await all;
  assert.deepEqual(found, ['found 1', 'found 2', 'found 3']);
});

test('no more reads are under way than were allowed, and the next one begins when one was taken', async () => {
  const { begun, read, end } = heldReads();
  const reads = sideBySide([1, 2, 3, 4], read, 2);
  const first = reads.next();
  assert.deepEqual(begun, [1, 2]);
  end(1);
  assert.equal((await first).value, 'found 1');
  const second = reads.next();
  assert.deepEqual(begun, [1, 2, 3]);
  end(2);
  await second;
});

test('a read that fails fails the list at its place, and those behind it are no unhandled rejections', async () => {
  const { read, end, ends } = heldReads();
  const reads = sideBySide([1, 2, 3], read, 3);
  const first = reads.next();
  ends.get(3)?.reject(new Error('the third'));
  ends.get(2)?.reject(new Error('the second'));
  end(1);
  assert.equal((await first).value, 'found 1');
  await assert.rejects(reads.next(), { message: 'the second' });
});

test('who takes no more begins no more', async () => {
  const { begun, read, end } = heldReads();
  const reads = sideBySide([1, 2, 3, 4], read, 2);
  const first = reads.next();
  end(1);
  await first;
  await reads.return(undefined);
  assert.deepEqual(begun, [1, 2]);
});
