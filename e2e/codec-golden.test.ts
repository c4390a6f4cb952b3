// The codec against the serialized objects that Kubernetes itself ships for its own compatibility tests, for each release
// that the Go module k8s.io/api holds: both formats of one object must give one view. Nothing of them is copied here.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { eventCodec, metadataCodec, nodeCodec, type ObjectCodec, podCodec, serviceCodec } from '@podtrail/machinery';

/** The folder of the module that our control plane is built from; its version is pinned there. */
const MODULE = fileURLToPath(new URL('controlplane/binaries/kubernetes', import.meta.url));

function goldenFolder(): string {
  const go = (...args: string[]) => execFileSync('go', args, { cwd: MODULE, encoding: 'utf8' });
  const found = JSON.parse(go('mod', 'download', '-json', 'k8s.io/api')) as { Dir?: string };
  assert.ok(found.Dir, 'go mod download names no folder for k8s.io/api');
  return join(found.Dir, 'testdata');
}

const kinds: Record<string, ObjectCodec<{ readonly metadata: object }>> = {
  'core.v1.Pod': podCodec,
  'core.v1.Node': nodeCodec,
  'core.v1.Service': serviceCodec,
  'events.k8s.io.v1.Event': eventCodec,
};

const folder = goldenFolder();
const releases = readdirSync(folder, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name);

interface Golden {
  readonly bytes: Buffer;
  readonly start: number;
  readonly end: number;
  readonly json: unknown;
}

function read(file: string): Golden {
  const bytes = readFileSync(`${file}.pb`);
  return { bytes, ...objectRange(bytes), json: JSON.parse(readFileSync(`${file}.json`, 'utf8')) };
}

/** `k8s\0`, then field 1 (what it is), then field 2: the object. Read here without the codec's help. */
function objectRange(bytes: Buffer): { start: number; end: number } {
  assert.equal(bytes.toString('latin1', 0, 5), 'k8s\0\n');
  let pos = 6 + bytes[5]!;
  assert.equal(bytes[pos++], 0x12);
  let length = 0;
  for (let shift = 0; ; shift += 7) {
    const byte = bytes[pos++]!;
    length |= (byte & 127) << shift;
    if (byte < 128) return { start: pos, end: pos + length };
  }
}

describe('the golden files of k8s.io/api', () => {
  it('are there for several releases', () => {
    assert.ok(releases.includes('HEAD'));
    assert.ok(releases.length >= 3, releases.join());
  });

  for (const release of releases) {
    for (const [name, codec] of Object.entries(kinds)) {
      // A release may also hold what its successor wrote after a round trip through it.
      for (const suffix of ['', '.after_roundtrip']) {
        const file = join(folder, release, name + suffix);
        if (suffix !== '' && !(existsSync(`${file}.pb`) && existsSync(`${file}.json`))) continue;
        it(`${release}: ${name}${suffix} is the same view from protobuf and from JSON`, () => {
          const { bytes, start, end, json } = read(file);
          assert.deepEqual(codec.fromProtobuf!(bytes, start, end), codec.fromJson(json));
          assert.deepEqual(metadataCodec.fromProtobuf!(bytes, start, end), metadataCodec.fromJson(json));
        });
      }
    }
  }
});

/** In these files a string field holds its own name and "Value"; times and numbers hold what the JSON file says. */
describe('the views of the golden files', () => {
  const view = <T>(codec: ObjectCodec<T>, name: string): T => {
    const { bytes, start, end } = read(join(folder, 'HEAD', name));
    return codec.fromProtobuf!(bytes, start, end);
  };

  it('hold what the pod says', () => {
    const { metadata, spec, status } = view(podCodec, 'core.v1.Pod');
    assert.equal(metadata.name, 'nameValue');
    assert.equal(metadata.namespace, 'namespaceValue');
    assert.equal(metadata.uid, 'uidValue');
    assert.equal(metadata.resourceVersion, 'resourceVersionValue');
    assert.equal(metadata.creationTimestamp, Date.UTC(2008, 0, 1, 1, 1, 1));
    assert.equal(metadata.deletionTimestamp, Date.UTC(2009, 0, 1, 1, 1, 1));
    assert.equal(metadata.deletionGracePeriodSeconds, 10);
    assert.deepEqual([...metadata.labels], [['labelsKey', 'labelsValue']]);
    assert.deepEqual([...metadata.annotations], [['annotationsKey', 'annotationsValue']]);
    assert.equal(metadata.ownerReferences[0]?.kind, 'kindValue');
    assert.equal(metadata.ownerReferences[0]?.controller, true);
    assert.deepEqual(metadata.finalizers, ['finalizersValue']);
    assert.equal(spec.nodeName, 'nodeNameValue');
    assert.equal(spec.hostNetwork, true);
    assert.equal(spec.priority, 25);
    assert.equal(status.phase, 'phaseValue');
    assert.equal(status.podIP, 'podIPValue');
    assert.deepEqual(status.podIPs, ['ipValue']);
    assert.equal(status.hostIP, 'hostIPValue');
    assert.equal(status.startTime, Date.UTC(2007, 0, 1, 1, 1, 1));
    assert.equal(status.conditions[0]?.lastTransitionTime, Date.UTC(2004, 0, 1, 1, 1, 1));
    assert.deepEqual(
      status.terminations.map((t) => `${t.kind} ${t.current}`),
      ['regular true', 'regular false', 'init true', 'init false', 'ephemeral true', 'ephemeral false'],
    );
    assert.deepEqual(
      { ...status.terminations[3] },
      {
        container: 'nameValue',
        kind: 'init',
        current: false,
        exitCode: 1,
        signal: 2,
        reason: 'reasonValue',
        message: 'messageValue',
        startedAt: Date.UTC(2005, 0, 1, 1, 1, 1),
        finishedAt: Date.UTC(2006, 0, 1, 1, 1, 1),
        restartCount: 5,
      },
    );
  });

  it('hold what the node says', () => {
    const { spec, status } = view(nodeCodec, 'core.v1.Node');
    assert.deepEqual(spec.podCIDRs, ['podCIDRsValue']);
    assert.equal(spec.unschedulable, true);
    assert.equal(spec.taints[0]?.timeAdded, Date.UTC(2004, 0, 1, 1, 1, 1));
    assert.equal(spec.providerID, 'providerIDValue');
    assert.equal(status.capacity.get('capacityKey'), '0');
    assert.equal(status.allocatable.get('allocatableKey'), '0');
    assert.equal(status.addresses[0]?.address, 'addressValue');
    assert.equal(status.conditions[0]?.lastHeartbeatTime, Date.UTC(2003, 0, 1, 1, 1, 1));
    assert.equal(status.nodeInfo.bootID, 'bootIDValue');
    assert.equal(status.nodeInfo.machineID, 'machineIDValue');
    assert.equal(status.nodeInfo.kubeletVersion, 'kubeletVersionValue');
  });

  it('hold what the service says', () => {
    const { spec, status } = view(serviceCodec, 'core.v1.Service');
    assert.equal(spec.type, 'typeValue');
    assert.equal(spec.clusterIP, 'clusterIPValue');
    assert.deepEqual(spec.clusterIPs, ['clusterIPsValue']);
    assert.deepEqual(spec.externalIPs, ['externalIPsValue']);
    assert.equal(spec.externalName, 'externalNameValue');
    assert.equal(spec.selector.get('selectorKey'), 'selectorValue');
    assert.equal(status.loadBalancer.ingress[0]?.ip, 'ipValue');
    assert.equal(status.loadBalancer.ingress[0]?.hostname, 'hostnameValue');
  });

  it('hold what the event says', () => {
    const event = view(eventCodec, 'events.k8s.io.v1.Event');
    assert.equal(event.eventTime, Date.UTC(2002, 0, 1, 1, 1, 1));
    assert.equal(event.note, 'noteValue');
    assert.equal(event.reason, 'reasonValue');
    assert.equal(event.regarding.uid, 'uidValue');
    assert.equal(event.related?.kind, 'kindValue');
    assert.equal(event.reportingController, 'reportingControllerValue');
    assert.equal(event.series?.count, 1);
    assert.equal(event.deprecatedSource.component, 'componentValue');
    assert.equal(event.deprecatedCount, 15);
    assert.equal(event.deprecatedLastTimestamp, Date.UTC(2014, 0, 1, 1, 1, 1));
  });
});
