// What is not yours costs what is not there costs: the same reads of the store in the same order, and no more rows than the
// records of the thing itself. Work is counted, not time: the time of a read on a loaded machine proves nothing.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ledgerOf } from '@podtrail/history/testing';
import { epochMillis, type Snapshot, type Visibility } from '@podtrail/history/wire';
import { askQuestion, type QuestionName } from '@podtrail/history/wire/catalogue';
import { NOW, SINCE, tenantFacts, UNTIL } from '../testing/two-tenants.ts';

const SHOP: Visibility = { kind: 'namespaces', since: new Map([['shop', epochMillis(0)]]) };
const NOTHING: Visibility = { kind: 'namespaces', since: new Map() };
/** Rows of one pod that a read may give and that are left out then: its placement or tenure, its life, its changes. */
const MOST_HIDDEN_ROWS = 6;

interface Work {
  readonly reads: readonly string[];
  readonly rows: number;
  readonly bytes: number;
}

function rowsOf(result: unknown): number {
  if (Array.isArray(result)) return result.reduce((sum: number, one) => sum + (Array.isArray(one) ? one.length : 1), 0);
  const { items, stays } = (result ?? {}) as {
    readonly items?: readonly unknown[];
    readonly stays?: { readonly count: number };
  };
  return items?.length ?? stays?.count ?? 0;
}

/** Every read of the snapshot, and how many rows came out of it. */
function counted(snapshot: Snapshot, reads: string[], add: (rows: number) => void): Snapshot {
  return new Proxy(snapshot, {
    get: (target, key) => {
      const value = target[key as keyof Snapshot] as unknown;
      if (typeof value !== 'function' || key === 'close')
        return typeof value === 'function' ? value.bind(target) : value;
      return async (...input: unknown[]) => {
        const [{ kind } = {}] = input as [{ readonly kind?: string }?];
        reads.push(key === 'occurrences' ? `${String(key)} ${kind}` : String(key));
        const result = await (value as (...words: unknown[]) => Promise<unknown>).apply(target, input);
        add(rowsOf(result));
        return result;
      };
    },
  });
}

async function workOf(name: QuestionName, parameters: object, visibility: Visibility = SHOP): Promise<Work> {
  const reads: string[] = [];
  let rows = 0;
  const reader = {
    clusters: () => engine.clusters(),
    snapshot: async (cluster: string) => counted(await engine.snapshot(cluster), reads, (more) => (rows += more)),
  };
  const asker = { visibility, now: epochMillis(NOW) };
  const document = await askQuestion(reader, asker, name, parameters);
  return { reads, rows, bytes: JSON.stringify(document).length };
}

const engine = await ledgerOf(tenantFacts(['shop', 'vault', 'twice', 'before']));
const at = String(SINCE + 8 * 60_000);
const span = { since: String(SINCE), until: String(UNTIL) };

/** Hidden, and not there; texts of the same length, so that documents that repeat them are as long. */
const PAIRS: readonly (readonly [what: string, name: QuestionName, hidden: object, absent: object])[] = [
  ['an address that is held', 'who', { ip: '10.2.0.1', at }, { ip: '10.2.0.9', at }],
  ['an address that was seen in use', 'who', { ip: '10.2.0.1', at, seen: true }, { ip: '10.2.0.9', at, seen: true }],
  ['an address that two had', 'who', { ip: '10.2.0.4', at }, { ip: '10.2.0.9', at }],
  ['the address of a Service', 'who', { ip: '10.96.2.1', at }, { ip: '10.96.2.9', at }],
  ['the trail of an address', 'trail', { subject: '10.2.0.2', ...span }, { subject: '10.2.0.9', ...span }],
  [
    'the trail of a UID',
    'trail',
    { subject: 'uid/uid-vault-stays', ...span },
    { subject: 'uid/uid-never-stays', ...span },
  ],
  [
    'the trail of a pod of a namespace',
    'trail',
    { subject: 'vault-stays', namespace: 'vault', ...span },
    { subject: 'never-stays', namespace: 'never', ...span },
  ],
  [
    'the trail of a workload',
    'trail',
    { subject: 'deploy/vault-app', namespace: 'vault', ...span },
    { subject: 'deploy/never-app', namespace: 'never', ...span },
  ],
  [
    'the trail of a Service',
    'trail',
    { subject: 'svc/vault-service', namespace: 'vault', ...span },
    { subject: 'svc/never-service', namespace: 'never', ...span },
  ],
  ['why a UID ended', 'explain', { subject: 'uid/uid-vault-goes', at }, { subject: 'uid/uid-never-goes', at }],
  [
    'why a pod ended',
    'explain',
    { subject: 'vault-goes', namespace: 'vault', at },
    { subject: 'never-goes', namespace: 'never', at },
  ],
  ['why the holder of an address ended', 'explain', { subject: '10.2.0.2', at }, { subject: '10.2.0.9', at }],
  [
    'the changes of a pod',
    'changes',
    { subject: 'vault-stays', namespace: 'vault', ...span },
    { subject: 'never-stays', namespace: 'never', ...span },
  ],
  [
    'the changes of a UID',
    'changes',
    { subject: 'uid/uid-vault-stays', ...span },
    { subject: 'uid/uid-never-stays', ...span },
  ],
  ['the changes of a namespace', 'changes', { namespace: 'vault', ...span }, { namespace: 'never', ...span }],
  ['the moves of a namespace', 'moves', { namespace: 'vault', ...span }, { namespace: 'never', ...span }],
  [
    'the pods of a namespace on a node',
    'node',
    { node: 'node-1', namespace: 'vault', at },
    { node: 'node-1', namespace: 'never', at },
  ],
  ['the nodes of a namespace', 'nodes', { namespace: 'vault', at }, { namespace: 'never', at }],
  [
    'the nodes of a namespace, compared',
    'nodes',
    { namespace: 'vault', at, against: String(UNTIL) },
    { namespace: 'never', at, against: String(UNTIL) },
  ],
  ['a name that is typed', 'find', { text: 'vault-stays' }, { text: 'never-stays' }],
  ['a UID that is typed', 'find', { text: 'uid-vault-stays' }, { text: 'uid-never-stays' }],
  ['an address that is typed', 'find', { text: '10.2.0.1' }, { text: '10.2.0.9' }],
  [
    'the timeline of a pod',
    'timeline',
    { by: 'pod', subject: 'vault-stays', namespace: 'vault', ...span },
    { by: 'pod', subject: 'never-stays', namespace: 'never', ...span },
  ],
  [
    'the timeline of an address',
    'timeline',
    { by: 'ip', subject: '10.2.0.1', ...span },
    { by: 'ip', subject: '10.2.0.9', ...span },
  ],
  [
    'the timeline of a namespace',
    'timeline',
    { by: 'node', namespace: 'vault', ...span },
    { by: 'node', namespace: 'never', ...span },
  ],
];

for (const [what, name, hidden, absent] of PAIRS) {
  test(`${what}: the same work whether it is hidden or not there`, async (t) => {
    const [yours, nobodys] = [await workOf(name, hidden), await workOf(name, absent)];
    assert.deepEqual(yours.reads, nobodys.reads);
    assert.equal(yours.bytes, nobodys.bytes);
    t.diagnostic(`${yours.reads.length} reads; rows ${yours.rows} and ${nobodys.rows}`);
    assert.ok(Math.abs(yours.rows - nobodys.rows) <= MOST_HIDDEN_ROWS, `${yours.rows} ${nobodys.rows}`);
  });
}

const TYPED: readonly (readonly [hidden: string, absent: string])[] = [
  ['vault-stays', 'never-stays'],
  ['vault-', 'never-'],
  ['vault/vault-goes', 'never/never-goes'],
  ['deploy/vault-app', 'deploy/never-app'],
  ['svc/vault-service', 'svc/never-service'],
  ['uid/uid-vault-stays', 'uid/uid-never-stays'],
  ['10.2.0.', '10.8.0.'],
  ['node-1', 'node-9'],
];

test('what is typed is looked for in the same records, whether hidden ones have it or none: exactly as many rows', async () => {
  for (const [hidden, absent] of TYPED) {
    const [yours, nobodys] = [await workOf('find', { text: hidden }), await workOf('find', { text: absent })];
    assert.deepEqual(yours, nobodys, hidden);
    assert.ok(yours.rows > 0);
  }
});

test('who may see nothing has nothing looked for', async () => {
  assert.deepEqual((await workOf('find', { text: 'vault-stays' }, NOTHING)).reads, []);
});

test('of a namespace that is hidden or not there, and for who may see nothing, no departures and changes are read', async () => {
  const listings = [
    ['moves', 'occurrences departure'],
    ['changes', 'occurrences change'],
    ['nodes', 'occurrences departure'],
  ] as const;
  for (const [name, read] of listings) {
    const times = name === 'nodes' ? { at: String(UNTIL) } : span;
    const reads = async (asked: object, visibility?: Visibility) => (await workOf(name, asked, visibility)).reads;
    assert.ok((await reads(times)).includes(read), name);
    for (const namespace of ['vault', 'never']) assert.ok(!(await reads({ ...times, namespace })).includes(read), name);
    assert.ok(!(await reads(times, NOTHING)).includes(read), name);
  }
});
