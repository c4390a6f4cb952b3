// `import --audit-log`, and `audit --store`: after them explain names who did it.
import assert from 'node:assert/strict';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { gzipSync } from 'node:zlib';
import { allRecords, type Engine, openStore } from '@podtrail/history';
import {
  aLedgerOfEnds,
  at,
  auditLine,
  CART_DELETED,
  CART_SCALED,
  CLUSTER,
  KAFKA_EVICTED,
  LOG,
  LONELY_DELETED,
  NODE_CORDONED,
  podRef,
} from '../testing/audit-lines.ts';
import { type RunOptions, run } from '../testing/run-in-process.ts';

const FILES = { 'audit.log': LOG.join('') };

async function imported(engine: Engine, words: readonly string[] = ['audit.log'], options: RunOptions = {}) {
  const { files = FILES, ...rest } = options;
  return await run(['import', '--audit-log', ...words], { engine, files, ...rest });
}

async function stored(engine: Engine): Promise<string> {
  const facts = await Array.fromAsync(allRecords(engine, CLUSTER.id));
  return facts.map((fact) => JSON.stringify(fact)).join('\n');
}

async function audited(engine: Engine): Promise<string[]> {
  const facts = await Array.fromAsync(allRecords(engine, CLUSTER.id));
  return facts.flatMap((fact) =>
    fact.kind === 'evidence' && fact.evidence.what === 'audited'
      ? [`${fact.evidence.reason} ${fact.evidence.about.kind}/${fact.evidence.about.name} by ${fact.evidence.by}`]
      : [],
  );
}

async function explained(engine: Engine, pod: string) {
  const { code, out } = await run(['explain', pod, '-n', 'shop', '-o', 'json'], { engine });
  assert.equal(code, 0);
  const { sentence, certainty, actor, evidence } = JSON.parse(out);
  const used = evidence.filter((one: { used: boolean }) => one.used);
  return {
    ...{ sentence, certainty, actor },
    used: used.map((one: { what: string; by: string }) => `${one.what} ${one.by}`),
  };
}

test('before it nobody is named, after it explain says who deleted, drained and scaled, certain', async () => {
  const engine = await aLedgerOfEnds();
  const before = await explained(engine, 'lonely');
  assert.deepEqual([before.certainty, before.actor ?? undefined], ['inferred', undefined]);
  const { code, err } = await imported(engine);
  assert.equal(code, 0, err);
  assert.match(err, /^5 lines, .*: 5 actions$/m);
  assert.match(err, /^prod-eu: stored 5 pieces of evidence$/m);
  assert.deepEqual(await explained(engine, 'lonely'), {
    ...{ sentence: 'was deleted by bob.', certainty: 'certain', actor: 'bob', used: ['audited bob'] },
  });
  assert.deepEqual(await explained(engine, 'kafka-0'), {
    ...{ sentence: 'was evicted by alice.', certainty: 'certain', actor: 'alice', used: ['audited alice'] },
  });
  const cart = await explained(engine, 'cart-1');
  assert.equal(cart.sentence, 'was removed when Deployment cart was scaled down by carol.');
  assert.equal(cart.certainty, 'certain');
  assert.deepEqual(cart.used.toSorted(), [
    'audited carol',
    'audited system:serviceaccount:kube-system:replicaset-controller',
  ]);
});

test('twice, overlapping, packed, rotated, of several API servers in any order: the same records', async () => {
  const once = await aLedgerOfEnds();
  await imported(once);
  const expected = await stored(once);
  const again = await aLedgerOfEnds();
  for (let i = 0; i < 2; i++) await imported(again);
  assert.equal(await stored(again), expected);

  const rotated = await aLedgerOfEnds();
  const { code, err } = await imported(rotated, ['logs'], {
    files: {
      'logs/audit-2026-11-15T10-02-00.000.log.gz': gzipSync([NODE_CORDONED, KAFKA_EVICTED, LONELY_DELETED].join('')),
      'logs/audit-2026-11-15T10-04-00.000.log': [LONELY_DELETED, CART_SCALED].join(''),
      'logs/audit.log': [CART_SCALED, CART_DELETED].join(''),
    },
  });
  assert.equal(code, 0, err);
  assert.equal(await stored(rotated), expected);

  const servers = await aLedgerOfEnds();
  await imported(servers, ['b.log', 'a.log'], {
    files: {
      'a.log': [NODE_CORDONED, CART_DELETED].join(''),
      'b.log': [KAFKA_EVICTED, LONELY_DELETED, CART_SCALED].join(''),
    },
  });
  assert.equal(await stored(servers), expected);

  const piped = await aLedgerOfEnds();
  await imported(piped, ['-'], { input: gzipSync(LOG.join('')) });
  assert.equal(await stored(piped), expected);
});

test('audit --store prints and stores the same, whatever it shows', async () => {
  const once = await aLedgerOfEnds();
  await imported(once);
  const engine = await aLedgerOfEnds();
  const { code, out, err } = await run(
    ['audit', 'audit.log', '--verb', 'evict', '--limit', '1', '--store', 'memory:', '-o', 'name'],
    { engine, files: FILES },
  );
  assert.equal(code, 0, err);
  assert.equal(out.trim().split('\n').length, 1);
  assert.match(err, /^prod-eu: stored 5 pieces of evidence$/m);
  assert.equal(await stored(engine), await stored(once));
});

test('what the ledger does not know is not stored, nor what was refused, nor what components write all the time', async () => {
  const engine = await aLedgerOfEnds();
  const lines = [
    auditLine('b1', 200, 'bob', podRef('nobody')),
    auditLine('b2', 9000, 'bob', podRef('lonely')),
    auditLine('b3', 200, 'bob', { objectRef: { resource: 'nodes', name: 'node-99' } }),
    auditLine('b4', 200, 'bob', {
      objectRef: { resource: 'deployments', apiGroup: 'apps', namespace: 'shop', name: 'x' },
    }),
    auditLine('b5', 190, 'bob', { ...podRef('lonely'), responseStatus: { code: 403, status: 'Failure' } }),
    auditLine('b6', 190, 'system:node:node-06', { verb: 'patch', ...podRef('lonely') }),
    auditLine('b7', 190, 'system:serviceaccount:kube-system:deployment-controller', {
      ...{ verb: 'update', objectRef: { resource: 'deployments', apiGroup: 'apps', namespace: 'shop', name: 'cart' } },
    }),
    auditLine('b8', 100_000_000, 'bob', podRef('lonely')),
    LONELY_DELETED,
  ];
  const { err } = await imported(engine, ['audit.log'], { files: { 'audit.log': lines.join('') } });
  assert.deepEqual(await audited(engine), ['delete Pod/lonely by bob']);
  assert.match(
    err,
    /stored 1 piece of evidence; left out: 4 about what the ledger does not know, 1 of a time that is yet/,
  );
});

test('a flood about one object is bounded, and does not hide who deleted it', async () => {
  const engine = await aLedgerOfEnds();
  const flood = Array.from({ length: 5000 }, (_, i) =>
    auditLine(`f${i}`, 150 + i / 1000, 'robot', { verb: 'patch', ...podRef('lonely') }),
  );
  const { err } = await imported(engine, ['audit.log'], {
    files: { 'audit.log': [...flood, LONELY_DELETED].join('') },
  });
  assert.equal((await audited(engine)).length, 65, err);
  assert.match(err, /left out: 4936 over the limit of 64 an hour for one object$/m);
  assert.equal((await explained(engine, 'lonely')).actor, 'bob');
});

test('evidence of a forgotten time is left out, and a hint says so', async () => {
  const engine = await aLedgerOfEnds();
  await engine.pruneKind(CLUSTER.id, 'evidence', at(150));
  const { code, err } = await imported(engine);
  assert.equal(code, 0);
  assert.match(err, /stored 3 pieces of evidence; left out: 2 of a time whose evidence is forgotten$/m);
  assert.match(err, /^hint: evidence is kept as long as the recorder says \(--evidence-retention\)/m);
});

test('a log that is older than evidence is kept by default: a hint says what becomes of it', async () => {
  const engine = await aLedgerOfEnds();
  const { err } = await imported(engine, ['audit.log'], { files: FILES, now: at(30 * 86_400) });
  assert.match(err, /^hint: 5 pieces are older than 14 days, and the recorder of this store will forget them/m);
});

test('after Ctrl+C the same command again gives what one run would have given', async () => {
  const once = await aLedgerOfEnds();
  await imported(once);
  const engine = await aLedgerOfEnds();
  const stop = new AbortController();
  const readFile = async function* () {
    yield Buffer.from(LOG.slice(0, 3).join(''));
    stop.abort();
    yield Buffer.from(LOG.slice(3).join(''));
  };
  const cut = await imported(engine, ['audit.log'], { readFile, signal: stop.signal });
  assert.equal(cut.code, 130);
  assert.equal((await imported(engine)).code, 0);
  assert.equal(await stored(engine), await stored(once));
});

test('damaged lines are named and counted, and the others are stored', async () => {
  const engine = await aLedgerOfEnds();
  const { code, err } = await imported(engine, ['audit.log'], {
    files: { 'audit.log': [KAFKA_EVICTED.slice(0, 200), '\n', LONELY_DELETED].join('') },
  });
  assert.equal(code, 0);
  assert.match(err, /^audit\.log, line 1, byte 0: /m);
  assert.match(err, /^1 line could not be read: what they say is missing$/m);
  assert.deepEqual(await audited(engine), ['delete Pod/lonely by bob']);
});

test('while a recorder writes to the store it is refused, and says what to do', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-audit-'));
  const url = `sqlite:${join(directory, 'ledger.db')}`;
  const recorder = await aLedgerOfEnds(url);
  try {
    const { code, err } = await imported(recorder, ['audit.log', '--store', url], {
      openStore: (path, access) => openStore(path, { access }),
    });
    assert.equal(code, 1);
    assert.match(err, /is being written by process/);
    assert.match(err, /^hint: stop the recorder for the import, and start it again: it goes on where it stopped/m);
  } finally {
    await recorder.close();
    await rm(directory, { recursive: true });
  }
});

test('what was meant wrongly is refused with a sentence', async () => {
  const engine = await aLedgerOfEnds();
  const refused = async (words: readonly string[]) => {
    const { code, err } = await run(words, { engine, files: FILES });
    return `${code} ${err}`;
  };
  assert.match(await refused(['import', '--audit-log', 'audit.log', '--pods', 'x']), /^2 .*one of them/);
  assert.match(await refused(['import', '--audit-log', 'audit.log', '--at', '1h']), /^2 .*--at is for --pods/);
  assert.match(await refused(['audit', 'audit.log', '--cluster', 'x']), /^2 .*--cluster is for --store/);
  const none = await run(['import', '--audit-log', 'audit.log'], {
    engine: await openStore('memory:', { access: 'write' }),
    files: FILES,
  });
  assert.match(`${none.code} ${none.err}`, /^5 .*the store holds no cluster yet/);
  const text = await imported(engine, ['notes'], { files: { notes: 'no\nlog\n' } });
  assert.match(`${text.code} ${text.err}`, /^1 .*hardly a line is an event/s);
});

test('a store, a cluster or a log that is not there is refused, and nothing is made or written for it', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-audit-'));
  const [url, none] = [`sqlite:${join(directory, 'ledger.db')}`, `sqlite:${join(directory, 'typo', 'other.db')}`];
  const engine = await aLedgerOfEnds(url);
  await engine.close();
  const opened: string[] = [];
  const refused = async (...words: readonly string[]) => {
    const { code, err } = await run(words, {
      files: FILES,
      openStore: (path, access) => {
        opened.push(access);
        return openStore(path, { access });
      },
    });
    return `${code} ${err}`;
  };
  try {
    for (const command of [
      ['import', '--audit-log', 'audit.log'],
      ['audit', 'audit.log'],
    ]) {
      assert.match(await refused(...command, '--store', none), /^1 .*there is no store at /s);
      assert.match(
        await refused(...command, '--store', url, '--cluster', 'prod-typo'),
        /^2 .*the store holds no cluster prod-typo; it holds prod-eu \(/s,
      );
      assert.match(await refused(...command, 'WRONG.log', '--store', url), /^\d .*WRONG\.log.*does not exist/s);
    }
    assert.deepEqual(
      opened.filter((access) => access === 'write'),
      [],
    );
    assert.deepEqual(
      (await readdir(directory)).filter((name) => !name.startsWith('ledger.db')),
      [],
    );
    const after = await openStore(url, { access: 'write' });
    assert.deepEqual(await after.clusters(), [CLUSTER]);
    await after.close();
  } finally {
    await rm(directory, { recursive: true });
  }
});
