import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DecodeError } from '../errors.ts';
import { fullPod } from '../testing/full-objects.ts';
import { encodePod } from '../testing/protobuf-writer.ts';
import { podCodec } from './codec.ts';
import type { PodView } from './pod-view.ts';

const decode = (pod: Record<string, unknown>): PodView => {
  const bytes = encodePod(pod);
  return podCodec.fromProtobuf!(bytes, 0, bytes.length);
};

describe('podCodec', () => {
  it('reads every declared field', () => {
    const { metadata, spec, status } = decode(fullPod);
    assert.equal(metadata.name, 'cart-7d9-x2k');
    assert.equal(metadata.resourceVersion, '18446744073709551617');
    assert.equal(metadata.creationTimestamp, Date.UTC(2026, 10, 15, 10));
    assert.equal(metadata.deletionTimestamp, Date.UTC(2026, 10, 15, 11));
    assert.equal(metadata.deletionGracePeriodSeconds, 30);
    assert.equal(metadata.annotations.get('note'), 'Grüße, 世界 🚀');
    assert.equal(metadata.annotations.get('example.com/long')?.length, 200);
    assert.equal(metadata.annotations.get('empty'), '');
    assert.deepEqual(
      metadata.ownerReferences.map((o) => ({ ...o })),
      [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'cart-7d9', uid: 'rs-1', controller: true },
        { apiVersion: 'v1', kind: 'ConfigMap', name: 'other', uid: 'cm-1', controller: false },
      ],
    );
    assert.deepEqual(metadata.finalizers, ['example.com/one', 'example.com/two']);
    assert.deepEqual(
      { ...spec },
      {
        nodeName: 'worker-2',
        hostNetwork: true,
        priority: -5,
        priorityClassName: 'high',
        terminationGracePeriodSeconds: 30,
      },
    );
    assert.equal(status.phase, 'Running');
    assert.equal(status.reason, 'Evicted');
    assert.equal(status.message, 'The node was low on resource: memory.');
    assert.equal(status.hostIP, '192.168.0.2');
    assert.equal(status.podIP, '10.1.2.3');
    assert.deepEqual(status.podIPs, ['10.1.2.3', 'fd00::3']);
    assert.equal(status.startTime, Date.UTC(2026, 10, 15, 10, 0, 1));
    assert.equal(status.qosClass, 'Burstable');
    assert.deepEqual(
      { ...status.conditions[1] },
      {
        type: 'DisruptionTarget',
        status: 'True',
        lastTransitionTime: Date.UTC(2026, 10, 15, 10, 59, 59),
        reason: 'EvictionByEvictionAPI',
        message: 'Eviction API: evicting',
      },
    );
  });

  it('gathers how containers ended, now and before their restart, and nothing of those that run', () => {
    const short = decode(fullPod).status.terminations.map(
      (t) => `${t.kind} ${t.container} ${t.current ? 'now' : 'before'} ${t.exitCode} ${t.reason} ×${t.restartCount}`,
    );
    assert.deepEqual(short, [
      'regular app before 137 OOMKilled ×4',
      'regular twice now 1 Error ×1',
      'regular twice before -1 Error ×1',
      'init init now 0 Completed ×0',
      'ephemeral debug now 2 Error ×0',
    ]);
    assert.deepEqual(
      { ...decode(fullPod).status.terminations[0] },
      {
        container: 'app',
        kind: 'regular',
        current: false,
        exitCode: 137,
        signal: 9,
        reason: 'OOMKilled',
        message: 'out of memory',
        startedAt: Date.UTC(2026, 10, 15, 10, 1),
        finishedAt: Date.UTC(2026, 10, 15, 10, 2),
        restartCount: 4,
      },
    );
  });

  it('reads since when containers run, and whether some are still to be made, alike from protobuf and JSON', () => {
    const running = (startedAt: string) => ({ state: { running: { startedAt } }, lastState: { running: {} } });
    const waiting = (reason: string) => ({ state: { waiting: { reason, message: 'soon' } } });
    const cases: [Record<string, unknown>, number | undefined, boolean][] = [
      [{ containerStatuses: [running('2026-11-15T10:00:05Z')] }, Date.UTC(2026, 10, 15, 10, 0, 5), false],
      [
        {
          containerStatuses: [waiting('ContainerCreating'), running('2026-11-15T10:00:05Z')],
          initContainerStatuses: [running('2026-11-15T10:00:02Z')],
        },
        Date.UTC(2026, 10, 15, 10, 0, 2),
        true,
      ],
      [{ containerStatuses: [waiting('PodInitializing')] }, undefined, true],
      [{ containerStatuses: [waiting('CrashLoopBackOff')] }, undefined, false],
      [{}, undefined, false],
    ];
    for (const [status, runningSince, creating] of cases) {
      for (const view of [decode({ status }), podCodec.fromJson({ status })]) {
        assert.deepEqual(
          { runningSince: view.status.runningSince, creating: view.status.creating },
          { runningSince, creating },
        );
      }
    }
  });

  it('shares labels, owners and conditions between pods that have the same, and never mixes them up', () => {
    const pod = (app: string) => ({
      metadata: { labels: { app }, ownerReferences: [{ kind: 'ReplicaSet', name: app, uid: app }] },
      status: { conditions: [{ type: 'Ready', status: app, lastTransitionTime: '2026-11-15T10:00:00Z' }] },
    });
    const views = ['a', 'b', 'a', 'b', 'a', 'b'].map((app) => decode(pod(app)));
    for (const [i, view] of views.entries()) {
      const app = i % 2 === 0 ? 'a' : 'b';
      assert.equal(view.metadata.labels.get('app'), app);
      assert.equal(view.metadata.ownerReferences[0]?.name, app);
      assert.equal(view.status.conditions[0]?.status, app);
    }
    assert.equal(views[2]?.metadata.labels, views[4]?.metadata.labels);
    assert.equal(views[2]?.metadata.ownerReferences, views[4]?.metadata.ownerReferences);
    assert.equal(views[3]?.status.conditions[0], views[5]?.status.conditions[0]);
  });

  it('names the field of a JSON pod that has the wrong type', () => {
    const cases: [Record<string, unknown>, RegExp][] = [
      [{ spec: { nodeName: 5 } }, /nodeName should be a string but is number/],
      [{ spec: { hostNetwork: 'yes' } }, /hostNetwork/],
      [{ spec: { priority: 1.5 } }, /priority should be an integer/],
      [{ status: { podIPs: {} } }, /podIPs should be a list/],
      [{ status: { podIPs: ['10.0.0.1'] } }, /podIPs should be an object/],
      [{ metadata: { labels: { a: 1 } } }, /labels\.a should be a string/],
      [{ metadata: { finalizers: [{}] } }, /finalizers/],
      [{ metadata: { creationTimestamp: 'yesterday' } }, /creationTimestamp should be an RFC 3339 time/],
      [{ metadata: { creationTimestamp: 'Nov 15 2026' } }, /creationTimestamp/],
      [{ metadata: { creationTimestamp: '2026-11-15T10:00:00' } }, /creationTimestamp/],
      [{ metadata: { creationTimestamp: '2026-13-15T10:00:00Z' } }, /creationTimestamp/],
      [{ metadata: { creationTimestamp: 1_700_000_000 } }, /creationTimestamp/],
    ];
    for (const [pod, message] of cases) {
      assert.throws(
        () => podCodec.fromJson(pod),
        (e) => e instanceof DecodeError && message.test(e.message),
      );
    }
  });

  it('reads JSON times with offsets and fractions', () => {
    const at = (creationTimestamp: string) => podCodec.fromJson({ metadata: { creationTimestamp } }).metadata;
    assert.equal(at('2026-11-15T12:00:00+02:00').creationTimestamp, Date.UTC(2026, 10, 15, 10));
    assert.equal(at('2026-11-15T10:00:00.123456789Z').creationTimestamp, Date.UTC(2026, 10, 15, 10, 0, 0, 123));
    assert.equal(at('0001-01-01T00:00:00Z').creationTimestamp, undefined);
  });

  it('is not misled by JSON keys that every object inherits', () => {
    const pod = podCodec.fromJson(JSON.parse('{"metadata":{"labels":{"__proto__":"x","constructor":"y"}}}'));
    assert.deepEqual(
      [...pod.metadata.labels],
      [
        ['__proto__', 'x'],
        ['constructor', 'y'],
      ],
    );
  });
});
