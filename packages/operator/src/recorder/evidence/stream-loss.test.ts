import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochMillis, readFact } from '@podtrail/history';
import { ApiError } from '@podtrail/machinery';
import { StreamLoss } from './stream-loss.ts';

const T0 = 1_000_000_000;
const at = (seconds: number) => epochMillis(T0 + seconds * 1000);
const CURRENT = { current: true, error: undefined };
const AWAY = { current: false, error: undefined };
const BROKEN = { current: false, error: new Error('connection refused') };
const FORBIDDEN = { current: false, error: new ApiError(403, { message: 'may not list events' }, undefined) };
const OF_EVENTS = { resource: 'events', namespace: undefined, remembersMs: 1_800_000, watchedUntil: undefined };
const OF_OWNERS = { ...OF_EVENTS, resource: 'replicasets', remembersMs: 0 };

/** Looks at each second that is given; returns what is recorded, as `what reason second`. */
function look(loss: StreamLoss, looks: readonly (readonly [number, Parameters<StreamLoss['look']>[0]])[]): string[] {
  return looks.flatMap(([second, view]) =>
    loss.look(view, at(second)).map((found) => `${found.what} ${found.reason} ${(found.at - T0) / 1000}`),
  );
}

test('a stream that is followed from the start says so once', () => {
  const loss = new StreamLoss(OF_EVENTS);
  assert.deepEqual(
    look(loss, [
      [0, AWAY],
      [1, CURRENT],
      [2, CURRENT],
    ]),
    ['stream-followed Listed 1'],
  );
});

test('what is recorded of a stream is read back from an export, and from a peer, as it was', () => {
  for (const view of [CURRENT, FORBIDDEN]) {
    const [found] = new StreamLoss(OF_EVENTS).look(view, at(1));
    const evidence = { ...found, epoch: 1, observedAt: at(1), collector: 'podtrail-0' };
    assert.deepEqual(readFact({ kind: 'evidence', evidence }), { kind: 'evidence', evidence });
  }
});

test('a refusal is a loss at once and once, and names what is wrong', () => {
  const loss = new StreamLoss(OF_EVENTS);
  assert.deepEqual(
    look(loss, [
      [0, AWAY],
      [1, FORBIDDEN],
      [2, AWAY],
      [90, FORBIDDEN],
    ]),
    ['stream-lost Forbidden 0'],
  );
  assert.equal(loss.problem, 'may not list events');
});

test('a watch that is opened again, and a server that is away for seconds, are no loss', () => {
  const loss = new StreamLoss(OF_OWNERS);
  const looks = [
    [0, CURRENT],
    [10, AWAY],
    [11, CURRENT],
    [20, BROKEN],
    [45, BROKEN],
    [46, CURRENT],
  ] as const;
  assert.deepEqual(look(loss, looks), ['stream-followed Listed 0']);
});

test('what is broken for longer is a loss since it began', () => {
  const loss = new StreamLoss(OF_OWNERS);
  assert.deepEqual(
    look(loss, [
      [0, CURRENT],
      [10, BROKEN],
      [39, BROKEN],
      [40, BROKEN],
      [60, BROKEN],
    ]),
    ['stream-followed Listed 0', 'stream-lost Disconnected 10'],
  );
});

test('a loss of Events that a listing makes good is taken back: the same record says that it was followed', () => {
  const loss = new StreamLoss(OF_EVENTS);
  const [lost] = loss.look(FORBIDDEN, at(0));
  const [back] = loss.look(CURRENT, at(600));
  assert.equal(back?.id, lost?.id);
  assert.deepEqual([back?.what, back?.reason, back?.count, back?.at], ['stream-followed', 'CaughtUp', 2, at(0)]);
  assert.equal(loss.problem, undefined);
});

test('a loss of Events that lasts longer than the API keeps them ends where the listing begins', () => {
  const loss = new StreamLoss(OF_EVENTS);
  assert.deepEqual(
    look(loss, [
      [0, FORBIDDEN],
      [7_200, CURRENT],
    ]),
    ['stream-lost Forbidden 0', 'stream-followed Listed 5400'],
  );
});

test('of owners, a loss is made good only where it was followed before: a listing does not show who went', () => {
  const never = new StreamLoss(OF_OWNERS);
  assert.deepEqual(
    look(never, [
      [0, FORBIDDEN],
      [60, CURRENT],
    ]),
    ['stream-lost Forbidden 0', 'stream-followed Listed 60'],
  );
  const before = new StreamLoss(OF_OWNERS);
  assert.deepEqual(
    look(before, [
      [0, CURRENT],
      [10, FORBIDDEN],
      [60, CURRENT],
    ]),
    ['stream-followed Listed 0', 'stream-lost Forbidden 10', 'stream-followed CaughtUp 10'],
  );
});

test('while nobody recorded, owners were not watched; of Events only what is older than the listing is missing', () => {
  const watchedUntil = at(-600);
  assert.deepEqual(
    look(new StreamLoss({ ...OF_OWNERS, watchedUntil }), [
      [0, AWAY],
      [1, CURRENT],
    ]),
    ['stream-lost NotRecording -600', 'stream-followed Listed 1'],
  );
  assert.deepEqual(
    look(new StreamLoss({ ...OF_EVENTS, watchedUntil }), [
      [0, AWAY],
      [1, CURRENT],
    ]),
    ['stream-followed Listed 1'],
  );
  assert.deepEqual(look(new StreamLoss({ ...OF_EVENTS, watchedUntil: at(-7_200) }), [[0, CURRENT]]), [
    'stream-lost NotRecording -7200',
    'stream-followed Listed -1800',
  ]);
});

const HOUR = 3600;

test('a loss that lasts is recorded again every six hours: each record expires, and the loss must not with it', () => {
  const loss = new StreamLoss(OF_EVENTS);
  const looks = Array.from({ length: 20 * 24 }, (_, hour) => [hour * HOUR, FORBIDDEN] as const);
  const found = look(loss, looks);
  assert.deepEqual(found.slice(0, 3), [
    'stream-lost Forbidden 0',
    'stream-lost StillLost 21600',
    'stream-lost StillLost 43200',
  ]);
  assert.equal(found.length, 20 * 4);
  assert.equal(loss.problem, 'may not list events');
});

test('so is that a stream is followed, unless a flood of it stands', () => {
  const loss = new StreamLoss(OF_EVENTS);
  const reasons = (hour: number, isFlooded = false) =>
    loss.look(CURRENT, at(hour * HOUR), isFlooded).map(({ what, reason }) => `${what} ${reason}`);
  assert.deepEqual(reasons(0), ['stream-followed Listed']);
  assert.deepEqual(reasons(5), []);
  assert.deepEqual(reasons(6), ['stream-followed StillFollowed']);
  assert.deepEqual(reasons(12, true), [], 'it would end the flood');
  assert.deepEqual(reasons(13), ['stream-followed StillFollowed']);
});

test('a loss that is made good is taken back with all its records; else with those that the listing shows', () => {
  const owners = new StreamLoss(OF_OWNERS);
  const looks = [
    [0, CURRENT],
    [10, FORBIDDEN],
    [7 * HOUR, FORBIDDEN],
    [8 * HOUR, CURRENT],
  ] as const;
  assert.deepEqual(look(owners, looks).slice(2), [
    `stream-lost StillLost ${7 * HOUR}`,
    'stream-followed CaughtUp 10',
    `stream-followed CaughtUp ${7 * HOUR}`,
  ]);
  const events = new StreamLoss(OF_EVENTS);
  assert.deepEqual(
    look(events, [
      [0, FORBIDDEN],
      [6 * HOUR, FORBIDDEN],
      [12 * HOUR, FORBIDDEN],
      [12 * HOUR + 60, CURRENT],
    ]).slice(3),
    [`stream-followed CaughtUp ${12 * HOUR}`, `stream-followed Listed ${11.5 * HOUR + 60}`],
  );
});
