import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cutPage, type Place } from '../engines/order.ts';
import { collect, type PagedListing } from './paging.ts';

const placeOf = (n: number): Place => ({ time: n, key: '' });

/** A listing of so many numbers, which notes how many are read at once. */
function numbers(count: number, wanted?: (n: number) => boolean): PagedListing<number> & { readonly reads: number[] } {
  const all = Array.from({ length: count }, (_, n) => n);
  const reads: number[] = [];
  return {
    reads,
    question: { listing: 'numbers' },
    placeOf,
    wanted,
    async read({ limit = 0, cursor }) {
      reads.push(limit);
      return cutPage(all, placeOf, { limit, cursor });
    },
  };
}

test('of a listing that is read in many parts, pages of any size give every wanted record once', async () => {
  for (const step of [1, 3, 999]) {
    const listing = numbers(30_000, step === 1 ? undefined : (n) => n % step === step - 1);
    const whole = await collect({ limit: 0 }, listing);
    assert.equal(whole.items.length, Math.floor(30_000 / step));
    for (const limit of [1, 7, 10_000, 29_999]) {
      const given: number[] = [];
      let cursor: string | undefined;
      for (let pages = 0; pages < 50; pages++) {
        const page = await collect({ limit, cursor }, listing);
        given.push(...page.items);
        cursor = page.cursor;
        if (cursor === undefined) break;
      }
      assert.deepEqual(given, whole.items.slice(0, given.length));
      if (cursor === undefined) assert.equal(given.length, whole.items.length);
    }
  }
});

test('a cursor is given only if a wanted record follows, however many unwanted ones do', async () => {
  const listing = numbers(30_000, (n) => n < 5);
  assert.equal(typeof (await collect({ limit: 4 }, listing)).cursor, 'string');
  assert.deepEqual(await collect({ limit: 5 }, listing), { items: [0, 1, 2, 3, 4], cursor: undefined });
});

test('no more is read than is wanted and one, unless some are not', async () => {
  const all = numbers(30_000);
  await collect({ limit: 3 }, all);
  assert.deepEqual(all.reads, [4]);
  const some = numbers(30_000, () => true);
  await collect({ limit: 3 }, some);
  assert.deepEqual(some.reads, [256]);
});

test('a page that takes too long ends with what it has, and the next one goes on behind what was read', async () => {
  const listing = numbers(1000, (n) => n % 300 === 299);
  const isEnough = () => true;
  const first = await collect({ limit: 10 }, { ...listing, isEnough });
  assert.deepEqual([first.items, typeof first.cursor], [[], 'string']);
  const given: number[] = [];
  let cursor: string | undefined;
  do {
    const page = await collect({ limit: 10, cursor }, { ...listing, isEnough });
    given.push(...page.items);
    cursor = page.cursor;
  } while (cursor !== undefined);
  assert.deepEqual(given, [299, 599, 899]);
});
