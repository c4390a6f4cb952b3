import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { HandlerFailure, PodView, ReflectorState } from '@podtrail/machinery';
import { keptLog } from './testing/fed-trackers.ts';
import { WatchLog } from './watch-log.ts';

const waiting = { kind: 'waiting', error: new Error('forbidden'), since: 0 } as unknown as ReflectorState;
const watching = { kind: 'watching', from: '1', since: 0 } as ReflectorState;

test('a watch that is refused for ever is reported at the first, second, fourth … time; when it is well, from the beginning', () => {
  const { log, lines } = keptLog();
  const watches = new WatchLog(log);
  for (let i = 0; i < 1_000; i++) watches.watchChanged('namespaces', waiting);
  watches.watchChanged('podtrackers', waiting);
  watches.watchChanged('namespaces', watching);
  watches.watchChanged('namespaces', waiting);
  const warned = lines.filter(({ level }) => level === 'warn').map(({ resource, times }) => [resource, times]);
  const doubling = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512].map((times) => ['namespaces', times]);
  assert.deepEqual(warned, [...doubling, ['podtrackers', 1], ['namespaces', 1]]);
});

test('a handler that throws is reported with its name and where, thinned for each of them', () => {
  const { log, lines } = keptLog();
  const watches = new WatchLog(log);
  const failure = (handler: string) =>
    ({ handler, error: new Error('no'), attempt: 1, givenUp: false, delta: {} }) as unknown as HandlerFailure<PodView>;
  for (let i = 0; i < 3; i++) watches.handlerFailed('pods', failure('podtracker'));
  watches.handlerFailed('pods', failure('footprints'));
  assert.deepEqual(
    lines.map(({ level, resource, handler, times, problem }) => [level, resource, handler, times, problem]),
    [
      ['error', 'pods', 'podtracker', 1, 'no'],
      ['error', 'pods', 'podtracker', 2, 'no'],
      ['error', 'pods', 'footprints', 1, 'no'],
    ],
  );
  assert.match(String(lines[0]?.['stack']), /watch-log\.test\.ts/);
});
