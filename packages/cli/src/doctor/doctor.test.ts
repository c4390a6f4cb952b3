import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Engine, Patrolled, Room, SizeLimit } from '@podtrail/history';
import { ApiError, type Client } from '@podtrail/machinery';
import { run } from '../testing/run-in-process.ts';
import { aStory, at } from '../testing/story.ts';
import { checkMachine } from './check-machine.ts';

const CONFIG = { origin: 'context "c" of file', server: 'https://c', namespace: 'default' } as never;

interface Refusals {
  readonly allowed?: boolean;
  readonly leases?: boolean;
  /** Resources that may not be read. */
  readonly refused?: readonly string[];
  readonly date?: number;
  readonly broken?: boolean;
}

function aClient(options: Refusals): Client {
  const { allowed = true, leases = allowed, refused = [], date = at(201), broken = false } = options;
  return {
    discovery: {
      serverVersion: async () => {
        if (broken) throw new ApiError(503, { message: 'not now' }, undefined);
        return { gitVersion: 'v1.36.3' };
      },
    },
    raw: async ({ path, body = '{}' }: { path: string; body?: string }) => {
      const { resource, ...asked } = JSON.parse(body).spec?.resourceAttributes ?? {};
      if (resource === 'leases')
        assert.deepEqual(asked, { verb: 'get', group: 'coordination.k8s.io', namespace: 'kube-node-lease' });
      const status = { allowed: resource === 'leases' ? leases : allowed && !refused.includes(resource) };
      return {
        status: 200,
        headers: { date: new Date(date).toUTCString() },
        body: Buffer.from(path === '/version' ? '{}' : JSON.stringify({ status })),
      };
    },
    close: async () => {},
  } as unknown as Client;
}

async function doctor(client: Client, options = {}) {
  const engine = await aStory();
  return await run(['doctor'], {
    engine,
    now: at(201),
    loadConfig: async () => CONFIG,
    connect: () => client,
    ...options,
  });
}

test('all is well', async () => {
  const { code, out } = await doctor(aClient({}));
  assert.equal(code, 0);
  assert.match(out, /recording prod-eu +ok +a recorder is watching/);
  assert.match(out, /API server +ok +Kubernetes v1\.36\.3/);
  assert.match(out, /may watch services +ok/);
  assert.match(out, /may read node leases +ok +in kube-node-lease/);
  assert.match(out, /may watch evidence +ok/);
  assert.doesNotMatch(out, /failed|warning/);
});

test('a store that comes close to its limit is a warning with a forecast, and a disk that is nearly full is one', async () => {
  const story = await aStory();
  const of = async (room: Partial<Room>, ...words: string[]) => {
    const limits: SizeLimit[] = [];
    const whole = { bytes: 850, limitBytes: 1000, volume: { bytes: 2000, freeBytes: 900 }, ballastBytes: 0, ...room };
    const engine = Object.assign(Object.create(story) as Engine, {
      ...boundTo(story),
      room: async (limit: SizeLimit) => {
        limits.push(limit);
        return whole;
      },
    });
    return { ...(await run(['doctor', ...words], { engine, now: at(201) })), limits };
  };
  const close = await of({});
  assert.match(close.out, /room +warning +850 B of 1000 B \(85 %\), full in about 0 hours/);
  assert.match(close.err, /room: give it a larger volume and --store-limit/);
  assert.deepEqual(close.limits, [{ kind: 'share', share: 0.8 }]);
  const small = await of({ bytes: 100 }, '--store-limit', '8Gi');
  assert.match(small.out, /room +ok +100 B of 1000 B \(10 %\)/);
  assert.deepEqual(small.limits, [{ kind: 'bytes', bytes: 8 * 1024 ** 3 }]);
  const full = await of({ bytes: 100, volume: { bytes: 2000, freeBytes: 20 } });
  assert.match(full.out, /room +warning +100 B of 1000 B \(10 %\), and only 20 B of its volume are free/);
});

test('what the recorder found that reads the store through is a line: none, or where the first damage is', async () => {
  const story = await aStory();
  const of = async (patrolled: Patrolled | undefined) => {
    const of = { ...boundTo(story), patrolled: async () => patrolled };
    return await run(['doctor'], { engine: Object.assign(Object.create(story) as Engine, of), now: at(201) });
  };
  const line = async (patrolled: Patrolled | undefined) => /^damage .*$/m.exec((await of(patrolled)).out)?.[0];
  assert.match(String(await line(undefined)), /^damage +ok +no recorder has begun to read the store through/);
  const begun = { at: at(141), damages: 0 };
  assert.match(String(await line(begun)), /^damage +ok +none found; not yet read to its end, last read 60s ago$/);
  const whole = { at: at(81), damages: 0 };
  assert.match(
    String(await line({ ...begun, whole })),
    /^damage +ok +none found; read through by .*Z, last read 60s ago$/,
  );
  const where = 'head, tenure 7';
  for (const bad of [
    { ...begun, damages: 2, where, whole },
    { ...begun, whole: { ...whole, damages: 2, where } },
  ]) {
    const { code, out, err } = await of(bad);
    assert.match(
      out,
      /^damage +failed +2 parts are damaged, the first: head, tenure 7; read through by .*, last read 60s ago/m,
    );
    assert.match(err, /damage: `podtrail store verify` reads the store now/);
    assert.equal(code, 1);
  }
});

/** Its methods, bound: a class with private fields cannot be stood in for otherwise. */
function boundTo(engine: Engine): Partial<Engine> {
  const names = ['status', 'clusters', 'snapshot', 'close'] as const;
  return Object.fromEntries(names.map((name) => [name, engine[name].bind(engine)]));
}

test('where commands would ask is said, place by place', async () => {
  const { out } = await doctor(aClient({}));
  assert.match(out, /asking: --store +skipped +not given/);
  assert.match(out, /asking: default ledger +ok +sqlite:.*ledger\.db: commands ask here/);
  assert.match(out, /asking: Kubernetes API +skipped +not needed/);
  const without = await run(['doctor'], { loadConfig: async () => CONFIG, connect: () => aClient({}) });
  assert.match(without.out, /asking: default ledger +skipped +there is none/);
  assert.match(
    without.out,
    /asking: Kubernetes API +ok +context "c" of file serves history\.podtrail\.dev: commands ask/,
  );
  const nowhere = await run(['doctor']);
  assert.match(nowhere.out, /asking: Kubernetes API +warning +no Kubernetes configuration/);
  assert.match(nowhere.err, /asking: Kubernetes API: start `podtrail record`/);
});

test('missing rights are exit code 6, with what to do', async () => {
  const { code, out, err } = await doctor(aClient({ allowed: false }));
  assert.equal(code, 6);
  assert.match(out, /may watch pods +failed +this user may not list or watch pods/);
  assert.match(err, /may watch pods: grant it with a ClusterRole/);
});

test('without the right to read the Leases of nodes there is a warning with what that means, and no failure', async () => {
  const { code, out, err } = await doctor(aClient({ leases: false }));
  assert.equal(code, 0);
  assert.match(
    out,
    /may read node leases +warning +this user may not get leases in kube-node-lease: .*a minute longer/,
  );
  assert.match(err, /may read node leases: grant it with a RoleBinding in kube-node-lease/);
});

test('without rights on what causes are found from there is a warning that names them, and no failure', async () => {
  const { code, out, err } = await doctor(aClient({ refused: ['events', 'cronjobs'] }));
  assert.equal(code, 0);
  assert.match(
    out,
    /may watch evidence +warning +this user may not list and watch events.events.k8s.io, cronjobs.batch:/,
  );
  assert.match(out, /why a pod moved is "Unknown"/);
  assert.match(err, /may watch evidence: grant it as the ClusterRole podtrail-evidence/);
});

test('clocks that differ and a recorder that is gone are warnings', async () => {
  const { code, out } = await doctor(aClient({ date: at(0) }));
  assert.equal(code, 0);
  assert.match(out, /clocks +warning +the server is 20\d\.\d s behind this machine/);
  const later = await doctor(aClient({ date: at(3600) }), { now: at(3600) });
  assert.match(later.out, /recording prod-eu +warning +nobody has been watching for 56m/);
});

test('a server that does not answer is a failure, and nothing is asked after it', async () => {
  const { code, out } = await doctor(aClient({ broken: true }));
  assert.equal(code, 1);
  assert.match(out, /API server +failed +not now/);
  assert.doesNotMatch(out, /may watch/);
});

test('a store on NFS or another file system of a network is a warning, also before it is made', async () => {
  const missing = Object.assign(new Error('ENOENT'), { code: 'ENOENT' });
  const on = async (type: number) => {
    const fileSystemOf = async (path: string) => {
      if (path !== '/mnt/share') throw missing;
      return type;
    };
    const engine = await aStory();
    return await run(['doctor', '--store', 'sqlite:/mnt/share/new/ledger.db'], { engine, now: at(201), fileSystemOf });
  };
  const nfs = await on(0x6969);
  assert.equal(nfs.code, 0);
  assert.match(nfs.out, /file system +warning +the store lies on NFS, where SQLite's locks do not hold/);
  assert.match(nfs.err, /file system: put the store on a local disk or a block device/);
  assert.match((await on(0xff534d42)).out, /file system +warning +the store lies on CIFS/);
  assert.match((await on(0x65735546)).out, /file system +warning +the store lies on a FUSE mount/);
  assert.match((await on(0xef53)).out, /file system +ok/);
});

test('no kubeconfig is no failure for those who only ask a store, unless they named one', async () => {
  const engine = await aStory();
  assert.equal((await run(['doctor'], { engine, now: at(201) })).code, 0);
  assert.equal((await run(['doctor', '--context', 'x'], { engine, now: at(201) })).code, 1);
});

test('old versions of Node and SQLite are reported', () => {
  const results = (node: string, sqlite: string) => checkMachine({ node, sqlite }).map(({ result }) => result);
  assert.deepEqual(results('26.10.0', '3.53.4'), ['ok', 'ok']);
  assert.deepEqual(results('24.0.0', '3.51.3'), ['ok', 'ok']);
  assert.deepEqual(results('22.1.0', '3.51.2'), ['failed', 'failed']);
  assert.deepEqual(results('26.10.0', '4.0.0'), ['ok', 'ok']);
  assert.deepEqual(results('26.10.0', ''), ['ok', 'failed']);
});
