// export, import and store on the story.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { type Engine, HistoryError, openStore } from '@podtrail/history';
import { systemCommandEnv } from '../system-command-env.ts';
import { run } from '../testing/run-in-process.ts';
import { aLedgerWithFlood, aStory, at, CLUSTER, HOSTILE } from '../testing/story.ts';

let engine: Engine;
let exported: string;
const directory = mkdtempSync(join(tmpdir(), 'podtrail-cli-'));
before(async () => {
  engine = await aStory();
  exported = (await run(['export'], { engine })).out;
});
after(() => rmSync(directory, { recursive: true }));

const empty = () => openStore('memory:', { access: 'write' });
const importText = (into: Engine, input: string, ...words: string[]) =>
  run(['import', '-', ...words], { engine: into, input });

test('an export names its cluster first and counts its records last, and every line is JSON that a terminal does not obey', async () => {
  const [header = '', ...lines] = exported.trimEnd().split('\n');
  assert.deepEqual(JSON.parse(header), { podtrailExport: 1, cluster: CLUSTER });
  assert.deepEqual(JSON.parse(lines.pop() ?? ''), { podtrailExportEnd: lines.length });
  assert.ok(lines.length > 10);
  for (const line of lines) assert.ok(typeof JSON.parse(line).kind === 'string');
  assert.doesNotMatch(exported, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
});

test('an import gives the same ledger: the same export, byte for byte, and the same answers', async () => {
  const copy = await empty();
  const { code, err } = await importText(copy, exported);
  assert.equal(code, 0);
  assert.match(err, /^prod-eu: stored \d+ records\n$/);
  assert.equal((await run(['export'], { engine: copy })).out, exported);
  for (const words of [
    'who 10.0.0.7 --at 2026-11-15T10:00:30Z -o json',
    'changes db-0 -n shop -o json',
    'gaps',
    'node node-a',
  ]) {
    const asked = (of: Engine) => run(words.split(' '), { engine: of, now: at(201) });
    assert.deepEqual(await asked(copy), await asked(engine));
  }
  assert.match((await run(['changes', 'db-0', '-n', 'shop', '-o', 'json'], { engine: copy })).out, /owned/);
  assert.ok(exported.includes(JSON.stringify(HOSTILE).slice(1, 10)));
});

test('a record of suppressed changes goes through an export and an import', async () => {
  const exported = (await run(['export'], { engine: await aLedgerWithFlood() })).out;
  assert.match(exported, /"suppressed":\{"budget":"pod","changes":7,/);
  const copy = await empty();
  assert.equal((await importText(copy, exported)).code, 0);
  assert.equal((await run(['export'], { engine: copy })).out, exported);
});

/** Everything that a terminal acts on, newlines excepted. */
const OBEYED = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff]/;

test('fault 29: a cluster whose name would act on a terminal is imported, and no command lets the name do so', async () => {
  const name = '\u001b]0;owned\u0007\u001b[2Jprod\r\u009b31m\u202egnp\u200b';
  const [header = '', ...lines] = exported.split('\n');
  const renamed = { ...JSON.parse(header), cluster: { ...CLUSTER, name } };
  const copy = await empty();
  const said = [await importText(copy, [JSON.stringify(renamed), ...lines].join('\n'))];
  said.push(await importText(copy, [JSON.stringify(renamed), ...lines].join('\n')));
  const asks = ['who 10.0.0.7 --at 2026-11-15T10:00:30Z', 'who 10.9.9.9', 'gaps', 'node node-a', 'trail db-0 -n shop'];
  asks.push('changes db-0 -n shop', 'store status', 'store verify', 'export', 'who 10.0.0.7 --cluster nobody');
  for (const words of asks) {
    for (const format of words === 'export'
      ? [[]]
      : [[], ['-o', 'wide'], ['-o', 'json'], ['-o', 'yaml'], ['-o', 'csv']])
      said.push(await run([...words.split(' '), ...format], { engine: copy, now: at(201) }));
  }
  for (const { out, err } of said) {
    assert.doesNotMatch(out.replaceAll('\r\n', '\n'), OBEYED);
    assert.doesNotMatch(err, OBEYED);
  }
  assert.ok(said.filter(({ out, err }) => /owned/.test(out + err)).length >= 5, 'the name was shown');
  const other = await empty();
  await importText(other, exported);
  await importText(other, [JSON.stringify({ ...renamed, cluster: { id: 'x', name } }), ...lines].join('\n'));
  const { err } = await run(['gaps'], { engine: other });
  assert.match(err, /holds 2 clusters/);
  assert.doesNotMatch(err, OBEYED);
});

test('changes that were removed are not taken for none: the question is unknown, also after an export and an import', async () => {
  const story = await aStory();
  await story.pruneKind(CLUSTER.id, 'change', at(150));
  const of = (from: Engine) => run(['changes', 'db-0', '-n', 'shop'], { engine: from, now: at(201) });
  const { code, err } = await of(story);
  assert.equal(code, 5);
  assert.match(err, /from 2026-11-15T10:00:00Z to 10:02:30Z \(records of that time have expired and were removed\)/);
  const text = (await run(['export'], { engine: story })).out;
  assert.match(text, /^\{"podtrailExport":1,"cluster":\{[^}]+\},"changesSince":1794736950000\}\n/);
  const copy = await empty();
  assert.equal((await importText(copy, text)).code, 0);
  assert.equal((await of(copy)).code, 5);
  assert.equal((await run(['export'], { engine: copy })).out, text);
  const wrong = await importText(await empty(), text.replace(/"changesSince":\d+/, '"changesSince":"then"'));
  assert.deepEqual([wrong.code, /changesSince is not an instant/.test(wrong.err)], [1, true]);
});

test('importing twice changes nothing', async () => {
  const copy = await empty();
  await importText(copy, exported);
  const again = await importText(copy, exported);
  assert.deepEqual([again.code, again.err], [0, 'prod-eu: the store knows all of it already\n']);
  assert.equal((await run(['export'], { engine: copy })).out, exported);
});

test('SQLite and memory export the same bytes', async () => {
  const path = join(directory, 'ledger.db');
  const sqlite = await openStore(`sqlite:${path}`, { access: 'write' });
  try {
    await importText(sqlite, exported);
    assert.equal((await run(['export'], { engine: sqlite })).out, exported);
  } finally {
    await sqlite.close();
  }
});

test('an import that breaks off claims nothing: answers stay unknown until all of it is there', async () => {
  const copy = await empty();
  const lines = exported.split('\n');
  const broken = [...lines.slice(0, lines.length - 3), 'garbage'].join('\n');
  const { code, err } = await importText(copy, broken);
  assert.equal(code, 1);
  assert.match(err, /line \d+ is not a fact of an export: it is no JSON/);
  const free = await run('who 10.0.0.99 --at 2026-11-15T10:00:30Z'.split(' '), { engine: copy, now: at(201) });
  assert.notEqual(free.code, 3, 'free would be a lie');
  assert.equal((await importText(copy, exported)).code, 0);
  assert.equal((await run(['export'], { engine: copy })).out, exported);
});

test('an export that was cut between two lines, or lost one, claims nothing and can be imported again', async () => {
  const copy = await empty();
  const lines = exported.trimEnd().split('\n');
  const cuts: (readonly [readonly string[], RegExp])[] = [
    [lines.slice(0, 8), /the export breaks off after 7 records: its last line, which counts them, is missing\nhint:/],
    [lines.slice(0, -1), /its last line, which counts them, is missing/],
    [lines.toSpliced(7, 1), /it counts \d+ records, and there were \d+/],
    [[...lines, lines[7] ?? ''], /the export had ended before it/],
  ];
  for (const [cut, says] of cuts) {
    const { code, err } = await importText(copy, `${cut.join('\n')}\n`);
    assert.equal(code, 1);
    assert.match(err, says);
    const free = await run('who 10.0.0.99 --at 2026-11-15T10:00:30Z'.split(' '), { engine: copy, now: at(201) });
    assert.equal(free.code, 5, 'free would be a lie');
  }
  assert.equal((await importText(copy, exported)).code, 0);
  assert.equal((await run(['export'], { engine: copy })).out, exported);
});

test('after an import that was cut off, what has no end is not shown as lasting until now', async () => {
  const copy = await empty();
  const lines = exported.trimEnd().split('\n');
  await importText(copy, `${lines.slice(0, -1).join('\n')}\n`);
  for (const words of ['trail db-0 -n shop', 'trail 10.0.0.5', 'node node-b --since 1h -o wide']) {
    const { out } = await run([...words.split(' '), '--no-headers'], { engine: copy, now: at(201) });
    assert.match(out, words.startsWith('node') ? / <unknown> / : /<unknown> +<unknown>/, words);
    assert.doesNotMatch(out, /<present>/, words);
  }
});

test('input that is a directory is a sentence that names it', async () => {
  const { commandEnv, ended } = systemCommandEnv();
  const { readFile, filesIn } = commandEnv;
  ended();
  const { code, err } = await run(['import', directory], { engine: await empty(), readFile, filesIn });
  const [sentence, hint] = err.split('\n');
  assert.deepEqual([code, sentence], [1, `podtrail: ${directory} is a directory, not a file`]);
  assert.match(hint ?? '', /name a file in it; .* --pods/);
});

test('saved pods that were given as an export are pointed to --pods', async () => {
  const { code, err } = await run(['import', '-'], {
    engine: await empty(),
    input: '{"apiVersion":"v1","kind":"PodList","items":[]}\n',
  });
  assert.equal(code, 2);
  assert.match(err, /this is an object of Kubernetes, and no export\nhint: saved pods go with --pods FILE\./);
});

test('a later export of the same ledger goes over an earlier one, and an earlier one changes nothing', async () => {
  const earlier = (await run(['export'], { engine: await aStory('half') })).out;
  const copy = await empty();
  await importText(copy, earlier);
  assert.equal((await run(['export'], { engine: copy })).out, earlier);
  assert.equal((await importText(copy, exported)).code, 0);
  assert.equal((await run(['export'], { engine: copy })).out, exported);
  assert.match((await importText(copy, earlier)).err, /knows all of it already/);
  assert.equal((await run(['export'], { engine: copy })).out, exported);
});

test('two ledgers of one cluster are not mixed', async () => {
  const copy = await empty();
  await importText(copy, exported.replaceAll('"collector":"test"', '"collector":"other"'));
  const { code, err } = await importText(copy, exported);
  assert.equal(code, 1);
  assert.match(err, /holds another ledger of prod-eu, and two cannot be mixed\nhint: import into a store of its own/);
});

const WRONG: readonly (readonly [sentence: string, change: (line: string) => string, says: RegExp])[] = [
  ['bounds that do not nest', (l) => l.replace(/"notAfter":\d+/, '"notAfter":1'), /bounds do not nest/],
  ['an address that is none', (l) => l.replace(/"ip":"[^"]*"/, '"ip":"x"'), /ip is not an address/],
  ['a kind that there is not', (l) => l.replace('"kind":"tenure"', '"kind":"tenor"'), /no facts of kind "tenor"/],
  [
    'a version that is no decimal',
    (l) => l.replace(/"resourceVersion":"\d+"/, '"resourceVersion":"1e5"'),
    /not a decimal/,
  ],
  ['a field of another type', (l) => l.replace(/"uid":"[^"]*"/, '"uid":1'), /uid is not a text/],
  ['a time that is none', (l) => l.replace(/"observedAt":\d+/, '"observedAt":-1'), /observedAt is not a whole number/],
];

for (const [sentence, change, says] of WRONG) {
  test(`an import refuses ${sentence}, with the line`, async () => {
    const line = exported.split('\n').find((l) => l.includes('"kind":"tenure"')) ?? '';
    const { code, err } = await importText(await empty(), exported.replace(line, change(line)));
    assert.equal(code, 1);
    assert.match(err, says);
    assert.match(err, /line \d+ is not a fact/);
  });
}

test('an export of a newer podtrail is refused', async () => {
  const { code, err } = await importText(await empty(), exported.replace('"podtrailExport":1', '"podtrailExport":2'));
  assert.equal(code, 1);
  assert.match(err, /format 2, and this podtrail knows 1/);
});

test('what has expired is not exported as watched', async () => {
  const old = await aStory();
  await run(['store', 'retain', '--before', '2026-11-15T10:01:10Z'], { engine: old, now: at(201) });
  const { out } = await run(['export'], { engine: old });
  const copy = await empty();
  await importText(copy, out);
  const asked = await run('who 10.0.0.7 --at 2026-11-15T10:00:30Z'.split(' '), { engine: copy, now: at(201) });
  assert.equal(asked.code, 5, asked.out);
});

const FOOTPRINTS = `{"namespace":"old","pod_name":"p1","node_name":"n1","pod_ip":"10.9.9.1","phase":"Running","timestamp":"2026-11-14T10:00:00Z","conditions":[]}
{"namespace":"old","pod_name":"p1","node_name":"n1","pod_ip":"10.9.9.1","phase":"Running","timestamp":"2026-11-14T10:00:30Z","uid":""}
{"namespace":"old","pod_name":"done","node_name":"n1","pod_ip":"10.9.9.2","phase":"Succeeded","timestamp":"2026-11-14T10:00:30Z"}
{"namespace":"shop","pod_name":"web-1","node_name":"node-a","pod_ip":"10.0.0.77","phase":"Running","timestamp":"2026-11-15T10:00:30Z"}
nonsense
`;

test('footprint lines become candidates, never certain holders, and say nothing of watched times', async () => {
  const copy = await aStory();
  const { code, err } = await importText(copy, FOOTPRINTS);
  assert.equal(code, 0);
  assert.equal(
    err,
    'prod-eu: 5 lines gave 1 candidate; 2 said nothing about an address, 1 was of a time that the ledger watched itself\n',
  );
  const who = (words: string) => run(['who', ...words.split(' ')], { engine: copy, now: at(201) });
  for (const second of ['00', '10', '30']) {
    const { code: answer, out } = await who(`10.9.9.1 --at 2026-11-14T10:00:${second}Z -o json`);
    assert.equal(answer, 4, second);
    assert.equal(JSON.parse(out).holders[0].start.source, 'import');
  }
  assert.equal((await who('10.9.9.1 --at 2026-11-14T10:05:00Z')).code, 5);
  assert.equal((await who('10.0.0.77 --at 2026-11-15T10:00:30Z')).code, 3);
  const before = (await run(['export'], { engine: copy })).out;
  await importText(copy, FOOTPRINTS);
  assert.equal((await run(['export'], { engine: copy })).out, before, 'twice changes nothing');
});

test('footprints of a cluster that the store does not know need its name', async () => {
  const copy = await empty();
  assert.equal((await importText(copy, FOOTPRINTS)).code, 2);
  assert.equal((await importText(copy, FOOTPRINTS, '--cluster', 'gone')).code, 0);
  assert.equal((await run('who 10.9.9.1 --at 2026-11-14T10:00:10Z'.split(' '), { engine: copy })).code, 4);
});

test('store status, verify, retain and backup', async () => {
  const store = await aStory();
  const ask = (...words: string[]) => run(['store', ...words], { engine: store, now: at(201) });
  const status = await ask('status');
  assert.match(
    status.out,
    /CLUSTER +ID +TENURES +PLACEMENTS +CHANGES +LIVE +ANOMALIES +WATCHED UNTIL\nprod-eu .*2026-11-15T10:03:20Z \(1s ago\)\n/,
  );
  assert.deepEqual(Object.keys(JSON.parse((await ask('status', '-o', 'json')).out)), [
    'store',
    'version',
    'bytes',
    'clusters',
  ]);
  assert.match((await ask('verify')).out, /all as they were written\.\n$/);
  const future = await ask('retain', '--before', '2027-01-01');
  assert.deepEqual([future.code, /lies in the future/.test(future.err)], [2, true]);
  const retained = await ask('retain', '--before', '2026-11-15T10:01:10Z');
  assert.match(retained.err, /^--before 2026-11-15T10:01:10\.000Z\nprod-eu: forgot \d+ records/);
  const asked = await run('who 10.0.0.7 --at 2026-11-15T10:00:30Z'.split(' '), { engine: store, now: at(201) });
  assert.equal(asked.code, 5);
  assert.match(asked.out, /records of that time have expired and were removed/);
  const backup = await ask('backup', 'x.db');
  assert.deepEqual([backup.code, /a store in memory cannot be backed up\nhint:/.test(backup.err)], [1, true]);
});

test('store retain beside a recorder says how the recorder forgets', async () => {
  const openStore = async () => {
    throw new HistoryError('store-in-use', 'process 7 on node-a writes to the store', { hint: 'end it.' });
  };
  const { code, err } = await run('store retain --before 720h'.split(' '), { openStore });
  assert.equal(code, 1);
  assert.match(
    err,
    /process 7 on node-a writes to the store\nhint: a recorder forgets by itself with .*--retention 30d/,
  );
});

test('store migrate says what it does, and with --dry-run what it would do', async () => {
  const migration = { from: 1, to: 3, steps: ['a place for notes', 'notes that say hello'], files: 2 };
  const engine = await aStory();
  const calls: string[] = [];
  const openStore = async (_: string, access: string) => {
    calls.push(access);
    return Object.assign(engine, { migrate: async () => migration, close: async () => {} });
  };
  const planMigration = async () => migration;
  const options = { openStore, planMigration, env: { PODTRAIL_STORE: 'sqlite:/old.db' } };
  const plan = await run('store migrate --dry-run'.split(' '), options);
  assert.deepEqual([plan.code, calls.length], [0, 0]);
  assert.equal(
    plan.out,
    `sqlite:/old.db: would go from format 1 to 3.

VERSION   WHAT
2         a place for notes
3         notes that say hello
3         2 sealed files are rewritten
`,
  );
  const done = await run('store migrate'.split(' '), options);
  assert.deepEqual([done.code, calls], [0, ['write']]);
  assert.match(done.out, /^sqlite:\/old\.db: went from format 1 to 3\.\n/);
  const json = JSON.parse((await run('store migrate -o json'.split(' '), options)).out);
  assert.deepEqual(json, { store: 'sqlite:/old.db', dryRun: false, ...migration });
  const idle = await run('store migrate'.split(' '), { engine: await aStory() });
  assert.match(idle.out, /is of format 1 already, nothing to do\.\n$/);
});

test('store verify tells what is damaged, with exit code 1', async () => {
  const damaged = new Proxy(engine, {
    get: (target, key) =>
      key === 'verify'
        ? async () => ({ records: 7, damages: [{ where: 'tenures 12', what: 'its hash \u001b[31m differs' }] })
        : (Reflect.get(target, key) as (() => void) | undefined)?.bind(target),
  });
  const { code, out } = await run(['store', 'verify'], { engine: damaged });
  assert.equal(code, 1);
  assert.match(out, /7 records are as they were written, 1 place is damaged/);
  assert.match(out, /tenures 12 +its hash \\e\[31m differs/);
});
