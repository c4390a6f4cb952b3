// Where a command asks, and what is said when that is nowhere, not installed, not allowed or not there.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ApiError, type Client, ConnectionError } from '@podtrail/machinery';
import { type RunOptions, run } from '../testing/run-in-process.ts';
import { aStory, at } from '../testing/story.ts';
import { placeOf } from './place.ts';

const HOME = '/home/jane';
const CONFIG = { origin: 'context "prod" in file', server: 'https://api', namespace: 'shop' } as never;
const missing = Object.assign(new Error('ENOENT'), { code: 'ENOENT' });

interface Machine {
  readonly env?: Record<string, string>;
  readonly hasLedger?: boolean;
  readonly hasCluster?: boolean;
}

function on({ env = {}, hasLedger = false, hasCluster = false }: Machine) {
  return {
    ...{ env, home: HOME },
    mustBeReadable: async () => {
      if (!hasLedger) throw missing;
    },
    loadConfig: async () => {
      if (!hasCluster) throw new Error('no Kubernetes configuration');
      return CONFIG;
    },
  };
}

test('the order: --store, --server, --context, PODTRAIL_STORE, a ledger that is there, the current context', async () => {
  const all: Machine = { env: { PODTRAIL_STORE: 'sqlite:/env.db' }, hasLedger: true, hasCluster: true };
  const kind = async (options: object, machine: Machine) => {
    const place = await placeOf(options, on(machine));
    return place.kind === 'store' ? `${place.kind} ${place.by}` : place.kind;
  };
  assert.equal(await kind({ store: 'sqlite:/x.db', context: 'prod' }, all), 'store --store');
  await assert.rejects(placeOf({ store: 'sqlite:/x.db', server: 'https://s' }, on(all)), /two places/);
  assert.equal(await kind({ server: 'https://s', context: 'prod' }, all), 'server');
  assert.equal(await kind({ context: 'prod' }, all), 'cluster');
  assert.equal(await kind({ kubeconfig: 'file' }, all), 'cluster');
  assert.equal(await kind({}, all), 'store PODTRAIL_STORE');
  assert.equal(await kind({}, { ...all, env: {} }), 'store default');
  assert.equal(await kind({}, { hasCluster: true }), 'cluster');
  assert.equal(await kind({}, {}), 'nowhere');
  await assert.rejects(placeOf({ context: 'prod' }, on({ hasLedger: true })), /no Kubernetes configuration/);
});

test('standard error names the ledger that was asked, and not with -q', async () => {
  const engine = await aStory();
  const asked = async (...more: string[]) =>
    (await run(['gaps', ...more], { engine, now: at(201), keepsPlace: true })).err;
  assert.match(await asked(), /^asking sqlite:\/home\/jane\/\.local\/share\/podtrail\/ledger\.db\n$/);
  assert.match(await asked('--store', 'sqlite:/x.db'), /^asking sqlite:\/x\.db\n$/);
  assert.equal(await asked('-q'), '');
});

test('what copies or repairs a ledger asks nobody, and says no such thing', async () => {
  const engine = await aStory();
  for (const words of [['export'], ['store', 'repair']]) {
    const { code, err } = await run(words, { engine, now: at(201), keepsPlace: true });
    assert.equal(code, 0, err);
    assert.doesNotMatch(err, /asking/);
  }
});

test('without a ledger and a kubeconfig a command says both, and what to do; a wrong question is still one', async () => {
  const nowhere = await run(['who', '10.0.0.7']);
  assert.equal(nowhere.code, 1);
  assert.match(
    nowhere.err,
    /there is no store, and there is no cluster to ask: no Kubernetes configuration\nhint: .*--server/,
  );
  assert.equal((await run(['who', '10.0.0'])).code, 2);
});

interface Sent {
  readonly path: string;
  readonly spec: { readonly words: readonly string[] };
}

function cluster(answer: (sent: Sent) => object): RunOptions & { readonly sent: Sent[] } {
  const sent: Sent[] = [];
  const client = {
    raw: async ({ path, body }: { path: string; body: string }) => {
      const asked = { path, spec: JSON.parse(body).spec };
      sent.push(asked);
      return { status: 201, headers: {}, body: Buffer.from(JSON.stringify({ status: answer(asked) })) };
    },
    close: async () => {},
  } as unknown as Client;
  return { sent, loadConfig: async () => CONFIG, connect: () => client };
}

const refused = (status: number, message: string) => () => {
  throw new ApiError(status, { message: `POST /x: ${message}` }, undefined);
};
const RAN = { exitCode: 4, out: 'out\n', err: 'err\n' };
const WHO = ['who', '10.0.0.7', '--at', '1h'];

test('without a ledger the operator is asked through the Kubernetes API: what it printed is printed', async () => {
  const asked = cluster(() => RAN);
  const { code, out, err } = await run([...WHO, '--context', 'prod'], asked);
  assert.deepEqual([code, out], [4, 'out\n']);
  assert.equal(err, 'asking the operator of context "prod" in file through the Kubernetes API\nerr\n');
  const [{ path, spec } = { path: '', spec: { words: [] } }] = asked.sent;
  assert.equal(path, '/apis/history.podtrail.dev/v1/commands');
  assert.deepEqual(spec, { words: WHO, zone: 'UTC', namespace: 'shop', colour: false });
  assert.equal(
    (
      await run(
        [...WHO, '-q'],
        cluster(() => RAN),
      )
    ).err,
    'err\n',
  );
});

const NOT_IN_CLUSTER =
  'commands.history.podtrail.dev is forbidden: User "jane" cannot create resource "commands" in API group "history.podtrail.dev" at the cluster scope';

test('who may not ask in the whole cluster asks in the namespace of -n, else of the context, and standard error says so', async () => {
  const answer = ({ path }: Sent) => (path.includes('/namespaces/') ? RAN : refused(403, NOT_IN_CLUSTER)());
  for (const [more, namespace] of [
    [['-n', 'web'], 'web'],
    [['-nweb'], 'web'],
    [['-qn', 'web'], 'web'],
    [['--namespace=web'], 'web'],
    [[], 'shop'],
  ] as const) {
    const asked = cluster(answer);
    const { code, err } = await run(['trail', 'cart', ...more], asked);
    assert.equal(code, 4);
    assert.match(
      err,
      new RegExp(`asked within the namespace ${namespace}: this user may not ask in the whole cluster`),
    );
    assert.equal(asked.sent[1]?.path, `/apis/history.podtrail.dev/v1/namespaces/${namespace}/commands`);
  }
});

test('what the Kubernetes API refuses has a sentence and what to do', async () => {
  const table: readonly (readonly [() => never, number, RegExp])[] = [
    [
      refused(404, 'not found'),
      1,
      /does not serve history\.podtrail\.dev\nhint: no podtrail operator runs there with --history/,
    ],
    [refused(503, 'down'), 1, /cannot answer now: down\nhint: ask again in a moment; kubectl get apiservice/],
    [
      refused(403, NOT_IN_CLUSTER),
      6,
      /kubectl create clusterrolebinding podtrail-asks --clusterrole=podtrail-history-viewer --user=jane/,
    ],
    [
      refused(
        403,
        'is forbidden: User "system:serviceaccount:a:b" cannot create it, because it cannot list resource "pods" in API group "" in the namespace "shop"',
      ),
      6,
      /kubectl -n shop create rolebinding podtrail-asks --clusterrole=view --serviceaccount=a:b/,
    ],
    [refused(401, 'Unauthorized'), 6, /does not accept these credentials/],
    [refused(400, 'no such thing: use another.'), 2, /^podtrail: no such thing\nhint: use another\.$/m],
    [
      () => {
        throw new ConnectionError('refused', 'ECONNREFUSED', { hint: 'is it there?' });
      },
      1,
      /the API server of context "prod" in file does not answer \(https:\/\/api: ECONNREFUSED\)\nhint: is it there\?/,
    ],
  ];
  for (const [answer, exitCode, says] of table) {
    const { code, err } = await run(WHO, cluster(answer));
    assert.match(err, says);
    assert.equal(code, exitCode, err);
  }
});
