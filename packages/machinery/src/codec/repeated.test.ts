import assert from 'node:assert/strict';
import { test } from 'node:test';
import { metadataCodec } from './metadata-codec.ts';
import { nodeCodec } from './node-codec.ts';
import { podCodec } from './pod-codec.ts';
import { serviceCodec } from './service-codec.ts';

/** A field of an embedded message or text, below 16,384 bytes. */
function field(number: number, content: Buffer | string): Buffer {
  const bytes = Buffer.from(content);
  const length = bytes.length < 128 ? [bytes.length] : [(bytes.length & 127) | 128, bytes.length >> 7];
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), bytes]);
}

function long(number: number, parts: readonly Buffer[]): Buffer {
  const bytes = Buffer.concat(parts);
  const length: number[] = [];
  let left = bytes.length;
  for (; left > 127; left = Math.floor(left / 128)) length.push((left & 127) | 128);
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length, left]), bytes]);
}

const entry = (key: string, value: string): Buffer => Buffer.concat([field(1, key), field(2, value)]);
const LABEL = 11;
const ANNOTATION = 12;
const FINALIZER = 14;

/** Two fields in turn, so that every entry is a run of its own. */
function inTurn(count: number): Buffer[] {
  return Array.from({ length: count }, (_, i) => [
    field(LABEL, entry(`l${i}`, `${i}`)),
    field(ANNOTATION, entry(`a${i % 1000}`, `${i}`)),
    field(FINALIZER, `f${i}`),
  ]).flat();
}

test('runs that are apart from each other belong together; of a repeated key the last value wins', () => {
  const bytes = long(1, inTurn(2_500));
  const { metadata } = metadataCodec.fromProtobuf!(bytes, 0, bytes.length);
  assert.equal(metadata.labels.size, 2_500);
  assert.equal(metadata.labels.get('l17'), '17');
  assert.equal(metadata.annotations.size, 1_000);
  assert.equal(metadata.annotations.get('a17'), '2017');
  assert.deepEqual(metadata.finalizers.slice(0, 3), ['f0', 'f1', 'f2']);
  const keys = [...metadata.labels.keys()];
  assert.deepEqual(keys, keys.toSorted(), 'in the order that equality and lookup rest on');
});

test('a run that many objects share is not changed by an object that goes on with it', () => {
  const owner = (name: string) => field(13, Buffer.concat([field(1, 'ReplicaSet'), field(3, name)]));
  const read = (parts: Buffer[]) => {
    const bytes = long(1, parts);
    return metadataCodec.fromProtobuf!(bytes, 0, bytes.length).metadata;
  };
  const plain = [field(LABEL, entry('app', 'web')), owner('one')];
  for (let i = 0; i < 3; i++) {
    const more = read([...plain, field(FINALIZER, 'x'), field(LABEL, entry('more', 'yes')), owner('two')]);
    assert.deepEqual([more.labels.get('more'), more.ownerReferences.length], ['yes', 2]);
    const alone = read(plain);
    assert.deepEqual([alone.labels.size, alone.ownerReferences.length], [1, 1]);
  }
});

test('what a broken object left unfinished does not reach the next one', () => {
  const broken = Buffer.concat([long(1, inTurn(3)), Buffer.from([0x0a, 0x7f])]);
  assert.throws(() => metadataCodec.fromProtobuf!(broken, 0, broken.length), /malformed/);
  const bytes = long(1, inTurn(2));
  assert.deepEqual([...metadataCodec.fromProtobuf!(bytes, 0, bytes.length).metadata.labels.keys()], ['l0', 'l1']);
});

/** Above the 1.5 MB that etcd takes: nothing larger comes. */
const LARGE = 60_000;
/** Of the CPU: other work on the machine does not count. */
const WITHIN_MS = 5_000;

for (const [what, codec, bytes] of [
  ['labels, annotations and finalizers in turn', metadataCodec, () => long(1, inTurn(LARGE))],
  [
    'metadata that is itself in many pieces',
    metadataCodec,
    () => Buffer.concat(inTurn(LARGE).map((part) => field(1, part))),
  ],
  ['conditions and addresses of a pod in turn', podCodec, () => long(3, turns(2, 12, entry('10.0.0.1', 'x')))],
  ['containers of a pod that ended', podCodec, () => long(3, turns(8, 10, ended()))],
  ['capacity and allocatable of a node in turn', nodeCodec, () => long(4, turns(1, 2, entry('cpu', '')))],
  ['external and cluster addresses of a Service in turn', serviceCodec, () => long(2, turns(5, 2, entry('a', 'b')))],
] as const) {
  test(`an object is read in time that grows with its size: ${what}`, () => {
    const object = bytes();
    const begun = process.cpuUsage();
    codec.fromProtobuf!(object, 0, object.length);
    const ms = process.cpuUsage(begun).user / 1_000;
    assert.ok(ms < WITHIN_MS, `${(object.length / 1e6).toFixed(1)} MB took ${ms.toFixed(0)} ms`);
  });
}

function turns(a: number, b: number, content: Buffer): Buffer[] {
  return Array.from({ length: LARGE }, () => [field(a, content), field(b, content)]).flat();
}

/** A ContainerStatus whose state is `terminated`. */
function ended(): Buffer {
  return field(2, field(3, Buffer.from([0x08, 0x01])));
}
