import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { EventListSplitter, type SplitOutcome } from './event-list-splitter.ts';
import { anAuditEvent, anEventList } from './testing/audit-client.ts';

interface Split {
  readonly events: unknown[];
  readonly texts: string[];
  readonly outcome: SplitOutcome;
  readonly tooLong: number;
}

function split(body: string | Uint8Array, piece = 1 << 20, longest?: number, most = Number.POSITIVE_INFINITY): Split {
  const texts: string[] = [];
  let tooLong = 0;
  const splitter = new EventListSplitter({
    onEvent: (event) => texts.length < most && texts.push(event.toString()) > 0,
    onTooLong: () => tooLong++,
    ...(longest === undefined ? {} : { longest }),
  });
  const bytes = Buffer.from(body);
  for (let i = 0; i < bytes.length; i += piece) if (!splitter.push(bytes.subarray(i, i + piece))) break;
  return { events: texts.map(parsed), texts, outcome: splitter.end(), tooLong };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

test('every event of a list, wherever the body is cut, whatever is in its strings', () => {
  const events = [
    anAuditEvent(),
    anAuditEvent({ message: 'a "quoted" \\ {[}] brace' }),
    anAuditEvent({ nested: [[{ a: [] }]] }),
    {},
  ];
  for (const piece of [1, 2, 7, 64, 1 << 20]) {
    const { events: found, outcome } = split(anEventList(...events), piece);
    assert.deepEqual([found, outcome], [events, { kind: 'whole' }]);
  }
});

test('an indented list, and one without events', () => {
  const event = anAuditEvent();
  const indented = JSON.stringify(JSON.parse(anEventList(event)), undefined, 2);
  assert.deepEqual(split(indented).events, [event]);
  assert.deepEqual(split(anEventList()), { events: [], texts: [], outcome: { kind: 'whole' }, tooLong: 0 });
});

test('an event that is too long is left out, and the others are there', () => {
  const [small, large] = [anAuditEvent(), anAuditEvent({ body: 'x'.repeat(5000) })];
  const { events, tooLong, outcome } = split(anEventList(small, large, small), 100, 2000);
  assert.deepEqual([events, tooLong, outcome], [[small, small], 1, { kind: 'whole' }]);
});

test('an event in the smallest pieces takes no more than twice its bytes, all of them counted', () => {
  let [held, most] = [0, 0];
  const splitter = new EventListSplitter({
    onEvent: () => true,
    onTooLong: () => assert.fail(),
    onHeld: (bytes) => {
      held += bytes;
      most = Math.max(most, held);
      return true;
    },
  });
  splitter.push(Buffer.from('{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[{"a":"'));
  const piece = Buffer.from('x');
  const before = process.memoryUsage();
  for (let i = 0; i < 1 << 20; i++) splitter.push(piece);
  const { heapUsed, external } = process.memoryUsage();
  assert.ok(heapUsed - before.heapUsed < 32 << 20, `${(heapUsed - before.heapUsed) >> 20} MiB of heap more`);
  assert.ok(external - before.external < 8 << 20, `${(external - before.external) >> 20} MiB outside more`);
  assert.ok(held >= 1 << 20 && most <= 2 << 20, `${held} ${most}`);
  splitter.push(Buffer.from('"}]}'));
  assert.deepEqual([splitter.end(), held], [{ kind: 'whole' }, 0]);
});

test('an event for whose pieces there is no room ends the reading, and nothing is held', () => {
  let held = 0;
  const splitter = new EventListSplitter({
    onEvent: () => true,
    onTooLong: () => assert.fail(),
    onHeld: (bytes) => {
      if (held + bytes > 10_000) return false;
      held += bytes;
      return true;
    },
  });
  splitter.push(Buffer.from('{"kind":"EventList","apiVersion":"audit.k8s.io/v1","items":[{"a":"'));
  let pieces = 0;
  while (pieces < 100 && splitter.push(Buffer.alloc(1000, 'x'))) pieces++;
  assert.ok(pieces >= 5 && pieces <= 10, String(pieces));
  assert.deepEqual([splitter.end(), held], [{ kind: 'full' }, 0]);
});

test('without room nothing more is read', () => {
  const { events, outcome } = split(anEventList(anAuditEvent(), anAuditEvent(), anAuditEvent()), 50, undefined, 2);
  assert.deepEqual([events.length, outcome], [2, { kind: 'full' }]);
});

const DAMAGED: Readonly<Record<string, string>> = {
  nothing: '',
  text: 'hello',
  'a list that is no object': '[{}]',
  'a number': '1',
  'a body that breaks off': anEventList(anAuditEvent()).slice(0, -5),
  'another API': JSON.stringify({ kind: 'EventList', apiVersion: 'audit.k8s.io/v1beta1', items: [anAuditEvent()] }),
  'the API behind the events': JSON.stringify({ items: [anAuditEvent()], apiVersion: 'audit.k8s.io/v1' }),
  'no API': '{"items":[{}]}',
  'more behind the list': `${anEventList()}{}`,
  'a bracket too many': `${anEventList()}]`,
};
for (const [sentence, body] of Object.entries(DAMAGED)) {
  test(`${sentence} is damaged`, () => assert.equal(split(body).outcome.kind, 'damaged'));
}

test('a head without an end takes no memory', () => {
  const { outcome, events } = split(`{"kind":"${'x'.repeat(1 << 20)}"`, 1 << 16);
  assert.deepEqual([outcome.kind, events.length], ['damaged', 0]);
});

test('whatever bytes come, nothing throws, and what comes out is no more than what came in', () => {
  const body = anEventList(anAuditEvent(), anAuditEvent());
  const mutated = fc
    .tuple(fc.array(fc.tuple(fc.nat(body.length - 1), fc.nat(255)), { maxLength: 8 }), fc.nat(body.length))
    .map(([changes, length]) => {
      const bytes = Buffer.from(body);
      for (const [at, byte] of changes) bytes[at] = byte;
      return bytes.subarray(0, length);
    });
  const any = fc.oneof(
    mutated,
    fc.uint8Array({ maxLength: 300 }),
    fc.json().map((text) => Buffer.from(text)),
  );
  fc.assert(
    fc.property(any, fc.integer({ min: 1, max: 64 }), (bytes, piece) => {
      const { texts } = split(bytes, piece, 400);
      assert.ok(texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0) <= 3 * bytes.length);
      assert.deepEqual(split(bytes, 1 << 20, 400).texts, texts);
    }),
    { numRuns: Number(process.env['PODTRAIL_FUZZ_RUNS'] ?? 500) },
  );
});
