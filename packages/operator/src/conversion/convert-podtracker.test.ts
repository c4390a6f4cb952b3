import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@podtrail/machinery';
import type { PodTracker, PodTrackerStatus } from '../crds/podtracker.ts';
import type { PodTrackerV1alpha1 } from '../crds/podtracker-v1alpha1.ts';
import { OperatorError } from '../errors.ts';
import { SLICES_ANNOTATION, toV1, toV1alpha1, V1_ANNOTATION } from './convert-podtracker.ts';

const TIME = '2026-11-15T10:00:00Z';

const web: PodTracker = {
  apiVersion: 'podtrail.dev/v1',
  kind: 'PodTracker',
  metadata: { name: 'web', uid: 'u', generation: 2, annotations: { mine: 'yes' } },
  spec: { namespaces: ['shop'], podSelector: { matchLabels: { app: 'web' } } },
  status: {
    observedGeneration: 2,
    counts: { pods: 1, nodes: 1, slices: 0 },
    configMaps: [
      { namespace: 'default', retention: '48h' },
      { namespace: 'old', retention: '1h' },
    ],
    conditions: [{ type: 'Ready', status: 'True', reason: 'Listed', message: '', lastTransitionTime: TIME }],
    pods: {
      'uid-1': {
        podName: 'web-1',
        namespace: 'shop',
        ip: '10.0.0.1',
        ips: ['10.0.0.1', 'fd00::1'],
        nodeName: 'n1',
        creationTimestamp: TIME,
        phase: 'Running',
      },
    },
    nodes: { n1: { nodeIP: '192.168.0.1', capacity: { cpu: '8', memory: '32Gi', pods: '110' }, allocatable: {} } },
  },
};

test('v1alpha1 shows the original shape', () => {
  const { apiVersion, spec, status } = toV1alpha1(web);
  const pod = {
    podName: 'web-1',
    namespace: 'shop',
    ip: '10.0.0.1',
    nodeName: 'n1',
    creationTimestamp: TIME,
    phase: 'Running',
  };
  assert.equal(apiVersion, 'podtrail.dev/v1alpha1');
  assert.deepEqual(spec, { namespace: 'shop' });
  assert.deepEqual(status, {
    podIPs: [pod],
    nodeInfo: [
      {
        nodeName: 'n1',
        nodeIP: '192.168.0.1',
        podIPs: [pod],
        resources: { cpuCapacity: '8', memoryCapacity: '32Gi', cpuAllocatable: '', memoryAllocatable: '' },
        lastUpdateTime: TIME,
      },
    ],
    lastUpdateTime: TIME,
  });
});

test('there and back nothing is lost or added', () => {
  assert.deepEqual(toV1(toV1alpha1(web)), web);
});

test('what only v1 can ask for, such as Events of moves, is there again after v1alpha1', () => {
  const asking: PodTracker = { ...web, spec: { ...web.spec, events: { podMoved: true } } };
  const shown = toV1alpha1(asking);
  assert.deepEqual(shown.spec, { namespace: 'shop' });
  assert.deepEqual(toV1(shown), asking);
});

test('when the pods are in slices, podIPs is empty and an annotation says how to find them', () => {
  const status: PodTrackerStatus = { counts: { pods: 2000, nodes: 0, slices: 20 } };
  const shown = toV1alpha1({ ...web, status });
  assert.deepEqual(shown.status?.podIPs, []);
  assert.equal(shown.metadata.annotations?.[SLICES_ANNOTATION], 'podtrail.dev/tracker=web');
  assert.deepEqual(toV1(shown), { ...web, status });
});

test('a namespace that is written as v1alpha1 is meant, and what only v1 knows stays', () => {
  const several: PodTracker = { ...web, spec: { namespaces: ['a', 'b'], namePrefix: 'web-' } };
  const shown = toV1alpha1(several);
  assert.deepEqual(shown.spec, {});
  assert.deepEqual(toV1({ ...shown, spec: { namespace: 'c' } }).spec, { namespaces: ['c'], namePrefix: 'web-' });
  const one = toV1alpha1({ ...web, spec: { namespaces: ['a'], namePrefix: 'web-' } });
  assert.deepEqual(toV1({ ...one, spec: {} }).spec, { namePrefix: 'web-' }, 'taking it away is meant too');
});

test('a new v1alpha1 tracker, as somebody applies it, becomes a v1 one', () => {
  const applied: PodTrackerV1alpha1 = { metadata: { name: 'x' }, spec: { namespace: 'shop' } };
  assert.deepEqual(toV1(applied), {
    apiVersion: 'podtrail.dev/v1',
    metadata: { name: 'x' },
    spec: { namespaces: ['shop'] },
    status: undefined,
  });
  assert.deepEqual(toV1({ metadata: { name: 'x' }, spec: {} }).spec, {});
});

test('an annotation that somebody ruined costs what only it knew, and no more', () => {
  const shown = toV1alpha1(web);
  for (const ruined of ['', '{', 'null', '[]', '"x"', '{"uids":["a","b"]}']) {
    const annotations = { ...shown.metadata.annotations, [V1_ANNOTATION]: ruined };
    const back = toV1({ ...shown, metadata: { ...shown.metadata, annotations } });
    assert.deepEqual(back.spec, { namespaces: ['shop'] });
    assert.equal(Object.values(back.status?.pods ?? {})[0]?.podName, 'web-1');
  }
});

const FORGED: readonly (readonly [residue: unknown, says: RegExp | 'shop'])[] = [
  [{ diff: { spec: null } }, 'shop'],
  [{ diff: null }, 'shop'],
  [{ diff: 5 }, 'shop'],
  [{ diff: { spec: 5 } }, 'shop'],
  [{ diff: { spec: { namespaces: null } } }, 'shop'],
  [{ diff: { spec: { namespaces: 'abc' } } }, 'shop'],
  [{ namespace: null, diff: { spec: { namespaces: 'abc' } } }, /spec.namespaces is "abc": write a list/],
  [{ namespace: null, diff: { spec: { namespaces: ['team-*'] } } }, /name each namespace in full/],
  [{ diff: { spec: { podSelector: { matchExpressions: 5 } } } }, /matchExpressions is 5: write a list/],
  [{ diff: { spec: { podSelector: { matchLabels: { 'no key!': 'x' } } } } }, /write the key of a label/],
  [{ diff: { spec: { namePrefix: ['a'] } } }, /namePrefix is \["a"\]: write a text/],
  [
    { diff: { spec: { footprints: { configMaps: { namespace: '../../x' } } } } },
    /namespace is "..\/..\/x": write the name of one/,
  ],
  [{ diff: { spec: { footprints: { configMaps: { namespace: 5 } } } } }, /namespace is 5: write a text/],
  [{ uids: 'abc', diff: { status: { conditions: 5, pods: { a: null } } } }, 'shop'],
  [{ uids: [{}], diff: { status: 5 } }, 'shop'],
];

for (const [forged, says] of FORGED) {
  // As somebody reads it, forges what only v1 knows, and writes it back with the namespace that was shown.
  const annotation = JSON.stringify({ namespace: 'shop', ...(forged as object) });
  const result = says === 'shop' ? 'counts for nothing' : 'is refused with a sentence';
  test(`an annotation that makes no v1 ${result}: ${annotation}`, () => {
    const shown = toV1alpha1(web);
    const annotations = { [V1_ANNOTATION]: annotation };
    const spec = annotation.includes('"namespace":null') ? {} : shown.spec;
    const write = () => toV1({ ...shown, spec, metadata: { ...shown.metadata, annotations } });
    if (says !== 'shop') {
      assert.throws(write, (error) => error instanceof OperatorError && says.test(error.message));
      return;
    }
    const stored = write();
    assert.deepEqual(stored.spec, { namespaces: ['shop'] });
    assert.deepEqual(
      Object.values(stored.status?.pods ?? {}).map(({ podName }) => podName),
      ['web-1'],
    );
  });
}

test('what is stored is shown, whatever it is', () => {
  const ruins: unknown[] = [
    { spec: 5 },
    { spec: null },
    { spec: { namespaces: 5 } },
    { spec: { namespaces: [5] } },
    { spec: {}, status: 5 },
    { spec: {}, status: { pods: { a: null }, conditions: 5, counts: 5 } },
  ];
  for (const ruin of ruins) {
    const { spec } = toV1alpha1({ ...web, status: undefined, ...(ruin as object) } as unknown as PodTracker);
    assert.deepEqual(spec, {}, JSON.stringify(ruin));
  }
});

test('an annotation of v1 that makes no v1alpha1 counts for nothing', () => {
  const written: PodTrackerV1alpha1 = { metadata: { name: 'x' }, spec: { namespace: '' } };
  const stored = toV1(written);
  assert.deepEqual(toV1alpha1(stored).spec, { namespace: '' });
  const residue = JSON.parse(stored.metadata.annotations?.['podtrail.dev/v1alpha1'] ?? '');
  for (const diff of [{ spec: null }, { spec: 5 }, 5, { spec: { namespace: ['x'] } }, { status: { podIPs: [null] } }]) {
    const annotations = { 'podtrail.dev/v1alpha1': JSON.stringify({ ...residue, diff }) };
    assert.deepEqual(toV1alpha1({ ...stored, metadata: { ...stored.metadata, annotations } }).spec, {}, `${diff}`);
  }
});

test('what was written as v1alpha1 only counts until v1 changes', () => {
  const written: PodTrackerV1alpha1 = {
    metadata: { name: 'x' },
    spec: {},
    status: { podIPs: [], lastUpdateTime: '2020-01-01T00:00:00Z' },
  };
  const stored = toV1(written);
  assert.equal(toV1alpha1(stored).status?.lastUpdateTime, '2020-01-01T00:00:00Z');
  const changed = { ...stored, status: { counts: { pods: 0, nodes: 0, slices: 0 } } };
  assert.notEqual(toV1alpha1(changed).status?.lastUpdateTime, '2020-01-01T00:00:00Z');
});

const seed = 1789;

test(`any v1 tracker survives v1alpha1 (seed ${seed})`, () => {
  const any = new Anything(seed);
  for (let i = 0; i < 2_000; i++) {
    const tracker = any.v1();
    assert.deepEqual(clean(toV1(through(toV1alpha1(tracker)))), clean(tracker), `round ${i}`);
  }
});

test(`any v1alpha1 tracker survives v1 (seed ${seed})`, () => {
  const any = new Anything(seed);
  for (let i = 0; i < 2_000; i++) {
    const tracker = any.v1alpha1();
    const back = toV1alpha1(through(toV1(tracker)));
    const { [V1_ANNOTATION]: _ours, ...annotations } = back.metadata.annotations ?? {};
    assert.deepEqual(clean({ ...back, metadata: { ...back.metadata, annotations } }), clean(tracker), `round ${i}`);
  }
});

/** Over the wire, where undefined does not exist and the order of fields may change. */
function through<T>(value: T): T {
  const shuffled = (inner: unknown): unknown => {
    if (Array.isArray(inner)) return inner.map(shuffled);
    if (typeof inner !== 'object' || inner === null) return inner;
    return Object.fromEntries(
      Object.entries(inner)
        .reverse()
        .map(([k, v]) => [k, shuffled(v)]),
    );
  };
  return shuffled(JSON.parse(JSON.stringify(value))) as T;
}

/** The server knows no difference between no annotations and none left. */
function clean(tracker: { metadata: { annotations?: Record<string, string> } }): unknown {
  const { annotations = {}, ...metadata } = tracker.metadata;
  return through({ ...tracker, metadata: { ...metadata, annotations } });
}

class Anything {
  readonly #random: () => number;

  constructor(start: number) {
    this.#random = seededRandom(start);
  }

  v1(): PodTracker {
    const pods = this.#record('uid-', () => ({
      podName: this.#word(),
      namespace: this.#word(),
      ip: this.#word(),
      ...this.#maybe('ips', () => this.#list(() => this.#word())),
      ...this.#maybe('nodeName', () => this.#word()),
      ...this.#maybe('creationTimestamp', () => TIME),
      ...this.#maybe('phase', () => this.#word()),
    }));
    const nodes = this.#record('n', () => ({
      ...this.#maybe('nodeIP', () => this.#word()),
      ...this.#maybe('capacity', () => this.#quantities()),
      ...this.#maybe('allocatable', () => this.#quantities()),
    }));
    return {
      apiVersion: 'podtrail.dev/v1',
      kind: 'PodTracker',
      metadata: this.#metadata(),
      spec: {
        ...this.#maybe('namespaces', () => [...new Set(['shop', ...this.#list(() => this.#name())])]),
        ...this.#maybe('namespaces', () => [this.#name()]),
        ...this.#maybe('namePrefix', () => (this.#chance() ? '' : this.#name())),
        ...this.#maybe('podSelector', () => ({ ...this.#maybe('matchLabels', () => ({ app: this.#name(), x: '' })) })),
        ...this.#maybe('footprints', () => ({ log: this.#chance() })),
      },
      ...this.#maybe('status', () => ({
        ...this.#maybe('observedGeneration', () => 3),
        ...this.#maybe('counts', () => ({ pods: 1, nodes: 1, slices: this.#chance() ? 2 : 0 })),
        ...this.#maybe('conditions', () =>
          this.#list(() => ({
            type: this.#word(),
            status: 'True' as const,
            reason: 'r',
            message: this.#word(),
            lastTransitionTime: TIME,
          })),
        ),
        ...this.#maybe('pods', () => pods),
        ...this.#maybe('nodes', () => nodes),
      })),
    };
  }

  v1alpha1(): PodTrackerV1alpha1 {
    const pod = () => ({
      podName: this.#word(),
      namespace: this.#word(),
      ip: this.#word(),
      nodeName: this.#word(),
      creationTimestamp: TIME,
      phase: this.#word(),
    });
    return {
      apiVersion: 'podtrail.dev/v1alpha1',
      kind: 'PodTracker',
      metadata: this.#metadata(),
      spec: { ...this.#maybe('namespace', () => (this.#chance() ? '' : this.#name())) },
      ...this.#maybe('status', () => ({
        ...this.#maybe('podIPs', () => this.#list(pod)),
        ...this.#maybe('nodeInfo', () =>
          this.#list(() => ({
            nodeName: this.#word(),
            nodeIP: this.#word(),
            ...this.#maybe('podIPs', () => this.#list(pod)),
            ...this.#maybe('resources', () => ({
              cpuCapacity: this.#word(),
              memoryCapacity: this.#word(),
              cpuAllocatable: this.#word(),
              memoryAllocatable: this.#word(),
            })),
            lastUpdateTime: TIME,
          })),
        ),
        ...this.#maybe('lastUpdateTime', () => TIME),
      })),
    };
  }

  #metadata() {
    return { name: 'x', ...this.#maybe('annotations', () => ({ mine: this.#word() })) };
  }

  #chance(): boolean {
    return this.#random() < 0.5;
  }

  #word(): string {
    return ['', 'a', 'b', 'shop', '10.0.0.1', '__proto__', '"'][Math.floor(this.#random() * 7)] as string;
  }

  /** What a spec may say. */
  #name(): string {
    return ['a', 'b', 'shop', '10-0'][Math.floor(this.#random() * 4)] as string;
  }

  #list<T>(item: () => T): T[] {
    return Array.from({ length: Math.floor(this.#random() * 3) }, item);
  }

  #record<T>(prefix: string, item: () => T): Record<string, T> {
    return Object.fromEntries(this.#list(item).map((value, i) => [`${prefix}${i}`, value]));
  }

  #quantities(): Record<string, string> {
    return Object.fromEntries(
      ['cpu', 'memory', 'pods'].flatMap((key) => (this.#chance() ? [[key, this.#word()]] : [])),
    );
  }

  #maybe<K extends string, T>(key: K, value: () => T): { [P in K]?: T } {
    return (this.#chance() ? { [key]: value() } : {}) as { [P in K]?: T };
  }
}

/** Both ways, of an object that is as large as one can come and shaped to cost as much as it can. */
const LARGE = 20_000;
/** Of the CPU: other work on the machine does not count. */
const WITHIN_MS = 10_000;
const deep = (levels: number): string => `${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`;
const podsAndNodes = (): PodTrackerV1alpha1 => ({
  ...{ apiVersion: 'podtrail.dev/v1alpha1', kind: 'PodTracker', metadata: { name: 'x' }, spec: {} },
  status: {
    podIPs: Array.from({ length: LARGE }, (_, i) => ({
      ...{ podName: `p${i}`, namespace: 'n', ip: `${i}`, nodeName: `n${i}`, creationTimestamp: TIME, phase: '' },
    })),
    nodeInfo: Array.from({ length: LARGE }, (_, i) => ({ nodeName: `n${i}`, nodeIP: '', lastUpdateTime: TIME })),
  },
});

for (const [shape, convert] of [
  ['a pod on each of many nodes', () => toV1(podsAndNodes())],
  ['the same as v1', () => toV1alpha1({ ...toV1(podsAndNodes()), apiVersion: 'podtrail.dev/v1' })],
  [
    'annotations that nest',
    () => {
      const annotations = { [V1_ANNOTATION]: `{"diff":{"spec":{"x":${deep(2_000)},"y":"${'z'.repeat(1 << 20)}"}}}` };
      return toV1({ metadata: { name: 'x', annotations }, spec: { namespace: '' } });
    },
  ],
  [
    'many fields that nobody knows',
    () => toV1({ metadata: { name: 'x' }, spec: Object.fromEntries(Array.from({ length: 90_000 }, (_, i) => [i, i])) }),
  ],
] as const) {
  test(`conversion takes time that grows with the object: ${shape}`, () => {
    const begun = process.cpuUsage();
    convert();
    const ms = process.cpuUsage(begun).user / 1_000;
    assert.ok(ms < WITHIN_MS, `${ms.toFixed(0)} ms`);
  });
}
