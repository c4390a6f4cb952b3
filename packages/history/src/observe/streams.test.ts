// Each stream notices by itself that etcd was restored, some sooner than others.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { epochMillis } from '../model/time.ts';
import { Streams } from './streams.ts';

function aClusters(epoch = 1): Streams {
  const none = { checkpoint: undefined, resumed: undefined };
  return new Streams({ scope: { kind: 'cluster' }, alsoFollows: ['Service', 'Node'], epoch, ...none });
}

test('a stream that notices a rewind later than another does not turn the epoch back', () => {
  const streams = aClusters();
  const [pods, services] = [streams.of('Pod', undefined), streams.of('Service', undefined)];
  streams.rewind(pods);
  streams.rewind(pods);
  assert.equal(streams.epoch, 3);
  streams.rewind(services);
  assert.equal(services.epoch, 2);
  assert.equal(streams.epoch, 3);
  streams.rewind(services);
  assert.equal(streams.epoch, 3);
  streams.rewind(services);
  assert.equal(streams.epoch, 4, 'now it is the first to notice');
  assert.equal(streams.podEpoch, 3);
});

test('nobody resumes from a position of before a rewind that another stream has noticed', () => {
  const streams = aClusters();
  const services = streams.of('Service', undefined);
  services.restart('100', epochMillis(1_000_000));
  assert.deepEqual(
    streams.otherPositions.map(({ kind, resourceVersion }) => [kind, resourceVersion]),
    [['Service', '100']],
  );
  streams.rewind(streams.of('Pod', undefined));
  assert.deepEqual(streams.otherPositions, []);
  streams.rewind(services);
  services.restart('50', epochMillis(2_000_000));
  assert.deepEqual(
    streams.otherPositions.map(({ kind, resourceVersion }) => [kind, resourceVersion]),
    [['Service', '50']],
  );
});
