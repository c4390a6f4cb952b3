// Commands that a replica runs for a caller, and of which it does not know all: other replicas are asked, and named.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Engine, type JoinedReader, openStore, type PeerReport, withSnapshot } from '@podtrail/history';
import { ALL_VISIBLE } from '@podtrail/history/wire';
import { systemRandom } from '@podtrail/machinery';
import { ManualClock } from '@podtrail/machinery/testing';
import { AskedLedger } from '@podtrail/operator/serving';
import { aStory, at, CLUSTER } from '../testing/story.ts';
import { commandRunner } from './command-runner.ts';

const SILENT: PeerReport = { collector: 'replica-2', answered: false, why: 'did not answer in time' };
const THERE: PeerReport = { collector: 'replica-1', answered: true };

/** A replica with a ledger that has recorded nothing yet; what its peers know is in the other one. */
async function runner(peers: readonly PeerReport[], other: Engine) {
  const own = await openStore('memory:', { access: 'write' });
  await (await own.takeOver(CLUSTER)).append({ facts: [] });
  const reader: JoinedReader = {
    clusters: async () => [CLUSTER],
    snapshot: (cluster) => own.snapshot(cluster),
    joined: async (cluster, ask) => ({
      value: peers.some(({ answered }) => answered) ? await withSnapshot(other, cluster, ask) : undefined,
      peers,
    }),
  };
  const clock = new ManualClock(at(201));
  const run = commandRunner(new AskedLedger(reader, clock), { clock, random: systemRandom });
  return (text: string) =>
    run(
      { words: text.split(' '), zone: 'UTC', namespace: null, colour: false },
      { caller: { name: 'jane' }, visibility: ALL_VISIBLE, signal: new AbortController().signal },
    );
}

test('a command that a replica cannot answer is answered from its peers, which are named', async () => {
  const run = await runner([THERE, SILENT], await aStory());
  const { exitCode, out, err } = await run('who 10.0.0.7 --at 2026-11-15T10:00:30Z -o json');
  const document = JSON.parse(out);
  assert.deepEqual([exitCode, document.answer, document.holders[0].name], [0, 'held', 'web-1']);
  assert.deepEqual(document.peers, [THERE, SILENT]);
  assert.equal('collector' in document.evidence[0], true);
  assert.match(err, /^asked the replica replica-1, too: /m);
  assert.match(err, /^the replica replica-2 did not answer in time: what only it recorded is missing here$/m);
  for (const [command, found] of [
    ['trail 10.0.0.7 --since 1h', /web-1/],
    ['node node-a --at 2026-11-15T10:00:30Z', /web-1/],
    ['changes db-0 -n shop --since 1h', /db-0/],
  ] as const) {
    const ran = await run(command);
    assert.match(ran.out, found, `${command}: ${ran.err}`);
    assert.match(ran.err, /^asked the replica replica-1, too: /m, command);
  }
});

test('where no peer answers the command says what it knows itself, and who did not answer', async () => {
  const run = await runner([SILENT], await aStory());
  const { exitCode, out, err } = await run('who 10.0.0.7 --at 2026-11-15T10:00:30Z -o json');
  const document = JSON.parse(out);
  assert.deepEqual([exitCode, document.answer, document.peers], [5, 'unknown', [SILENT]]);
  assert.match(err, /^the replica replica-2 did not answer in time/m);
  assert.doesNotMatch(err, /too: /);
});

test('what a replica knows itself is printed without any peer', async () => {
  const engine = await aStory();
  const clock = new ManualClock(at(201));
  const reader: JoinedReader = {
    clusters: () => engine.clusters(),
    snapshot: (cluster) => engine.snapshot(cluster),
    joined: () => assert.fail('a peer was asked'),
  };
  const run = commandRunner(new AskedLedger(reader, clock), { clock, random: systemRandom });
  const { exitCode, err } = await run(
    { words: ['who', '10.0.0.7', '--at', '2026-11-15T10:00:30Z'], zone: 'UTC', namespace: null, colour: false },
    { caller: { name: 'jane' }, visibility: ALL_VISIBLE, signal: new AbortController().signal },
  );
  assert.equal(exitCode, 0);
  assert.doesNotMatch(err, /replica/);
});
