// Addresses that an audit log shows in times that nobody watched: candidates, never holders, and nothing where the ledger
// watched itself. The story is watched from 0 to 100 s and from 160 to 200 s.
import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { allRecords, type Engine, openStore, parseIp, who, withSnapshot } from '@podtrail/history';
import { run } from '../testing/run-in-process.ts';
import { aStory, at, CLUSTER } from '../testing/story.ts';

interface Shown {
  readonly uid?: string;
  readonly phase?: string;
  readonly ips?: readonly string[];
  readonly verb?: string;
  readonly fields?: Readonly<Record<string, unknown>>;
}

let made = 0;
/** The kubelet wrote a status, and the answer shows the pod with an address. */
function shown(second: number, name: string, ip: string, more: Shown = {}): string {
  const { uid = `uid-${name}`, phase = 'Running', ips = [ip], verb = 'patch', fields = {} } = more;
  return `${JSON.stringify({
    ...{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'RequestResponse', auditID: `c${++made}` },
    ...{ stage: 'ResponseComplete', requestURI: '/', verb, user: { username: 'system:node:node-a' } },
    objectRef: { resource: 'pods', namespace: 'shop', name, subresource: 'status' },
    responseStatus: { code: 200 },
    requestReceivedTimestamp: new Date(at(second)).toISOString(),
    stageTimestamp: new Date(at(second) + 10).toISOString(),
    annotations: { 'authorization.k8s.io/decision': 'allow' },
    responseObject: {
      ...{ kind: 'Pod', apiVersion: 'v1', spec: { nodeName: 'node-a' } },
      metadata: {
        ...{ name, namespace: 'shop', uid, labels: { 'pod-template-hash': 'abc' } },
        ownerReferences: [{ kind: 'ReplicaSet', name: 'old-abc', controller: true }],
      },
      status: { phase, podIP: ips[0], podIPs: ips.map((one) => ({ ip: one })) },
    },
    ...fields,
  })}\n`;
}

async function imported(engine: Engine, ...lines: readonly string[]): Promise<string> {
  const { code, err } = await run(['import', '--audit-log', '-', '--cluster', CLUSTER.id], {
    ...{ engine, input: lines.join('') },
  });
  assert.equal(code, 0, err);
  return err;
}

async function answer(engine: Engine, ip: string, second: number, seen = false): Promise<string> {
  const question = { ip: parseIp(ip)!, at: at(second), now: at(7200), seen };
  const {
    answer: kind,
    reason,
    holders,
  } = await withSnapshot(engine, CLUSTER.id, (snapshot) => who(snapshot, question));
  const names = holders.map(({ name }) => name);
  return [kind, ...(reason === undefined ? [] : [reason]), ...names].join(' ');
}

async function stored(engine: Engine): Promise<string> {
  const facts = await Array.fromAsync(allRecords(engine, CLUSTER.id));
  return facts.map((fact) => JSON.stringify(fact)).join('\n');
}

test('before podtrail was there, a pod is a candidate from its first to its last sighting, with node and workload', async () => {
  const engine = await aStory();
  const err = await imported(
    engine,
    shown(-3000, 'old-1', '10.0.0.7'),
    shown(-1000, 'old-1', '10.0.0.7', { ips: ['10.0.0.7', 'fd00::7'] }),
  );
  assert.match(err, /^prod-eu: stored 2 candidates for addresses in times that nobody watched$/m);
  assert.equal(await answer(engine, '10.0.0.7', -3001), 'unknown before-first-record');
  assert.equal(await answer(engine, '10.0.0.7', -2000), 'ambiguous old-1');
  assert.equal(await answer(engine, '10.0.0.7', -998), 'unknown before-first-record');
  assert.equal(await answer(engine, 'fd00::7', -1000), 'ambiguous old-1');
  assert.equal(await answer(engine, 'fd00::7', -2000), 'unknown before-first-record');
  const { out } = await run(['who', '10.0.0.7', '--at', new Date(at(-2000)).toISOString(), '-o', 'json'], { engine });
  const [holder] = JSON.parse(out).holders;
  assert.deepEqual([holder.node, holder.workload?.kind, holder.workload?.name], ['node-a', 'Deployment', 'old']);
  assert.equal(holder.start.source, 'audit');
});

const CASES: Readonly<Record<string, readonly [lines: readonly string[], second: number, expected: string]>> = {
  'in use then, and still nobody is certain': [[shown(-500, 'old-1', '10.0.0.7')], -500, 'ambiguous old-1'],
  'two pods that showed it: both': [
    [shown(-600, 'old-1', '10.0.0.7'), shown(-400, 'old-1', '10.0.0.7'), shown(-500, 'old-2', '10.0.0.7')],
    -500,
    'ambiguous old-1 old-2',
  ],
  'watched time wins over another pod': [[shown(30, 'liar', '10.0.0.7')], 30, 'held web-1'],
  'watched time wins where the address was free': [[shown(30, 'liar', '10.0.0.99')], 30, 'free'],
  'a stay does not reach over watched time': [
    [shown(-10, 'old-1', '10.0.0.99'), shown(130, 'old-1', '10.0.0.99')],
    50,
    'free',
  ],
  'in a gap it is a candidate': [[shown(130, 'new-1', '10.0.0.99')], 130, 'ambiguous new-1'],
  'a pod that is certain over the gap stays certain': [[shown(130, 'liar', '10.0.0.5')], 130, 'held db-0'],
  'after the last record a recorder may go on': [[shown(300, 'late-1', '10.0.0.99')], 300, 'unknown after-last-record'],
  'a pod that had ended shows an address that is not its own': [
    [shown(-500, 'done', '10.0.0.7', { phase: 'Succeeded' })],
    -500,
    'unknown before-first-record',
  ],
  'the end of a pod is the end of its stay': [
    [shown(-500, 'done', '10.0.0.7'), shown(-200, 'done', '10.0.0.7', { phase: 'Failed' })],
    -300,
    'ambiguous done',
  ],
  'a placeholder is no address': [[shown(-500, 'old-1', '***HIDDEN***')], -500, 'unknown before-first-record'],
  'what was refused shows nothing': [
    [shown(-500, 'old-1', '10.0.0.7', { fields: { responseStatus: { code: 409, status: 'Failure' } } })],
    -500,
    'unknown before-first-record',
  ],
  'a dry run shows nothing': [
    [shown(-500, 'old-1', '10.0.0.7', { fields: { requestURI: '/api?dryRun=All' } })],
    -500,
    'unknown before-first-record',
  ],
};
for (const [sentence, [lines, second, expected]] of Object.entries(CASES)) {
  test(sentence, async () => {
    const engine = await aStory();
    await imported(engine, ...lines);
    const ip = /"ip":"(10[^"]+)"/.exec(lines[0]!)?.[1] ?? '10.0.0.7';
    assert.equal(await answer(engine, ip, second), expected);
    assert.equal(await answer(engine, ip, second, true), expected);
  });
}

test('a random log changes no certain answer and makes none, also where the address was seen in use', async () => {
  const seed = Number(process.env['PODTRAIL_SEED'] ?? Date.now() % 1e6);
  const random = mulberry(seed);
  const ips = ['10.0.0.5', '10.0.0.7', '10.0.0.9', '10.0.0.99', '192.168.0.1', '10.96.0.10'];
  const pick = <T>(list: readonly T[]): T => list[Math.floor(random() * list.length)]!;
  for (let round = 0; round < 20; round++) {
    const engine = await aStory();
    const plain = await aStory();
    const lines = Array.from({ length: 60 }, () =>
      shown(Math.floor(random() * 700) - 300 + random(), pick(['web-1', 'job-2', 'db-0', 'x', 'y']), pick(ips), {
        phase: pick(['Running', 'Running', 'Pending', 'Failed']),
      }),
    );
    await imported(engine, ...lines);
    for (let i = 0; i < 150; i++) {
      const [ip, second, seen] = [pick(ips), random() * 700 - 300, random() < 0.5] as const;
      const [before, after] = [await answer(plain, ip, second, seen), await answer(engine, ip, second, seen)];
      const context = `seed ${seed}, round ${round}: ${ip} at ${second}, seen ${seen}: ${before} -> ${after}`;
      if (/^(held|free)/.test(before)) assert.equal(after, before, context);
      else assert.match(after, /^(ambiguous|unknown)/, context);
    }
  }
});

test('again, in other pieces and in another order: the same records, also when they were sealed meanwhile', async () => {
  const lines = Array.from({ length: 40 }, (_, i) => shown(-90_000 + i * 100, `p-${i % 3}`, `10.0.1.${i % 3}`));
  const once = await aStory();
  await imported(once, ...lines);
  const expected = await stored(once);
  const pieces = await aStory();
  await imported(pieces, ...lines.slice(15, 30));
  await imported(pieces, ...lines.slice(25));
  await imported(pieces, ...lines.slice(0, 20));
  assert.equal(await stored(pieces), expected);

  const directory = await mkdtemp(join(tmpdir(), 'podtrail-candidates-'));
  const engine = await openStore(`sqlite:${join(directory, 'ledger.db')}`, { access: 'write' });
  try {
    const cluster = { id: CLUSTER.id, name: CLUSTER.name };
    await engine.takeOver(cluster);
    await imported(engine, ...lines.slice(10));
    await engine.maintain(at(40 * 86_400));
    await imported(engine, ...lines);
    await imported(engine, ...lines);
    const bare = await openStore('memory:', { access: 'write' });
    await bare.takeOver(cluster);
    await imported(bare, ...lines);
    assert.equal(await stored(engine), await stored(bare));
  } finally {
    await engine.close();
    await rm(directory, { recursive: true });
  }
});

/** A small generator with a seed. */
function mulberry(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}
