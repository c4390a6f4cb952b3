// What is kept of a long line, judged by parsing it as a whole: the action is the same, whatever the line has in it.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { actionOf } from './action-of.ts';
import { readAuditEvent } from './audit-event.ts';
import { EventSkimmer } from './event-skimmer.ts';
import { anEvent, type EventFields, recordedLines } from './testing/an-event.ts';

const SEED = 20_261_116;

function skimmed(line: string, pieces = 1): unknown {
  const skimmer = new EventSkimmer();
  const bytes = Buffer.from(line);
  const size = Math.ceil(bytes.length / pieces);
  for (let at = 0; at < bytes.length; at += size) skimmer.push(bytes.subarray(at, at + size));
  const found = skimmer.end();
  return 'why' in found ? found.why : JSON.parse(found.json.toString());
}

function action(value: unknown) {
  const event = readAuditEvent(value);
  return typeof event === 'string' ? event : actionOf(event);
}

test('recorded lines become the same actions, however they are cut', () => {
  for (const { case: name, event } of recordedLines()) {
    for (const pieces of [1, 2, 7, 500])
      assert.deepEqual(action(skimmed(JSON.stringify(event), pieces)), action(event), `${name} in ${pieces}`);
  }
});

test('lines with any bodies become the same actions', (t) => {
  t.diagnostic(`seed ${SEED}`);
  const word = fc.constantFrom('metadata', 'name', 'uid', 'items', 'spec', 'kind', 'Status', 'dryRun', 'x"\\\\{[', '');
  const body = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      word,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      tie('list'),
      tie('object'),
    ),
    list: fc.array(tie('value'), { maxLength: 4 }),
    object: fc.dictionary(fc.oneof(word, fc.string()), tie('value'), { maxKeys: 5 }),
  })).value;
  const verb = fc.constantFrom('create', 'delete', 'deletecollection', 'patch');
  fc.assert(
    fc.property(verb, body, body, fc.integer({ min: 1, max: 50 }), (chosen, requestObject, responseObject, pieces) => {
      const event = anEvent({ verb: chosen, requestObject, responseObject });
      const line = JSON.stringify(event, undefined, pieces % 3);
      assert.deepEqual(action(skimmed(line, pieces)), action(JSON.parse(line)), line);
    }),
    { numRuns: 2000, seed: SEED },
  );
});

test('lists of events, names with escapes, and text before a line', () => {
  const event = anEvent();
  const list = { kind: 'EventList', apiVersion: 'audit.k8s.io/v1', items: [event, event] };
  assert.deepEqual(skimmed(JSON.stringify(list)), list);
  const escaped = JSON.stringify(event).replace('"verb"', '"\\u0076erb"');
  assert.deepEqual(action(skimmed(`2026-11-16T10:00:00Z stdout F ${escaped}`)), action(event));
});

const BROKEN: Readonly<Record<string, string>> = {
  'what breaks off': '{"kind":"Event","verb":"de',
  'what is closed by another bracket': '{"kind":["Event"}}',
  'what has more behind it': '{"kind":"Event"}{"kind":"Event"}',
  'what is no object': `${'x'.repeat(200)}{}`,
  'what is closed before it is opened': '}{',
  'what is deeper than the API server takes': `{"a":${'['.repeat(20_000)}${']'.repeat(20_000)}}`,
};
for (const [sentence, line] of Object.entries(BROKEN)) {
  test(`${sentence} is not read`, () => assert.equal(skimmed(line), 'not JSON, or it breaks off'));
}

test('what no action needs is left out, and takes no room', () => {
  const event: EventFields = anEvent({
    responseObject: { kind: 'Pod', spec: { containers: ['x'.repeat(10_000)], nodeName: 'a' } },
    unknown: [1, { a: 2 }],
  });
  const found = skimmed(JSON.stringify(event)) as EventFields;
  assert.deepEqual(found['responseObject'], { kind: 'Pod', spec: { nodeName: 'a' } });
  assert.equal(found['unknown'], undefined);
});
