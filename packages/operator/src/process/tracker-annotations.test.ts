import assert from 'node:assert/strict';
import { test } from 'node:test';
import { seededRandom } from '@podtrail/machinery';
import { aPod, ManualClock, type PodBuilder } from '@podtrail/machinery/testing';
import { FedInformer } from '../footprints/testing/fed-informer.ts';
import { FedNamespaces, FedTrackers, keptLog } from './testing/fed-trackers.ts';
import { TrackerAnnotations } from './tracker-annotations.ts';

function stage(t: { after(done: () => Promise<void>): void }) {
  const clock = new ManualClock();
  const pods = new FedInformer(clock);
  const namespaces = new FedNamespaces(clock);
  const trackers = new FedTrackers(clock);
  const { log, lines } = keptLog();
  const leading = { is: true };
  const reported = () => lines.filter(({ msg }) => msg === 'annotations');
  const isLeader = () => leading.is;
  const annotations = new TrackerAnnotations({
    ...{ pods, namespaces, trackers, clock, random: seededRandom(1), isLeader, log },
  });
  const stop = new AbortController();
  const running = annotations.run(stop.signal);
  t.after(async () => {
    stop.abort();
    await running;
  });
  return { clock, pods, namespaces, trackers, reported, leading };
}

const web = (annotations: Record<string, string>): PodBuilder =>
  aPod('web-1').inNamespace('shop').onNode('n1').withAnnotations(annotations);

test('changes are reported for the trackers that ask and select the pod, with the keys that they name, cut', async (t) => {
  const { clock, pods, trackers, reported } = stage(t);
  pods.list(web({}));
  trackers.put('ADDED', 'owners', { annotations: { enabled: true, keys: ['example.com/*'] } });
  trackers.put('ADDED', 'other', { namespaces: ['bank'], annotations: { enabled: true } });
  trackers.put('ADDED', 'silent', { annotations: { enabled: false } });
  await clock.advance(10);
  pods.change(web({ 'example.com/owner': 'x'.repeat(100), 'other/key': '1' }));
  await clock.advance(10);
  assert.deepEqual(
    reported().map(({ tracker, event, pod, changes }) => ({ tracker, event, pod, changes })),
    [
      {
        ...{ tracker: 'owners', event: 'UPDATED', pod: 'web-1' },
        changes: [{ change: 'added', key: 'example.com/owner', after: `${'x'.repeat(80)}…` }],
      },
    ],
  );
});

test('what kubectl last applied is reported only for trackers that name it', async (t) => {
  const { clock, pods, trackers, reported } = stage(t);
  pods.list(web({}));
  trackers.put('ADDED', 'all', { annotations: { enabled: true } });
  trackers.put('ADDED', 'kubectl', { annotations: { enabled: true, keys: ['kubectl.kubernetes.io/*'] } });
  await clock.advance(10);
  pods.change(web({ 'kubectl.kubernetes.io/last-applied-configuration': '{}' }));
  await clock.advance(10);
  assert.deepEqual(
    reported().map(({ tracker }) => tracker),
    ['kubectl'],
  );
});

test('nobody asks, somebody asks, nobody, somebody: only what changes while somebody asks is reported', async (t) => {
  const { clock, pods, trackers, reported } = stage(t);
  pods.list(web({}));
  trackers.put('ADDED', 'all', {});
  trackers.put('MODIFIED', 'all', {});
  let n = 0;
  const change = async () => {
    pods.change(web({ n: String(++n) }));
    await clock.advance(10);
  };
  await change();
  trackers.put('MODIFIED', 'all', { annotations: { enabled: true } });
  await clock.advance(10);
  await change();
  trackers.put('MODIFIED', 'all', {});
  await clock.advance(10);
  await change();
  trackers.put('MODIFIED', 'all', { annotations: { enabled: true } });
  await clock.advance(10);
  await change();
  trackers.put('DELETED', 'all', {});
  await clock.advance(10);
  await change();
  assert.deepEqual(
    reported().map(({ changes }) => (changes as { after: string }[])[0]?.after),
    ['2', '4'],
  );
});

test('a spec that changed through v1alpha1, with the generation of before, is noticed', async (t) => {
  const { clock, pods, trackers, reported } = stage(t);
  pods.list(web({}));
  trackers.put('ADDED', 'all', { annotations: { enabled: true, keys: ['a'] } }, { generation: 1 });
  await clock.advance(10);
  trackers.put('MODIFIED', 'all', { annotations: { enabled: true, keys: ['b'] } }, { generation: 1 });
  pods.change(web({ a: '1', b: '1' }));
  await clock.advance(10);
  assert.deepEqual(
    reported().flatMap(({ changes }) => (changes as { key: string }[]).map(({ key }) => key)),
    ['b'],
  );
});

test('a standby follows and reports nothing; a leader reports from then on', async (t) => {
  const { clock, pods, trackers, reported, leading } = stage(t);
  leading.is = false;
  pods.list(web({}));
  trackers.put('ADDED', 'all', { annotations: { enabled: true } });
  await clock.advance(10);
  pods.change(web({ n: '1' }));
  await clock.advance(10);
  assert.deepEqual(reported(), []);
  leading.is = true;
  pods.change(web({ n: '2' }));
  await clock.advance(10);
  assert.equal(reported().length, 1);
});
