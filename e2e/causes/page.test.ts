import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { causesPage, type RunResult, readResults, writeResult } from './page.ts';
import { NOT_PROVOKED } from './provocations/index.ts';
import type { Row } from './table.ts';

const row: Row = {
  ...{ cause: 'Taint', name: 'a taint', evidence: 'the taint', by: 'control plane', pods: 3, overlapped: 1 },
  plain: { right: 2, wrong: 0, unknown: 1, certain: 1, said: [] },
  notCarriedOut: [],
};
const run: RunResult = {
  ...{ title: 'On simulated nodes', about: 'All is real.', command: 'npm run proof -- causes', kubernetes: 'v1.36.3' },
  ...{ date: '2026-11-16', rows: [row] },
};

test('the page has every cause: provoked, or with the reason why not', () => {
  const page = causesPage([run], new Map([['Reboot', 'needs a node']]));
  assert.match(page, /\| `Taint` \| a taint \| the taint \| control plane \| 3 \| 1 \| 2 \| 1 \| 0 \| 1 \| 0 \|/);
  assert.match(page, /- `Reboot`: needs a node\./);
  assert.match(page, /- `OOMKilled`: not yet\./);
  assert.doesNotMatch(page, /- `Taint`/);
});

test('each run is a section, and what was said with its audit log stands beside what was said without', () => {
  const audited = { right: 3, wrong: 0, unknown: 0, certain: 3, said: [] };
  const page = causesPage([run, { ...run, title: 'On real nodes', rows: [{ ...row, audited }] }], new Map());
  assert.match(page, /^## On simulated nodes$/m);
  assert.match(page, /^## On real nodes$/m);
  assert.match(page, /\| 3 \| 1 \| 2 \| 1 \| 0 \| 1 \| 0 \| 3 \| 0 \| 0 \|/);
  assert.match(
    page,
    /3 pods: 2 right, 0 wrong, 1 unknown, 0 not carried out\. With the audit log: 3 right, 0 wrong, 0 unknown\./,
  );
});

test('the page says how often each was provoked, and quotes no repetitions that were not reached', () => {
  const command = 'npm run proof -- causes --repeat 20 --seed 1 --within 2';
  const rows = [{ ...row, pods: 40 }, ...['another', 'a third'].map((name) => ({ ...row, name, pods: 19 }))];
  const page = causesPage([{ ...run, command, rows }], new Map());
  assert.match(page, /Of the provocations: 2 with 19 pods, 1 with 40 pods\. Its time was up before all repetitions/);
  assert.match(page, /`npm run proof -- causes --seed 1 --within 2`/);
  const whole = causesPage([{ ...run, command, rows: [{ ...row, pods: 20 }] }], new Map());
  assert.match(whole, /Of the provocations: 1 with 20 pods\.\n/);
  assert.match(whole, /--repeat 20 /);
});

test('what was not carried out is a column and a list of reasons, and no wrong verdict', () => {
  const rows = [{ ...row, notCarriedOut: ['no node is free'] }];
  const page = causesPage([{ ...run, command: 'npm run proof -- causes --repeat 4 --seed 1', rows }], new Map());
  assert.match(page, /\| 3 \| 1 \| 2 \| 1 \| 0 \| 1 \| 1 \|/);
  assert.match(page, /3 pods: 2 right, 0 wrong, 1 unknown, 1 not carried out\./);
  assert.match(page, /^- a taint, 1 time: no node is free$/m);
  assert.doesNotMatch(page, /Its time was up/);
});

test('a cause whose provocations were never carried out is not provoked', () => {
  const never = { ...row, pods: 0, overlapped: 0, notCarriedOut: ['no node is free'] };
  assert.match(causesPage([{ ...run, rows: [never] }], new Map()), /^- `Taint`: not yet\.$/m);
});

test('a result from before counted as wrong what was not carried out: with an audit log it is known which', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'podtrail-results-'));
  t.after(() => rm(folder, { recursive: true }));
  const { notCarriedOut: _, ...before } = row;
  const right = { right: 2, wrong: 0, unknown: 1, certain: 1, said: [] };
  const oneWrong = { ...right, wrong: 1, said: ['Rollout'] };
  const whole = { ...before, plain: right, audited: right };
  const some = {
    ...{ ...before, name: 'some', pods: 6, overlapped: 6, audited: oneWrong },
    plain: { ...right, wrong: 3, said: ['nothing', 'Rollout'] },
  };
  const noTally = { right: 0, wrong: 1, unknown: 0, certain: 0, said: ['nothing'] };
  const none = { ...before, name: 'none', pods: 1, plain: noTally };
  const old = async (rows: readonly object[]) => {
    await writeResult('old', { ...run, rows: rows as Row[] }, folder);
    return (await readResults(folder))[0]?.rows;
  };
  const reason = 'the reason was not kept';
  const [first, second, third] = (await old([whole, some, none])) ?? [];
  assert.deepEqual(first, { ...whole, notCarriedOut: [] });
  assert.deepEqual(second, { ...some, pods: 4, overlapped: 4, plain: oneWrong, notCarriedOut: [reason, reason] });
  assert.deepEqual([third?.pods, third?.plain.wrong, third?.notCarriedOut], [0, 0, [reason]]);
  // Without an audit log it may as well be a pod that was never stored.
  assert.deepEqual(await old([none]), [{ ...none, notCarriedOut: [] }]);
});

test('the result of some provocations comes after that of all on the same nodes', async (t) => {
  const folder = await mkdtemp(join(tmpdir(), 'podtrail-results-'));
  t.after(() => rm(folder, { recursive: true }));
  for (const title of ['simulated-nodes-taint', 'simulated-nodes', 'real-nodes'])
    await writeResult(title, { ...run, title }, folder);
  assert.deepEqual(
    (await readResults(folder)).map(({ title }) => title),
    ['real-nodes', 'simulated-nodes', 'simulated-nodes-taint'],
  );
});

test('docs/causes.md is what the results of runs say: npm run proof -- causes --no-run', async () => {
  const page = await readFile(new URL('../../docs/causes.md', import.meta.url), 'utf8');
  assert.equal(page, causesPage(await readResults(), NOT_PROVOKED));
});
