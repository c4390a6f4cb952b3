import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../api/cluster-api.ts';
import { humanDuration } from './human-duration.ts';
import { jsonPathValue } from './json-path.ts';
import { podReady, podRestarts, podStatus } from './pod-cells.ts';

const SECOND = 1000;
const HOUR = 3600 * SECOND;

for (const [millis, text] of [
  [-5 * SECOND, '<invalid>'],
  [0, '0s'],
  [119 * SECOND, '119s'],
  [125 * SECOND, '2m5s'],
  [11 * 60 * SECOND, '11m'],
  [3 * HOUR + 5 * 60 * SECOND, '3h5m'],
  [30 * HOUR, '30h'],
  [50 * HOUR, '2d2h'],
  [24 * 20 * HOUR, '20d'],
  [24 * 800 * HOUR, '2y70d'],
] as const) {
  test(`${millis} ms read ${text}`, () => assert.equal(humanDuration(millis), text));
}

function aPod(status: object, more: object = {}): KubeObject {
  const spec = { containers: [{ name: 'a' }, { name: 'b' }], initContainers: [{ name: 'i' }] };
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', ...more }, spec, status };
}

const running = { running: {} };

for (const [what, pod, word] of [
  [
    'one whose image cannot be pulled',
    aPod({ phase: 'Pending', containerStatuses: [{ state: { waiting: { reason: 'ImagePullBackOff' } } }] }),
    'ImagePullBackOff',
  ],
  ['one in its init containers', aPod({ phase: 'Pending', initContainerStatuses: [{ state: running }] }), 'Init:0/1'],
  [
    'one whose container was killed',
    aPod({ phase: 'Running', containerStatuses: [{ state: { terminated: { reason: 'OOMKilled', exitCode: 137 } } }] }),
    'OOMKilled',
  ],
  [
    'one that ended',
    aPod({ phase: 'Succeeded', containerStatuses: [{ state: { terminated: { reason: 'Completed', exitCode: 0 } } }] }),
    'Completed',
  ],
  ['one being deleted', aPod({ phase: 'Running' }, { deletionTimestamp: '2026-01-01T00:00:00Z' }), 'Terminating'],
  ['one that was evicted', aPod({ phase: 'Failed', reason: 'Evicted' }), 'Evicted'],
] as const) {
  test(`the status of ${what} is ${word}`, () => assert.equal(podStatus(pod), word));
}

test('ready containers and restarts are counted', () => {
  const ended = { terminated: { finishedAt: '2026-01-01T00:00:00Z' } };
  const pod = aPod({
    phase: 'Running',
    containerStatuses: [
      { ready: true, restartCount: 2, state: running, lastState: ended },
      { ready: false, restartCount: 1, state: running },
    ],
  });
  assert.equal(podReady(pod), '1/2');
  assert.equal(podRestarts(pod, Date.parse('2026-01-01T00:01:00Z')), '3 (60s ago)');
});

test('printer columns read fields, places in lists and items by a field', () => {
  const object = {
    spec: {
      list: [
        { type: 'A', v: 1 },
        { type: 'B', v: 2 },
      ],
    },
    metadata: { labels: { 'x.y/z': 'q' } },
  };
  assert.equal(jsonPathValue(object, '.spec.list[1].v'), 2);
  assert.equal(jsonPathValue(object, '.spec.list[?(@.type=="B")].v'), 2);
  assert.equal(jsonPathValue(object, '.metadata.labels.x\\.y/z'), 'q');
  assert.equal(jsonPathValue(object, '.spec.nothing.here'), undefined);
});
