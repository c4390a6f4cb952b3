// What real kubelets and controllers said of the ends of pods, as the traces of causes that a recorder stores of it; and
// that the ledger is the same with and without them. Part of `npm test`.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { allRecords, type Engine, exportLines, openStore, type PodLife, type StoredFact } from '@podtrail/history';
import { replay } from '../proof/nodes/replay.ts';

const MECHANISMS = join(import.meta.dirname, 'mechanisms');
const OF_CAUSES = ['departure', 'evidence', 'life'];

interface Traces {
  readonly cluster: string;
  readonly facts: readonly StoredFact[];
  life(name: string): PodLife;
  /** `cordoned`, `tainted KEY:EFFECT` …, of all nodes, in the order in which they are stored. */
  readonly ofNodes: readonly string[];
}

async function tracesOf(directory: string): Promise<Traces> {
  await using engine = await memory();
  const cluster = await replay(directory, engine);
  const facts = await Array.fromAsync(allRecords(engine, cluster));
  const lives = facts.flatMap((fact) => (fact.kind === 'life' ? [fact.life] : []));
  return {
    cluster,
    facts,
    life: (name) => lives.find(({ pod }) => pod.name === name) ?? assert.fail(`no life of ${name}`),
    ofNodes: facts.flatMap((fact) =>
      fact.kind === 'evidence' ? [[fact.evidence.what, fact.evidence.reason].join(' ').trim()] : [],
    ),
  };
}

/** Times after its creation, in seconds. */
function shortly(life: PodLife) {
  const after = (time: number | undefined) => (time === undefined ? undefined : (time - life.created) / 1000);
  const { disruption, terminal, deletion, endings } = life;
  return {
    ready: after(life.ready),
    disruption: disruption?.reason,
    terminal: terminal && `${terminal.phase} ${terminal.reason}`.trim(),
    requested: after(deletion?.requested),
    grace: deletion?.graceSeconds,
    endings: endings.map(({ reason, exitCode }) => `${reason} ${exitCode}`),
  };
}

const ends: readonly [sentence: string, recording: string, pod: string, shown: ReturnType<typeof shortly>][] = [
  [
    'a pod that the Eviction API ends has that as its first disruption, and the grace that was asked for',
    'api-evicted',
    'api-evicted-6',
    {
      ...{ ready: 0, disruption: 'EvictionByEvictionAPI', terminal: 'Succeeded', requested: 4, grace: 4 },
      endings: ['Completed 0'],
    },
  ],
  [
    'a pod that runs into its deadline says so, and is deleted later',
    'deadline',
    'deadline-24',
    {
      ...{ ready: 2, disruption: undefined, terminal: 'Failed DeadlineExceeded', requested: 13, grace: 0 },
      endings: ['Completed 0'],
    },
  ],
  [
    'a pod that ignores its signal ends by another',
    'deaf',
    'deaf-19',
    { ready: 2, disruption: undefined, terminal: 'Failed', requested: 7, grace: 3, endings: ['Error 137'] },
  ],
  [
    'a deletion that is forced later was requested when it first was',
    'graceful-then-forced',
    'graceful-then-forced-3',
    { ready: 1, disruption: undefined, terminal: undefined, requested: 7, grace: 15, endings: [] },
  ],
  [
    'a container that crashes has each of its ends',
    'crash-loop',
    'crash-loop-1',
    { ready: 1, disruption: undefined, terminal: 'Failed', requested: 10, grace: 2, endings: ['Error 1', 'Error 1'] },
  ],
  [
    'the taint manager deletes a pod of a lost node that was done before',
    'node-lost',
    'job-89-j9rlf',
    {
      ...{ ready: 1, disruption: 'DeletionByTaintManager', terminal: 'Succeeded', requested: 36, grace: 4 },
      endings: ['Completed 0'],
    },
  ],
];

describe('a life that a real kubelet showed', () => {
  for (const [sentence, recording, pod, shown] of ends) {
    test(sentence, async () => {
      const { life } = await tracesOf(join(MECHANISMS, `${recording}.jsonl.gz`));
      assert.deepEqual(shortly(life(pod)), shown);
    });
  }

  test('of a pod that exceeds its storage has the words of the kubelet', async () => {
    const { facts } = await tracesOf(join(MECHANISMS, 'storage-evicted.jsonl.gz'));
    const ended = facts.flatMap((fact) => (fact.kind === 'life' ? (fact.life.terminal ?? []) : []));
    const evicted = ended.filter(({ reason }) => reason === 'Evicted');
    assert.ok(evicted.length > 0);
    for (const { phase, message } of evicted) {
      assert.equal(phase, 'Failed');
      assert.match(message, /exceeds the limit/);
    }
  });

  test('of a static pod is that of a mirror', async () => {
    const { facts } = await tracesOf(join(MECHANISMS, 'static.jsonl.gz'));
    assert.ok(facts.some((fact) => fact.kind === 'life' && fact.life.isMirror));
  });
});

describe('a node of which a real kubelet wrote', () => {
  const nodes: readonly [sentence: string, recording: string, traces: readonly string[]][] = [
    ['was drained: cordoned, and uncordoned later', 'node-drained', ['cordoned', 'uncordoned']],
    [
      'was away: not ready, tainted, and back',
      'node-kubelet-down',
      ['condition Ready=Unknown', 'tainted node.kubernetes.io/unreachable:NoExecute', 'condition Ready=True'],
    ],
    ['was deleted, and made again', 'node-deleted', ['deleted', 'created']],
  ];
  for (const [sentence, recording, traces] of nodes) {
    test(sentence, async () => {
      const { ofNodes } = await tracesOf(join(MECHANISMS, `${recording}.jsonl.gz`));
      assert.deepEqual(
        ofNodes.filter((trace) => traces.includes(trace)),
        traces,
      );
    });
  }

  test('was rebooted', async () => {
    const { ofNodes } = await tracesOf(join(MECHANISMS, 'node-rebooted.jsonl.gz'));
    assert.equal(ofNodes.filter((trace) => trace.startsWith('booted ')).length, 1);
  });
});

describe('with causes and without them', () => {
  const directories = ['1.33-calm', '1.36-calm', '1.36-nodes'].map((name) => join(import.meta.dirname, name));
  test('every recording gives the same ledger, byte for byte; each pod that ended has one departure and a life', async (t) => {
    const files = (await readdir(MECHANISMS)).map((file) => join(MECHANISMS, file));
    let departures = 0;
    for (const directory of [...directories, ...files]) {
      const [withCauses, without] = [await ledgerOf(directory, true), await ledgerOf(directory, false)];
      assert.ok(withCauses.ledger === without.ledger, `${directory}: the ledgers differ`);
      assert.equal(without.traces.length, 0);
      const { facts } = await tracesOf(directory);
      const left = facts.flatMap((fact) => (fact.kind === 'departure' ? [fact.departure.pod.uid] : []));
      const lived = new Set(facts.flatMap((fact) => (fact.kind === 'life' ? [fact.life.pod.uid] : [])));
      assert.equal(new Set(left).size, left.length, `${directory}: a pod departs once`);
      for (const uid of left) assert.ok(lived.has(uid), `${directory}: no life of ${uid}`);
      departures += left.length;
    }
    t.diagnostic(`${departures} departures`);
    assert.ok(departures > 500);
  });
});

interface Replayed {
  readonly ledger: string;
  readonly traces: readonly string[];
}

async function ledgerOf(directory: string, causes: boolean): Promise<Replayed> {
  await using engine = await memory();
  const cluster = await replay(directory, engine, causes);
  const lines = await Array.fromAsync(exportLines(engine, cluster));
  const state = JSON.stringify(await engine.resume(cluster));
  const isTrace = (line: string) => OF_CAUSES.includes((JSON.parse(line) as StoredFact).kind);
  return { ledger: [...lines.filter((line) => !isTrace(line)), state].join('\n'), traces: lines.filter(isTrace) };
}

async function memory(): Promise<Engine & AsyncDisposable> {
  const engine = await openStore('memory:', { access: 'write' });
  return Object.assign(engine, { [Symbol.asyncDispose]: () => engine.close() });
}
