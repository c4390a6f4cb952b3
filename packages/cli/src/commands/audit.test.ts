// podtrail audit on lines that a test writes; what a real API server writes is judged in history and in e2e.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { auditSchema } from '@podtrail/history/audit/schemas';
import { ManualClock } from '@podtrail/machinery/testing';
import { run } from '../testing/run-in-process.ts';

type Fields = Record<string, unknown>;

let made = 0;
function event(fields: Fields = {}): string {
  return `${JSON.stringify({
    ...{ kind: 'Event', apiVersion: 'audit.k8s.io/v1', level: 'Metadata', auditID: `id-${++made}` },
    ...{ stage: 'ResponseComplete', requestURI: '/', verb: 'delete', user: { username: 'jane' } },
    ...{ sourceIPs: ['192.0.2.1'], userAgent: 'kubectl/v1.36.3' },
    objectRef: { resource: 'pods', namespace: 'shop', name: 'web-1' },
    responseStatus: { code: 200 },
    requestReceivedTimestamp: '2026-11-15T10:00:00.000000Z',
    stageTimestamp: '2026-11-15T10:00:00.100000Z',
    annotations: { 'authorization.k8s.io/decision': 'allow' },
    ...fields,
  })}\n`;
}

const at = (minute: number) => ({ requestReceivedTimestamp: `2026-11-15T10:${String(minute).padStart(2, '0')}:00Z` });
const pod = (namespace: string, name: string, subresource?: string) => ({
  objectRef: { resource: 'pods', namespace, name, subresource },
});
const LOG = [
  event({ ...at(0), ...pod('shop', 'web-1'), verb: 'create' }),
  event({
    ...at(1),
    ...pod('shop', 'web-1', 'binding'),
    verb: 'create',
    user: { username: 'system:kube-scheduler' },
    requestObject: { target: { name: 'node-1' } },
  }),
  event({ ...at(2), ...pod('shop', 'web-1', 'status'), verb: 'patch', user: { username: 'system:node:node-1' } }),
  event({
    ...at(3),
    ...pod('shop', 'web-1', 'eviction'),
    verb: 'create',
    user: { username: 'ci' },
    impersonatedUser: { username: 'jane' },
  }),
  event({
    ...at(4),
    ...pod('pay', 'db-0'),
    user: { username: 'mallory' },
    annotations: { 'authorization.k8s.io/decision': 'forbid' },
    responseStatus: {
      code: 403,
      status: 'Failure',
      reason: 'Forbidden',
      message: 'pods "db-0" is forbidden: User "mallory" cannot delete resource "pods"',
    },
  }),
  event({
    ...at(5),
    objectRef: { resource: 'nodes', name: 'node-1' },
    verb: 'patch',
    requestObject: { spec: { unschedulable: true } },
  }),
  event({ ...at(6), objectRef: { resource: 'leases', name: 'x' }, verb: 'update' }),
].join('');

const ask = (words: string, options = {}) =>
  run(['audit', ...words.split(' ')], { files: { 'audit.log': LOG }, ...options });

test('audit prints who did what to which pod, and what was refused, with a hint', async () => {
  const { code, out, err } = await ask('audit.log');
  assert.equal(code, 0);
  assert.equal(
    out,
    `TIME                   WHAT       NAMESPACE   OBJECT        USER                    OUTCOME                     DETAIL
2026-11-15T10:00:00Z   created    shop        pod/web-1     jane                    allowed                     <none>
2026-11-15T10:01:00Z   bound      shop        pod/web-1     system:kube-scheduler   allowed                     to node node-1
2026-11-15T10:03:00Z   evicted    shop        pod/web-1     jane (by ci)            allowed                     <none>
2026-11-15T10:04:00Z   delete     pay         pod/db-0      mallory                 refused 403 authorization   pods "db-0" is forbidden: User "mallory" cannot delete resource "pods"
2026-11-15T10:05:00Z   cordoned   <none>      node/node-1   jane                    allowed                     <none>
`,
  );
  assert.equal(
    err,
    `1 × delete by mallory: refused 403 authorization; hint: no role grants it: kubectl auth can-i delete pods/db-0 --as mallory -n pay
7 lines, ${(LOG.length / 1024).toFixed(1)} KiB: 6 actions, 5 shown
`,
  );
});

const names = async (words: string) => (await ask(`audit.log -o name ${words}`)).out.trim().split('\n').filter(Boolean);

for (const [flags, found] of [
  ['-n pay', ['pod/pay/db-0']],
  ['-A --pod db-0', ['pod/pay/db-0']],
  ['--pod web-1 --verb evict', ['pod/shop/web-1']],
  ['--verb cordon,evict', ['pod/shop/web-1', 'node/node-1']],
  ['--verb cordon --verb evict', ['pod/shop/web-1', 'node/node-1']],
  ['--verb write-status', ['pod/shop/web-1']],
  ['--failed', ['pod/pay/db-0']],
  ['--user ci', ['pod/shop/web-1']],
  ['--since 2026-11-15T10:04:00Z --until 2026-11-15T10:05:00Z', ['pod/pay/db-0']],
  ['--limit 1', ['pod/shop/web-1']],
] as const) {
  test(`audit ${flags}`, async () => assert.deepEqual(await names(flags), found));
}

test('nothing found is exit code 3, and 5 where lines could not be read: then it is unknown', async () => {
  assert.equal((await ask('audit.log --pod nobody')).code, 3);
  const broken = await ask('audit.log --pod nobody', { files: { 'audit.log': `${LOG}{"broken":\n` } });
  assert.equal(broken.code, 5);
  assert.match(broken.err, new RegExp(`^audit\\.log, line 8, byte ${LOG.length}: it breaks off\n`));
  assert.match(broken.err, /1 line could not be read: what they say is missing here/);
});

test('-o json is a document, also of nothing; -o jsonl one object a line; -o csv a table', async () => {
  const document = auditSchema.parse(JSON.parse((await ask('audit.log -o json --pod web-1 -n shop')).out));
  assert.deepEqual(document.query, { namespace: 'shop', pod: 'web-1', since: null, until: null });
  assert.deepEqual(
    document.actions.map(({ what }) => what),
    ['create', 'bind', 'evict'],
  );
  assert.deepEqual(document.summary, { lines: 7, bytes: LOG.length, actions: 6, shown: 3, repeated: 0, damaged: 0 });
  assert.deepEqual(auditSchema.parse(JSON.parse((await ask('audit.log -o json --pod nobody')).out)).actions, []);
  const lines = (await ask('audit.log -o jsonl')).out.trim().split('\n');
  assert.equal(lines.length, 5);
  assert.equal(JSON.parse(lines[3]!).outcome.stage, 'authorization');
  const csv = (await ask('audit.log -o csv --failed')).out.split('\r\n');
  assert.match(csv[0]!, /^time,what,kind,namespace,name,uid,user,/);
  assert.match(csv[1]!, /^2026-11-15T10:04:00.000Z,delete,Pod,pay,db-0,,mallory,/);
});

test('thousands of actions are written in batches, and JSON of them is one document', async () => {
  const many = Array.from({ length: 2500 }, (_, i) => event(pod('shop', `web-${i}`))).join('');
  const files = { 'audit.log': many };
  const document = auditSchema.parse(JSON.parse((await ask('audit.log -o json', { files })).out));
  assert.equal(document.actions.length, 2500);
  const table = (await ask('audit.log', { files })).out.trim().split('\n');
  assert.equal(table.length, 2501);
  assert.equal((await ask('audit.log --no-headers', { files })).out.trim().split('\n').length, 2500);
});

test('a directory is read in the order in which its logs were written, packed or not, and other files are left out', async () => {
  const files = {
    'logs/audit.log': event({ ...at(9), ...pod('shop', 'third') }),
    'logs/audit-2026-11-15T09-00-00.000.log': event({ ...at(8), ...pod('shop', 'second') }),
    'logs/audit-2026-11-15T08-00-00.000.log.gz': gzipSync(event({ ...at(7), ...pod('shop', 'first') })),
    'logs/core.bin': Buffer.alloc(100, 1),
  };
  const { code, out, err } = await ask('logs -o name', { files });
  assert.deepEqual([code, out], [0, 'pod/shop/first\npod/shop/second\npod/shop/third\n']);
  assert.match(err, /^logs\/core\.bin is left out: it is binary/);
});

test('an archive that breaks off is read as far as it goes, the others too, and the exit code is 1', async () => {
  const packed = gzipSync(Array.from({ length: 3000 }, (_, i) => event(pod('shop', `old-${i}`))).join(''));
  const files = {
    'logs/audit-2026-11-15T08-00-00.000.log.gz': packed.subarray(0, packed.length / 2),
    'logs/audit.log': event(pod('shop', 'new')),
  };
  const { code, out, err } = await ask('logs -o name', { files });
  assert.equal(code, 1);
  assert.match(out, /pod\/shop\/new\n$/);
  assert.match(err, /^logs\/audit-2026-11-15T08-00-00\.000\.log\.gz is read in part/);
  assert.match(err, /audit-2026-11-15T08-00-00\.000\.log\.gz is damaged, or breaks off/);
});

test('standard input is read, and what it has is printed at once', async () => {
  const { code, out } = await run(['audit', '-', '-o', 'name'], { input: LOG });
  assert.deepEqual([code, out.split('\n')[0]], [0, 'pod/shop/web-1']);
});

for (const [words, message] of [
  ['audit.log -n shop -A', /-n and -A cannot both be meant/],
  ['audit.log -n Not_One', /-n Not_One is not a namespace/],
  ['audit.log --verb delete,', /--verb "" is not an act\nhint: there are: create, /],
  ['audit.log --verb explode', /--verb explode is not an act\nhint: there are: create, /],
  ['audit.log --verb evicted', /--verb evicted is not an act; did you mean evict\?\nhint: there are: create, /],
  ['audit.log --since 1h --until 2h', /--since is not before --until/],
  ['audit.log --limit x', /--limit x is not a number from 0 to 999999999/],
  ['audit.log -o yaml', /Allowed choices are table, wide, json, jsonl, csv, name/],
  ['audit.log --cluster x', /--cluster is for --store/],
] as const) {
  test(`audit ${words} is refused`, async () => {
    const { code, out, err } = await ask(words);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, message);
  });
}

test('what is no audit log gets a sentence: text, binary, a file that is not there', async () => {
  const text = await ask('notes.txt', { files: { 'notes.txt': 'hello\nworld\n' } });
  assert.deepEqual([text.code, text.out], [1, '']);
  assert.match(
    text.err,
    /notes\.txt: hardly a line is an event of audit\.k8s\.io\/v1\nhint: name the log of kube-apiserver/,
  );
  const binary = await ask('core', { files: { core: Buffer.alloc(100, 1) } });
  assert.equal(binary.code, 1);
  assert.match(binary.err, /core is binary/);
  assert.match((await ask('missing.log')).err, /missing\.log does not exist/);
});

test('names from a log are made visible before they reach a terminal', async () => {
  const files = { 'audit.log': event({ user: { username: 'eve\u001b[31m' }, ...pod('shop', 'a\nb') }) };
  const { out } = await ask('audit.log', { files });
  assert.match(out, /pod\/a\\nb +eve\\e\[31m/);
});

test('with --pod, what may have been about it is shown: a collection, a name that the server made up', async () => {
  const files = {
    'audit.log': [
      event({ objectRef: { resource: 'pods', namespace: 'shop' }, verb: 'deletecollection' }),
      event({
        objectRef: { resource: 'pods', namespace: 'shop' },
        verb: 'create',
        requestObject: { metadata: { generateName: 'web-' } },
      }),
      event({
        objectRef: { resource: 'pods', namespace: 'shop' },
        verb: 'create',
        requestObject: { metadata: { generateName: 'db-' } },
      }),
    ].join(''),
  };
  const { out } = await ask('audit.log --pod web-1 --no-headers', { files });
  assert.deepEqual(out.match(/pod\/\S+/g), ['pod/*', 'pod/web-<generated>']);
});

test('Ctrl+C ends it at once, also while it waits for input', async () => {
  const stop = new AbortController();
  const stdin = (async function* () {
    yield Buffer.from(LOG);
    setImmediate(() => stop.abort());
    await new Promise(() => {});
  })();
  const { code, out } = await run(['audit', '-', '-o', 'name'], { stdin, signal: stop.signal });
  assert.deepEqual([code, out.split('\n')[0]], [130, 'pod/shop/web-1']);
});

test('progress is shown on a terminal only, and not beside rows on the same terminal', async () => {
  assert.doesNotMatch((await ask('audit.log')).err, /\u001b/);
  assert.doesNotMatch((await ask('audit.log', { isTTY: true })).err, /\u001b/);
  let shown = '';
  const stderr = { isTTY: true, write: async (text: string | Uint8Array) => void (shown += String(text)) };
  let now = 0;
  const clock = Object.assign(new ManualClock(Date.UTC(2026, 10, 15, 12)), { monotonic: () => (now += 1000) });
  await ask('audit.log', { stderr, clock });
  assert.match(shown, /^\r\u001b\[2K\d\.\d KiB read, .* a second, 5 found\r\u001b\[2K1 × delete by mallory/);
});

test('an empty log is not taken for one in which nothing happened', async () => {
  const { code, err } = await run(['audit', 'audit.log'], { files: { 'audit.log': '' } });
  assert.equal(code, 3);
  assert.match(err, /^0 lines, .*\nhint: there is nothing in it\. .*--audit-log-path/m);
});
