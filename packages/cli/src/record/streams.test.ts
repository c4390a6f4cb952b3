// What the two roles of a recorded stream mean, shown by taking one of each away.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { CONFIG_MAPS, HealthChecks, metadataCodec, POD } from '@podtrail/machinery';
import { RECORDED_STREAMS, type RecorderListener, stream } from '@podtrail/operator';
import { addRecorderReadiness } from '@podtrail/operator/monitoring';
import { FaultStage } from '../testing/fault-stage.ts';
import { RecordedSandbox } from '../testing/recorded-sandbox.ts';

const FOR_EVER = Number.MAX_SAFE_INTEGER;

/** A made-up kind of evidence: one entry. What it delivers is noted, and nothing is concluded from it. */
function withEvidence() {
  const delivered: string[] = [];
  const evidence = stream({
    resource: CONFIG_MAPS,
    codec: metadataCodec,
    role: 'evidence',
    isNamespaced: true,
    observe: ({ kind, object }) => {
      delivered.push(`${kind} ${object.metadata.name}`);
      return [];
    },
  });
  return { delivered, streams: [...RECORDED_STREAMS, evidence] };
}

/** The open watch is cut at its next event, and from then on every request for this kind is refused. */
function takeAway(stage: FaultStage, resource: string, makeAnEvent: () => void): void {
  stage.switchboard.arm({ kind: 'cut', on: { resource } });
  stage.switchboard.arm({ kind: 'refuse', code: 403, on: { resource }, times: FOR_EVER });
  makeAnEvent();
}

async function readiness({ recorder }: RecordedSandbox, clock: FaultStage['clock']): Promise<string[]> {
  const checks = new HealthChecks();
  addRecorderReadiness(checks, recorder, clock);
  const { checks: results } = await checks.report();
  return results.flatMap(({ name, ok }) => (ok ? [] : name));
}

const configMap = (stage: FaultStage, name: string) =>
  void stage.api.create('configmaps', { metadata: { name, namespace: 'default' } });

test('an evidence stream is one entry; when it is lost, answers, coverage and readiness are as before', async (t) => {
  const stage = await FaultStage.start(t, { bookmarkMillis: 1_000 });
  const { delivered, streams } = withEvidence();
  stage.pod('web', { ip: '10.0.0.7' });
  configMap(stage, 'listed');
  const recorded = await RecordedSandbox.start(stage, { streams });
  configMap(stage, 'added');
  await stage.until('evidence is delivered', () => delivered.includes('added added'));
  assert.deepEqual(delivered, ['added listed', 'added added']);

  takeAway(stage, 'configmaps', () => configMap(stage, 'lost'));
  const evidence = () => recorded.recorder.status.streams.find(({ role }) => role === 'evidence');
  await stage.until('the evidence stream is lost', () => evidence()?.current === false);
  await stage.leap(120_000);
  stage.pod('late', { ip: '10.0.0.8' });
  await recorded.current();

  assert.deepEqual(evidence()?.current, false, 'it is seen in the status');
  assert.deepEqual(delivered, ['added listed', 'added added'], 'and nothing of it came');
  const { synced, current, problems } = recorded.recorder.status;
  assert.deepEqual({ synced, current, problems }, { synced: true, current: true, problems: [] });
  assert.deepEqual(await readiness(recorded, stage.clock), []);
  assert.equal((await recorded.stretches()).length, 1, 'no gap');
  assert.deepEqual(
    [await recorded.says('10.0.0.7'), await recorded.says('10.0.0.8'), await recorded.says('10.0.0.9')],
    ['held web', 'held late', 'free'],
  );
});

test('an evidence stream that may not be read from the start keeps nobody from recording', async (t) => {
  const stage = await FaultStage.start(t, { bookmarkMillis: 1_000 });
  stage.switchboard.arm({ kind: 'refuse', code: 403, on: { resource: 'configmaps' }, times: FOR_EVER });
  stage.pod('web', { ip: '10.0.0.7' });
  const recorded = await RecordedSandbox.start(stage, { streams: withEvidence().streams });
  assert.equal(recorded.recorder.status.synced, true);
  assert.deepEqual(await readiness(recorded, stage.clock), []);
  assert.deepEqual([await recorded.says('10.0.0.7'), await recorded.says('10.0.0.9')], ['held web', 'free']);
});

test('when a stream of claims is lost the recorder is not ready, and what follows is unknown', async (t) => {
  const stage = await FaultStage.start(t, { bookmarkMillis: 1_000 });
  stage.pod('web', { ip: '10.0.0.7' });
  const recorded = await RecordedSandbox.start(stage);
  takeAway(stage, 'services', () =>
    stage.api.create('services', { metadata: { name: 'cut', namespace: 'default' }, spec: { ports: [{ port: 80 }] } }),
  );
  await stage.until('the claims stream is lost', () => !recorded.recorder.status.current);
  await stage.leap(60_000);
  assert.deepEqual((await readiness(recorded, stage.clock)).sort(), ['coverage', 'watch-services']);
  const now = stage.clock.now();
  const [held, free] = [await recorded.says('10.0.0.7', now), await recorded.says('10.0.0.9', now)];
  assert.match(free, /^unknown/);
  assert.match(held, /^unknown/);
});

test('an evidence stream whose observer throws is given up delta by delta, and nothing else is held back', async (t) => {
  const stage = await FaultStage.start(t, { bookmarkMillis: 1_000 });
  const failures: string[] = [];
  const broken = stream({
    resource: CONFIG_MAPS,
    codec: metadataCodec,
    role: 'evidence',
    isNamespaced: true,
    observe: () => {
      throw new Error('this evidence cannot be read');
    },
  });
  configMap(stage, 'unreadable');
  stage.pod('web', { ip: '10.0.0.7' });
  const recorded = await RecordedSandbox.start(stage, {
    streams: [...RECORDED_STREAMS, broken],
    listener: {
      handlerFailed: (resource, { givenUp }) => void (givenUp && failures.push(resource)),
    },
  });
  await stage.until('it is given up', () => failures.length > 0);
  await recorded.current();
  assert.deepEqual(failures, ['configmaps']);
  assert.deepEqual(await readiness(recorded, stage.clock), []);
  assert.equal(await recorded.says('10.0.0.7'), 'held web');
});

test('evidence that cannot be understood is reported once, and who held what is recorded as ever', async (t) => {
  const stage = await FaultStage.start(t, { bookmarkMillis: 1_000 });
  const problems: string[] = [];
  const hostile = stream({
    resource: CONFIG_MAPS,
    codec: metadataCodec,
    role: 'evidence',
    isNamespaced: true,
    observe: (_delta, at) => {
      const evidence = {
        get about(): never {
          throw new Error('about nobody');
        },
      };
      return [{ kind: 'evidence', evidence: evidence as never, at }];
    },
  });
  configMap(stage, 'one');
  configMap(stage, 'another');
  stage.pod('web', { ip: '10.0.0.7' });
  const recorded = await RecordedSandbox.start(stage, {
    causes: true,
    streams: [...RECORDED_STREAMS, hostile],
    listener: {
      evidenceChanged: ({ resource, problem }) => void (resource === 'causes' && problems.push(problem ?? '')),
    },
  });
  await stage.until('it is reported', () => problems.length > 0);
  await recorded.current();
  assert.deepEqual(problems, ['an observation could not be understood: about nobody']);
  assert.deepEqual(await readiness(recorded, stage.clock), []);
  assert.equal(await recorded.says('10.0.0.7'), 'held web');
});

test('a rewind that one stream of claims shows is listed by every other stream, evidence included, each once', async (t) => {
  const stage = await FaultStage.start(t, { bookmarkMillis: 1_000 });
  stage.pod('web', { ip: '10.0.0.7' });
  const recorded = await RecordedSandbox.start(stage, { streams: withEvidence().streams });
  const listings = () => {
    const asked = stage.requests.filter(({ verb, query }) => verb === 'watch' && query.has('sendInitialEvents'));
    return ['pods', 'services', 'nodes', 'configmaps'].map(
      (resource) => asked.filter((request) => request.resource === resource).length,
    );
  };
  await stage.until('all are listed', () => listings().every((count) => count === 1));
  recorded.recorder.caches?.pods.rewound();
  await stage.until('all are listed again', () => listings().every((count) => count > 1));
  await recorded.current();
  assert.deepEqual(listings(), [2, 2, 2, 2]);
  assert.equal(await recorded.says('10.0.0.7'), 'held web');
});

test('what cannot be taken in ends the recorder: it does not go on with a ledger that lacks it', async (t) => {
  const stage = await FaultStage.start(t, { bookmarkMillis: 1_000 });
  const pods = stream({
    ...{ ...POD, role: 'claims', kind: 'Pod', isNamespaced: true },
    observe: (pod) => ({ kind: 'Pod', object: pod.metadata.name === 'odd' ? { ...pod, status: null as never } : pod }),
  });
  const others = RECORDED_STREAMS.filter(({ resource }) => resource !== POD.resource);
  stage.pod('web', { ip: '10.0.0.7' });
  const recorded = await RecordedSandbox.start(stage, { streams: [pods, ...others] });
  stage.pod('odd', { ip: '10.0.0.8' });
  await stage.until('the recorder has ended', () => recorded.hasEnded);
  await assert.rejects(recorded.ended, { code: 'observing-failed' });
  assert.equal(await recorded.says('10.0.0.7'), 'held web', 'what was stored before is whole');
});

test('when a stream of claims loses the server, one that is not open is compared before it goes on', async (t) => {
  const stage = await FaultStage.start(t, { bookmarkMillis: 1_000 });
  stage.pod('web', { ip: '10.0.0.7' });
  const service = (name: string) =>
    stage.api.create('services', { metadata: { name, namespace: 'default' }, spec: { ports: [{ port: 80 }] } });
  const waiting = new Set<string>();
  const listener: RecorderListener = {
    watchChanged: (resource, { kind }) => void (kind === 'waiting' ? waiting.add(resource) : waiting.delete(resource)),
  };
  const recorded = await RecordedSandbox.start(stage, { consistencyMs: FOR_EVER, listener });
  await stage.leap(6_000);
  // The server ends the watch of services and refuses the next one: no connection breaks.
  stage.switchboard.arm({ kind: 'end', on: { resource: 'services' } });
  stage.switchboard.arm({ kind: 'refuse', code: 429, retryAfterSeconds: 20, on: { resource: 'services' } });
  service('ended');
  await stage.until('the watch of services waits', () => waiting.has('services'));
  const begun = stage.requests.length;
  stage.switchboard.arm({ kind: 'cut', on: { resource: 'pods' } });
  stage.pod('cut');
  await stage.until('the watch of services is opened again', () => !waiting.has('services'));
  await recorded.current();
  const asked = stage.requests.slice(begun).filter(({ resource }) => resource === 'services');
  assert.deepEqual(
    asked.map(({ verb }) => verb),
    ['list', 'watch'],
    'compared first',
  );
});
