// What the checks of history read must be what the recorder keeps: a reason that only one of them knows proves nothing.
import assert from 'node:assert/strict';
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { keepingOf } from './event-reasons.ts';

const EXPLAIN = join(import.meta.dirname, '../../../../history/src/explain');
const OWNERS = ['ReplicaSet', 'ReplicationController', 'StatefulSet', 'DaemonSet', 'Job', 'CronJob'];
const WORKLOADS = [...OWNERS, 'Deployment', 'HorizontalPodAutoscaler'];
const ALL = [...WORKLOADS, 'Pod', 'Node'];

/** By the list that a check reads: `events(known.pod, 'Preempted')`. */
function kindsOf(list: string): readonly string[] {
  if (/workload/.test(list)) return WORKLOADS;
  if (/owner/.test(list)) return OWNERS;
  if (/node/.test(list)) return ['Node'];
  return /pod/.test(list) ? ['Pod'] : ALL;
}

function readReasons(): { readonly reason: string; readonly kinds: readonly string[]; readonly file: string }[] {
  const files = globSync('**/*.ts', { cwd: EXPLAIN }).filter((file) => !/test|observe/.test(file));
  return files.flatMap((file) => {
    const source = readFileSync(join(EXPLAIN, file), 'utf8');
    const calls = [...source.matchAll(/\bevents\(\s*(\[[^\]]*\]|[\w.]+),\s*((?:'\w+',?\s*)+)\)/g)];
    // Tables of reasons: of evictors about pods, of Jobs about themselves.
    const tables = [...source.matchAll(/\breasons: \[([^\]]*)\]/g)];
    const kinds = file.endsWith('job.ts') ? ['Job'] : ['Pod'];
    return [
      ...calls.flatMap(([, list = '', words = '']) =>
        quoted(words).map((reason) => ({ reason, kinds: kindsOf(list), file })),
      ),
      ...tables.flatMap(([, words = '']) => quoted(words).map((reason) => ({ reason, kinds, file }))),
    ];
  });
}

function quoted(words: string): string[] {
  return [...words.matchAll(/'(\w+)'/g)].map(([, word = '']) => word);
}

test('every reason of an Event that a check reads is one that the recorder keeps', () => {
  const read = readReasons();
  const reasons = new Set(read.map(({ reason }) => reason));
  // The search itself must not have become blind.
  for (const known of ['Preempted', 'Rebooted', 'SuccessfulDelete', 'SuccessfulRescale', 'EvictedByVPA', 'Suspended'])
    assert.ok(reasons.has(known), `${known} is not found in the checks`);
  const unkept = read.filter(({ reason, kinds }) => !kinds.some((kind) => keepingOf(kind, reason) !== undefined));
  assert.deepEqual(unkept, []);
});
