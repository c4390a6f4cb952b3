import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@podtrail/machinery';
import { planSlices, type SliceWrite } from './plan-slices.ts';
import { SliceIndex } from './slice-index.ts';
import type { SliceView } from './slice-view.ts';

const LIMIT = 5;

/** Slices as a server would hold them, that carry out plans. */
class Server {
  readonly slices = new Map<string, Map<string, string>>();
  readonly book = new SliceIndex('owner', LIMIT);
  #version = 0;
  #names = 0;

  view(name: string, ownerUid = 'owner', labelled = true): SliceView {
    const metadata = { name, uid: `uid-${name}`, resourceVersion: `${++this.#version}` };
    const entries = new Map(this.slices.get(name));
    return { metadata, tracker: 't', ownerUid, holds: 'pods', labelled, entries };
  }

  hold(name: string, entries: Record<string, string>, ownerUid = 'owner'): void {
    this.slices.set(name, new Map(Object.entries(entries)));
    this.book.put(this.view(name, ownerUid));
  }

  plan(wanted: ReadonlyMap<string, string>, keys: Iterable<string>, compacts = false): SliceWrite[] {
    return planSlices(
      this.book,
      keys,
      (key) => wanted.get(key),
      () => `s${this.#names++}`,
      compacts,
    );
  }

  carryOut(writes: readonly SliceWrite[]): void {
    for (const write of writes) {
      if (write.kind === 'create') {
        assert.ok(!this.slices.has(write.name), `${write.name} is there already`);
        this.slices.set(write.name, new Map(write.entries));
        this.book.put(this.view(write.name));
        continue;
      }
      const { name, uid } = write.slice.metadata;
      if (write.kind === 'delete') {
        this.slices.delete(name);
        this.book.removeOurs(name, uid);
        continue;
      }
      const entries = this.slices.get(name) as Map<string, string>;
      for (const [key, entry] of write.changes) {
        if (entry === undefined) entries.delete(key);
        else entries.set(key, entry);
      }
      this.book.put(this.view(name));
    }
  }

  /** All entries; fails if one is in two slices. */
  listed(): Map<string, string> {
    const all = [...this.slices.values()].flatMap((entries) => [...entries]);
    assert.equal(new Set(all.map(([key]) => key)).size, all.length, 'an entry is in two slices');
    return new Map(all);
  }
}

const wants = (count: number, value = 'v') => new Map(Array.from({ length: count }, (_, i) => [`k${i}`, value]));

test('new entries go into as few new slices as will hold them', () => {
  const server = new Server();
  const wanted = wants(12);
  const writes = server.plan(wanted, wanted.keys());
  assert.deepEqual(
    writes.map((write) => write.kind === 'create' && write.entries.size),
    [5, 5, 2],
  );
});

test('a changed entry is changed where it lies, and nothing else is written', () => {
  const server = new Server();
  server.carryOut(server.plan(wants(12), wants(12).keys()));
  const wanted = wants(12).set('k7', 'w');
  const writes = server.plan(wanted, wanted.keys());
  assert.equal(writes.length, 1);
  const [write] = writes;
  assert.ok(write?.kind === 'patch');
  assert.equal(write.slice.metadata.name, 's1');
  assert.deepEqual([...write.changes], [['k7', 'w']]);
});

test('nothing is written when nothing differs', () => {
  const server = new Server();
  server.carryOut(server.plan(wants(12), wants(12).keys()));
  assert.deepEqual(server.plan(wants(12), wants(12).keys()), []);
});

test('a new entry fills a hole, at first one in a slice that is written anyway', () => {
  const server = new Server();
  server.carryOut(server.plan(wants(12), wants(12).keys()));
  const wanted = wants(12);
  wanted.delete('k1');
  wanted.set('new', 'v');
  const writes = server.plan(wanted, ['k1', 'new']);
  assert.equal(writes.length, 1, 'the slice that loses k1 gains the new one');
  server.carryOut(writes);
  assert.equal(server.slices.get('s0')?.has('new'), true);
});

test('a slice that becomes empty is deleted', () => {
  const server = new Server();
  server.carryOut(server.plan(wants(6), wants(6).keys()));
  const writes = server.plan(wants(5), ['k5']);
  assert.deepEqual(
    writes.map((write) => write.kind),
    ['delete'],
  );
});

test('an entry that is in two slices is taken out of one of them', () => {
  const server = new Server();
  server.hold('a', { k0: 'v', k1: 'v' });
  server.hold('b', { k1: 'v', k2: 'v' });
  const writes = server.plan(wants(3), wants(3).keys());
  assert.equal(writes.length, 1);
  server.carryOut(writes);
  assert.deepEqual(
    server.listed(),
    new Map([
      ['k0', 'v'],
      ['k1', 'v'],
      ['k2', 'v'],
    ]),
  );
});

test('a slice of another owner is adopted with what it holds', () => {
  const server = new Server();
  server.hold('stray', { k0: 'v' }, 'somebody else');
  const [write, ...others] = server.plan(wants(1), wants(1).keys());
  assert.ok(write?.kind === 'patch' && write.adopt && write.changes.size === 0);
  assert.deepEqual(others, []);
});

test('an empty stray is collected', () => {
  const server = new Server();
  server.hold('stray', {}, 'somebody else');
  assert.deepEqual(
    server.plan(new Map(), []).map((write) => write.kind),
    ['delete'],
  );
});

test('after any changes, delivered one by one or with doubles by a foreign hand, everything is listed once and in bounds', () => {
  const seed = 31_415;
  const random = seededRandom(seed);
  const pick = (n: number) => Math.floor(random() * n);
  const server = new Server();
  const wanted = new Map<string, string>();
  for (let round = 0; round < 600; round++) {
    const dirty = new Set<string>();
    for (let i = pick(8); i >= 0; i--) {
      const key = `k${pick(60)}`;
      if (random() < 0.4) wanted.delete(key);
      else wanted.set(key, `v${pick(4)}`);
      dirty.add(key);
    }
    if (random() < 0.1) {
      // Somebody copies entries into a slice of their own.
      const name = `foreign${round}`;
      const entries = Object.fromEntries([...server.listed()].slice(0, pick(LIMIT)));
      server.hold(name, { ...entries, stranger: 'x' }, 'x');
      for (const key of [...Object.keys(entries), 'stranger']) dirty.add(key);
    }
    if (random() < 0.05) {
      // Somebody deletes a slice.
      const [name] = server.slices.keys();
      const held = name === undefined ? undefined : server.book.slices.get(name);
      if (name !== undefined && held !== undefined) {
        server.slices.delete(name);
        for (const key of server.book.remove(name, held.metadata.uid)) dirty.add(key);
      }
    }
    const before = new Map([...server.book.keys()].map((key) => [key, server.book.placeOf(key)?.metadata.name]));
    const writes = server.plan(wanted, dirty);
    server.carryOut(writes);
    assert.deepEqual(new Map([...server.listed()].sort()), new Map([...wanted].sort()), `seed ${seed}, round ${round}`);
    for (const [name, entries] of server.slices) assert.ok(entries.size > 0 && entries.size <= LIMIT, name);
    for (const [key, place] of before) {
      const now = server.book.placeOf(key)?.metadata.name;
      if (now !== undefined) assert.equal(now, place, `${key} stays where it is`);
    }
    const names = writes.map((write) => (write.kind === 'create' ? write.name : write.slice.metadata.name));
    assert.equal(new Set(names).size, names.length, 'no slice is written twice');
    assert.deepEqual(server.plan(wanted, [...wanted.keys(), ...server.book.keys()]), [], 'a second look finds nothing');
  }
});

test('sparse slices are compacted with what else is to be written, and only when that is asked for', () => {
  const server = new Server();
  const wanted = new Map<string, string>();
  for (const name of ['a', 'b', 'c', 'd']) {
    server.hold(name, { [name]: 'v', [`${name}-gone`]: 'v' });
    wanted.set(name, 'v');
  }
  wanted.set('b', 'new').set('e', 'v');
  const keys = ['b', 'e', 'a-gone', 'b-gone', 'c-gone', 'd-gone'];
  assert.ok(server.plan(wanted, keys).every(({ kind }) => kind === 'patch'));
  const writes = server.plan(wanted, keys, true);
  assert.deepEqual(writes.map(({ kind }) => kind).sort(), ['delete', 'delete', 'patch', 'patch']);
  server.carryOut(writes);
  assert.deepEqual(new Map([...server.listed()].sort()), new Map([...wanted].sort()));
  assert.deepEqual(server.plan(wanted, [], true), [], 'then there is nothing more to do');
});

test('an entry that is in two slices is moved once', () => {
  const server = new Server();
  server.hold('a', { k1: 'v' });
  server.hold('b', { k2: 'v' });
  server.hold('c', { k1: 'v', k3: 'v' });
  server.carryOut(server.plan(new Map(['k1', 'k2', 'k3'].map((key) => [key, 'v'])), ['k1'], true));
  assert.deepEqual([...server.listed().keys()].sort(), ['k1', 'k2', 'k3']);
  assert.ok(server.slices.size <= 2);
});
