import assert from 'node:assert/strict';
import { test } from 'node:test';
import { AuditReader, type DamagedLine } from './audit-reader.ts';
import type { AuditedAction } from './audited-action.ts';
import { anEvent, type EventFields, inWords } from './testing/an-event.ts';

interface Read {
  readonly actions: AuditedAction[];
  readonly damaged: DamagedLine[];
  readonly reader: AuditReader;
}

function read(
  inputs: readonly (string | Uint8Array)[],
  options: { longestLine?: number; mostPending?: number } = {},
): Read {
  const actions: AuditedAction[] = [];
  const damaged: DamagedLine[] = [];
  const reader = new AuditReader({
    ...options,
    onAction: (action) => actions.push(action),
    onDamaged: (line) => damaged.push(line),
  });
  for (const [i, input] of inputs.entries()) {
    reader.begin(`input-${i}`);
    reader.push(typeof input === 'string' ? Buffer.from(input) : input);
  }
  reader.end();
  return { actions, damaged, reader };
}

const line = (...events: EventFields[]) => events.map((event) => `${JSON.stringify(event)}\n`).join('');
const received = { stage: 'RequestReceived', responseStatus: undefined, annotations: undefined };

test('the lines of one request are one action, with its answer', () => {
  const done = anEvent();
  const { actions, reader } = read([line({ ...done, ...received }, done)]);
  assert.deepEqual(actions.map(inWords), ['delete Pod allowed']);
  assert.equal(actions[0]!.at, Date.UTC(2026, 10, 16, 10));
  assert.equal(actions[0]!.answeredAt, Date.UTC(2026, 10, 16, 10, 0, 0, 250));
  assert.equal(reader.tally.repeated, 0);
});

test('a log that is read twice, and a rotated one that is there packed and plain, gives its actions once', () => {
  const log = line(anEvent(), anEvent());
  const { actions, reader } = read([log, log]);
  assert.equal(actions.length, 2);
  assert.equal(reader.tally.repeated, 2);
});

test('an Audit-ID that a client used before hides nothing', () => {
  const first = anEvent({ auditID: 'chosen', verb: 'patch' });
  const second = anEvent({ auditID: 'chosen', requestReceivedTimestamp: '2026-11-16T10:00:00.000002Z' });
  const third = anEvent({ auditID: 'chosen', requestURI: '/api/v1/namespaces/shop/pods/web-2' });
  assert.equal(read([line(first, second, third)]).actions.length, 3);
});

test('a request whose answer the log has no more is unfinished, and comes last', () => {
  const open = { ...anEvent(), ...received };
  const { actions } = read([line(open, anEvent({ verb: 'patch' }))]);
  assert.deepEqual(actions.map(inWords), ['patch Pod allowed', 'delete Pod unfinished']);
});

test('an answer that stands in the next file is found', () => {
  const done = anEvent();
  assert.deepEqual(read([line({ ...done, ...received }), line(done)]).actions.map(inWords), ['delete Pod allowed']);
});

test('more requests without an answer than are waited for do not fill the memory', () => {
  const open = Array.from({ length: 5 }, () => ({ ...anEvent(), ...received }));
  const { actions } = read([line(...open)], { mostPending: 2 });
  assert.equal(actions.length, 5);
});

test('a connection is an action when it begins, and not another one when it ends', () => {
  const exec = anEvent({
    verb: 'create',
    stage: 'ResponseStarted',
    responseStatus: { code: 101 },
    objectRef: { resource: 'pods', subresource: 'exec', name: 'a', namespace: 'b' },
  });
  const { actions } = read([line(exec, { ...exec, stage: 'ResponseComplete' })]);
  assert.deepEqual(actions.map(inWords), ['exec Pod allowed']);
});

test('lists of events, as a webhook is sent them, are read, also where the items do not say what they are', () => {
  const { kind: _, apiVersion: __, ...unnamed } = anEvent();
  const list = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', metadata: {}, items: [anEvent(), unnamed, null] };
  const { actions, damaged } = read([line(list)]);
  assert.equal(actions.length, 2);
  assert.deepEqual(
    damaged.map(({ why }) => why),
    ['not an object'],
  );
});

test('a line that breaks off is named with its place, and the others are read', () => {
  const first = line(anEvent());
  const { actions, damaged } = read([`${first}${line(anEvent()).slice(0, 500)}\n${line(anEvent())}`]);
  assert.equal(actions.length, 2);
  assert.deepEqual(damaged, [{ input: 'input-0', line: 2, offset: first.length, why: 'not JSON, or it breaks off' }]);
});

test('a line that breaks off before it says what it is about is counted, too', () => {
  const lease = line(anEvent({ objectRef: { resource: 'leases' }, verb: 'update' }));
  assert.deepEqual(
    read([lease, lease.slice(0, 40)]).damaged.map(({ why }) => why),
    ['it breaks off'],
  );
});

test('a line behind half a line, as an API server leaves it that was killed, is read', () => {
  const { actions, damaged } = read([`${line(anEvent()).slice(0, 200)}${line(anEvent({ verb: 'patch' }))}`]);
  assert.deepEqual(actions.map(inWords), ['patch Pod allowed']);
  assert.equal(damaged.length, 1);
});

test('what a container runtime or a collector puts before an event is passed over', () => {
  const { actions, damaged } = read([
    `2026-11-16T10:00:00.123456789Z stdout F ${line(anEvent())}\ufeff${line(anEvent())}`,
  ]);
  assert.equal(actions.length, 2);
  assert.equal(damaged.length, 0);
});

test('what the API server says for itself beside its audit log is neither an event nor damage', () => {
  const own = 'I1116 10:00:00.000000       1 server.go:1] "ready" {"a":1}\n';
  const { actions, damaged, reader } = read([`${own}2026-11-16T10:00:00.123456789Z stderr F ${own}${line(anEvent())}`]);
  assert.deepEqual([actions.length, damaged.length, reader.tally.other], [1, 0, 2]);
});

test('other JSON is no event, also an event that a collector has wrapped into a text', () => {
  const wrapped = JSON.stringify({ log: line(anEvent()), stream: 'stdout' });
  const { actions, damaged } = read([`${wrapped}\n{"level":"info","msg":"hello"}\n`]);
  assert.deepEqual(
    [actions.length, damaged.map(({ why }) => why)],
    [0, ['not an event of audit.k8s.io/v1', 'not an event of audit.k8s.io/v1']],
  );
});

test('lines end with a line feed, with a carriage return before it, or with the input; empty ones are none', () => {
  const text = JSON.stringify(anEvent());
  const other = JSON.stringify(anEvent());
  const last = JSON.stringify(anEvent());
  const { actions, damaged } = read([`${text}\r\n\n  \r\n${other}\n${last}`]);
  assert.deepEqual([actions.length, damaged.length], [3, 0]);
});

test('a caller may reuse its chunk', () => {
  const actions: AuditedAction[] = [];
  const reader = new AuditReader({ onAction: (action) => actions.push(action) });
  const bytes = Buffer.from(line(anEvent(), anEvent()));
  const chunk = Buffer.alloc(100);
  for (let at = 0; at < bytes.length; at += 100) {
    const size = bytes.copy(chunk, 0, at);
    reader.push(chunk.subarray(0, size));
  }
  reader.end();
  assert.equal(actions.length, 2);
});

test('a line that is not UTF-8 is named and not believed', () => {
  const bytes = Buffer.from(line(anEvent()));
  bytes[bytes.indexOf('web-1')] = 0xff;
  const { actions, damaged } = read([bytes]);
  assert.deepEqual([actions.length, damaged.map(({ why }) => why)], [0, ['not UTF-8']]);
});

test('a gigantic line is never held, is read all the same, and so is the next one', () => {
  const actions: AuditedAction[] = [];
  const reader = new AuditReader({ longestLine: 2000, onAction: (action) => actions.push(action) });
  const items = Array.from({ length: 1000 }, (_, i) => ({
    metadata: { name: `web-${i}`, uid: `uid-${i}` },
    spec: anEvent(),
  }));
  const list = anEvent({ verb: 'deletecollection', responseObject: { kind: 'PodList', items } });
  const bytes = Buffer.from(line(list, anEvent()));
  for (let at = 0; at < bytes.length; at += 1000) reader.push(bytes.subarray(at, at + 1000));
  reader.end();
  assert.deepEqual(actions.map(inWords), ['delete-collection Pod allowed', 'delete Pod allowed']);
  assert.equal(actions[0]!.details.objects?.length, 1000);
  assert.deepEqual(actions[0]!.details.objects?.at(-1), { name: 'web-999', uid: 'uid-999' });
  assert.deepEqual([reader.tally.long, reader.tally.damaged, reader.tally.lines], [1, 0, 2]);
});

test('a gigantic line that is nothing is named with its place, and takes no memory', () => {
  const actions: AuditedAction[] = [];
  const damaged: DamagedLine[] = [];
  const reader = new AuditReader({
    onAction: (action) => actions.push(action),
    onDamaged: (found) => damaged.push(found),
  });
  reader.begin('log');
  const piece = Buffer.alloc(1 << 20, '"pods"');
  for (let i = 0; i < 200; i++) reader.push(piece);
  reader.push(Buffer.from(`\n{"kind":"`));
  for (let i = 0; i < 200; i++) reader.push(piece.fill('x'));
  reader.push(Buffer.from(`"}\n${line(anEvent())}`));
  reader.end();
  assert.equal(actions.length, 1);
  assert.deepEqual(damaged, [
    { input: 'log', line: 1, offset: 0, why: 'not JSON, or it breaks off' },
    { input: 'log', line: 2, offset: (200 << 20) + 1, why: 'longer than is read' },
  ]);
});

test('other kinds and other versions are named as what they are', () => {
  const other = line({ ...anEvent(), apiVersion: 'audit.k8s.io/v1beta1' }, { ...anEvent(), auditID: '' });
  const worse = line({ ...anEvent(), requestReceivedTimestamp: 'now' }, { ...anEvent(), stage: 'Never' });
  assert.deepEqual(
    read([other, worse]).damaged.map(({ why }) => why),
    [
      'not an event of audit.k8s.io/v1',
      'an event without auditID',
      'an event without the time of its request',
      'an event with an unknown stage',
    ],
  );
});

test('most lines are not parsed', () => {
  const leases = Array.from({ length: 100 }, () => anEvent({ objectRef: { resource: 'leases' }, verb: 'update' }));
  const reads = Array.from({ length: 100 }, () => anEvent({ verb: 'get' }));
  const { reader } = read([line(...leases, ...reads, anEvent())]);
  assert.deepEqual([reader.tally.lines, reader.tally.parsed, reader.tally.actions], [201, 1, 1]);
});
