import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { type Engine, HistoryError, openStore } from '@podtrail/history';
import { ApiError } from '@podtrail/machinery';
import { run } from './testing/run-in-process.ts';
import { aStory, at } from './testing/story.ts';

let engine: Engine;
before(async () => {
  engine = await aStory();
});

const ask = (words: string, options = {}) =>
  run(words === '' ? [] : words.split(' '), { engine, now: at(201), ...options });

test('commands of later parts are not there, and say so', async () => {
  for (const name of ['render', 'install', 'uninstall']) {
    const { code, out, err } = await ask(name);
    assert.deepEqual([code, out], [2, ''], name);
    assert.equal(err, `podtrail: podtrail ${name} is not built yet\nhint: podtrail help lists what there is.\n`);
  }
});

test('usage errors are sentences with exit code 2', async () => {
  const table: readonly (readonly [string, RegExp])[] = [
    ['whoo 10.0.0.7', /unknown command 'whoo' \(Did you mean who\?\)/],
    ['who', /missing required argument 'ip'/],
    ['who 10.0.0.7 extra', /too many arguments/],
    ['who 10.0.0.7 -o xml', /Allowed choices are table, wide, json, jsonl, yaml, csv, name/],
    ['who 10.0.0.7 --at', /argument missing/],
    ['who 10.0.0.7 --nonsense', /unknown option '--nonsense'/],
    ['who 10.0.0.7 --timezone Mars/Base', /there is no time zone Mars\/Base/],
    [
      'store retain',
      /required option '--before <time>' not specified\nhint: --before 720h forgets .*; see podtrail store retain --help/,
    ],
    ['trail a/b/c', /neither a pod nor TYPE\/NAME/],
    ['trail shop/web-1', /"shop" is not a kind that podtrail knows\nhint: write a namespace with -n/],
    ['record --namespaces Shop', /is not a list of namespaces/],
    ['who 10.0.0', /"10\.0\.0" is not an IP address\nhint: an IPv4 address has four numbers/],
    [
      'who 10.0.0.7 10.0.0.8',
      /too many arguments.*\nhint: ask about one address at a time, .* podtrail attribute; see/,
    ],
    ['who 10.0.0.7 --at 15m ago', /\nhint: put quotes around a time with a blank in it: --at '15m ago'; see/],
    ['who 10.0.0.7 --at 2026-11-15 10:05', /\nhint: put quotes around a time/],
    ['who 10.0.0.7 --when 1h', /^podtrail: unknown option '--when'\nhint: write --at; see/],
    ['10.0.0.7', /unknown command '10\.0\.0\.7'\nhint: write podtrail who 10\.0\.0\.7; see/],
    ['help whoo', /there is no command whoo \(did you mean who\?\)\nhint: podtrail help lists/],
    ['store --store x', /store needs one of status, verify, retain, repair, backup, migrate, before its flags/],
    ['trail web-1 --limit x', /--limit x is not a number from 0 to 999999999\nhint: write --limit 100/],
    ['trail deployment/', /neither a pod nor TYPE\/NAME\nhint: write web-1 or deploy\/cart/],
    ['import', /hint: give what `podtrail export`/],
    ['completion tcsh', /Allowed choices are bash, zsh, fish/],
  ];
  for (const [words, says] of table) {
    const { code, out, err } = await ask(words);
    assert.deepEqual([code, out], [2, ''], words);
    assert.match(err, says);
    assert.match(err, /^podtrail: /);
  }
});

test('a shared flag that makes no sense for a command is refused with the reason', async () => {
  const table: readonly (readonly [string, RegExp])[] = [
    ['who 10.0.0.7 -l app=web', /who does not take -l: it does not select by labels/],
    ['who 10.0.0.7 --since 1h', /who does not take --since: it is not about a span/],
    ['gaps --at 1h', /gaps does not take --at/],
    ['store status --cluster=x', /store status does not take --cluster/],
    ['record -o json', /record does not take -o/],
  ];
  for (const [words, says] of table) {
    const { code, err } = await ask(words);
    assert.equal(code, 2, words);
    assert.match(err, says);
  }
});

test('shared flags may stand before the command', async () => {
  assert.equal((await ask('-n shop -o name trail web-1')).out, 'pod/shop/web-1\n');
  assert.equal((await ask('--output=name --store x who 10.0.0.7 --at 2026-11-15T10:00:30Z')).out, 'pod/shop/web-1\n');
});

test('with several clusters one must be named, and the error lists them', async () => {
  const two = await aStory();
  await two.takeOver({ id: 'other-id', name: 'other' });
  const options = { engine: two };
  const none = await ask('who 10.0.0.7', options);
  assert.equal(none.code, 2);
  assert.match(
    none.err,
    /the store holds 2 clusters: .*prod-eu \(831833a6-[^)]*\).*other \(other-id\)|other \(other-id\).*prod-eu/,
  );
  for (const name of ['prod-eu', '831833a6-f708-4b7d-9948-721ee3d16550']) {
    assert.equal((await ask(`who 10.0.0.7 --at 2026-11-15T10:00:30Z --cluster ${name}`, options)).code, 0);
  }
  const wrong = await ask('who 10.0.0.7 --cluster nope', options);
  assert.equal(wrong.code, 2);
  assert.match(wrong.err, /holds no cluster nope; it holds/);
});

test('an empty store knows nothing (exit code 5), a missing one is an error (1): neither is "free"', async () => {
  const empty = await ask('who 10.0.0.7', { engine: await openStore('memory:', { access: 'write' }) });
  assert.equal(empty.code, 5);
  assert.match(empty.err, /the store holds no cluster yet\nhint: start `podtrail record`/);
  assert.equal((await ask('who 10.0.0.7', { engine: undefined })).code, 1);
});

test('the store is the one that is named, else of the environment, else under the XDG data directory', async () => {
  const asked: string[] = [];
  const openStore = async (url: string) => {
    asked.push(url);
    throw new HistoryError('no-store', 'none');
  };
  await ask('gaps --store sqlite:/a', { openStore, env: { PODTRAIL_STORE: 'sqlite:/b' } });
  await ask('gaps', { openStore, env: { PODTRAIL_STORE: 'sqlite:/b' } });
  await ask('gaps', { openStore, env: { XDG_DATA_HOME: '/data' } });
  await ask('gaps', { openStore, env: { XDG_DATA_HOME: 'relative' } });
  assert.deepEqual(asked, [
    ...['sqlite:/a', 'sqlite:/b', 'sqlite:/data/podtrail/ledger.db'],
    'sqlite:/home/jane/.local/share/podtrail/ledger.db',
  ]);
});

test('errors are a sentence and a hint; a stack trace is for DEBUG=podtrail', async () => {
  const broken = (error: Error) => ({ openStore: async () => Promise.reject(error) });
  const result = await ask(
    'gaps',
    broken(new HistoryError('store-damaged', 'no whole store', { hint: 'restore it.' })),
  );
  assert.deepEqual([result.code, result.err], [1, 'podtrail: no whole store\nhint: restore it.\n']);
  const bug = await ask('gaps', broken(new TypeError('x is undefined')));
  assert.equal(bug.err, 'podtrail: unexpected: x is undefined (DEBUG=podtrail shows where)\n');
  const traced = await ask('gaps', { ...broken(new TypeError('x is undefined')), env: { DEBUG: 'other,podtrail' } });
  assert.match(traced.err, /\n\s+at /);
  const enoent = Object.assign(new Error('ENOENT: no such file'), { code: 'ENOENT', path: '/x/y' });
  assert.equal(
    (await ask('gaps', broken(enoent))).err,
    'podtrail: /x/y does not exist\nhint: check the path; one that does not begin with / starts in the directory in which podtrail runs.\n',
  );
});

test('fault 29: an error message cannot speak to the terminal', async () => {
  const { err } = await ask('who \u001b[31m\u202eevil');
  assert.doesNotMatch(err, /\u001b|\u202e/);
});

test('forbidden is exit code 6', async () => {
  const openStore = async () => Promise.reject(new ApiError(403, { message: 'no', reason: 'Forbidden' }, undefined));
  assert.equal((await ask('gaps', { openStore })).code, 6);
});

test('Ctrl+C ends a command that would take long, with exit code 130', async () => {
  const stop = new AbortController();
  const openStore = () => {
    stop.abort();
    return new Promise<never>(() => {});
  };
  assert.deepEqual(await ask('store verify', { openStore, signal: stop.signal }), {
    code: 130,
    out: '',
    err: 'podtrail: interrupted\n',
  });
});

test('a reader that has gone ends the command quietly', async () => {
  const gone = Object.assign(new Error('write EPIPE'), { code: 'EPIPE' });
  const stdout = { isTTY: false, write: async () => Promise.reject(gone) };
  assert.deepEqual(await ask('gaps', { stdout }), { code: 0, out: '', err: '' });
});

test('help of podtrail and of every command goes to standard output and names its flags', async () => {
  const root = await ask('help');
  assert.equal(root.code, 0);
  for (const name of [
    'record',
    'who',
    'trail',
    'node',
    'changes',
    'gaps',
    'footprints',
    'annotations',
    'demo',
    'sandbox',
    'attribute',
    'export',
    'import',
    'store',
    'moves',
    'explain',
    'audit',
    'doctor',
    'completion',
    'version',
  ]) {
    assert.match(root.out, new RegExp(`^  ${name} `, 'm'));
    const { code, out, err } = await ask(`${name} --help`);
    assert.deepEqual([code, err], [0, ''], name);
    assert.match(out, new RegExp(`^Usage: podtrail ${name}`));
    const wide = out.split('\n').filter((line) => line.length > 120 && !line.startsWith('  '));
    assert.deepEqual(wide, [], name);
    assert.equal((await ask(`help ${name}`)).out, out);
  }
  assert.match(root.out, /Exit codes: 0 answered, 1 error, 2 usage, 3 free or no record/);
});

test('without a command the help says which there are, on standard error, exit code 2', async () => {
  for (const words of ['', 'store']) {
    const { code, out, err } = await ask(words);
    assert.deepEqual([code, out], [2, '']);
    assert.match(err, /Commands:/);
  }
});

test('version', async () => {
  const { code, out } = await ask('version -o json');
  assert.equal(code, 0);
  assert.deepEqual(Object.keys(JSON.parse(out)), ['podtrail', 'node', 'sqlite']);
});

test('the help of audit shows no empty list as a default', async () => {
  assert.doesNotMatch((await ask('audit --help')).out, /default: \[\]/);
});
