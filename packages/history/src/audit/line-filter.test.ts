// The lines that are not parsed, judged by parsing them all: Invariant: a line that is skipped holds no event that becomes
// an action, whatever the order of its keys, its spaces and its escapes.
import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { SeededNumbers } from '../testing/seeded-numbers.ts';
import { actionOf } from './action-of.ts';
import { readAuditEvent } from './audit-event.ts';
import { actionsIn, anEvent, type EventFields, recordedLines } from './testing/an-event.ts';

const SEED = 20_261_116;

/** Without any filter. */
function plainly(line: string) {
  const event = readAuditEvent(JSON.parse(line));
  return typeof event === 'string' ? undefined : actionOf(event);
}

/** The same JSON written otherwise: keys in any order, spaces anywhere, any character escaped. */
function rewritten(value: unknown, chance: () => number): string {
  const space = () => (chance() < 0.2 ? ' \t'.charAt(chance() * 2) : '');
  if (typeof value === 'string') return writtenText(value, chance);
  if (Array.isArray(value))
    return `[${space()}${value.map((item) => rewritten(item, chance)).join(`${space()},${space()}`)}]`;
  if (typeof value === 'object' && value !== null) {
    const members = Object.entries(value).filter(([, member]) => member !== undefined);
    const shuffled = members.map((member) => [chance(), member] as const).sort(([a], [b]) => a - b);
    const written = shuffled.map(
      ([, [key, member]]) => `${writtenText(key, chance)}${space()}:${space()}${rewritten(member, chance)}`,
    );
    return `{${space()}${written.join(`${space()},${space()}`)}${space()}}`;
  }
  if (typeof value === 'number' && chance() < 0.2)
    return value.toExponential().replace('e', chance() < 0.5 ? 'E' : 'e');
  return JSON.stringify(value);
}

function writtenText(text: string, chance: () => number): string {
  const escapes = chance() < 0.15;
  const characters = [...text].map((character) => {
    const code = character.codePointAt(0)!;
    if (escapes && code < 0x10000 && chance() < 0.3) {
      const hex = code.toString(16).padStart(4, '0');
      return `\\u${chance() < 0.5 ? hex.toUpperCase() : hex}`;
    }
    return JSON.stringify(character).slice(1, -1);
  });
  return `"${characters.join('')}"`;
}

const WORDS = [
  'pods',
  'leases',
  'nodes',
  'deployments',
  'pod',
  'pods"',
  'create',
  'get',
  'list',
  'delete',
  'Panic',
  'code',
];
const word = fc.constantFrom(...WORDS);
const anyEvent: fc.Arbitrary<EventFields> = fc
  .record({
    verb: fc.constantFrom('get', 'list', 'watch', 'create', 'update', 'patch', 'delete', 'deletecollection', 'odd'),
    stage: fc.constantFrom('RequestReceived', 'ResponseStarted', 'ResponseComplete', 'Panic'),
    resource: fc.constantFrom('pods', 'pods', 'pods', 'nodes', 'leases', 'bindings', 'secrets', 'deployments', 'jobs'),
    apiGroup: fc.constantFrom('', 'apps', 'batch', undefined),
    subresource: fc.constantFrom(undefined, 'status', 'exec', 'eviction', 'log', 'scale', 'portforward'),
    code: fc.constantFrom(100, 101, 200, 201, 304, 399, 400, 401, 403, 404, 409, 429, 500, 504, undefined),
    status: fc.constantFrom(undefined, 'Failure', 'Success'),
    // Mostly nothing that hides a fault of the filter: a line in which every word stands is never skipped.
    requestObject: fc.option(fc.dictionary(word, fc.oneof(word, fc.record({ code: fc.integer() }))), {
      nil: undefined,
      freq: 1,
    }),
    username: fc.oneof({ weight: 8, arbitrary: fc.constant('jane') }, word, fc.string()),
  })
  .map(({ verb, stage, resource, apiGroup, subresource, code, status, requestObject, username }) =>
    anEvent({
      ...{ verb, stage, requestObject, user: { username } },
      objectRef: { resource, apiGroup, subresource, namespace: 'shop', name: 'x' },
      responseStatus: code === undefined && status === undefined ? undefined : { metadata: {}, status, code },
    }),
  );

test('no line that becomes an action is skipped, however it is written', (t) => {
  t.diagnostic(`seed ${SEED}`);
  let actions = 0;
  fc.assert(
    fc.property(anyEvent, fc.integer(), (event, seed) => {
      const numbers = new SeededNumbers(seed);
      // Most lines have no escapes: one that has is always parsed.
      const line = numbers.chance(0.3) ? rewritten(event, () => numbers.next()) : JSON.stringify(event);
      const plain = plainly(line);
      if (plain !== undefined) actions++;
      assert.deepEqual(actionsIn(`${line}\n`), plain === undefined ? [] : [plain], line);
    }),
    { numRuns: 6000, seed: SEED },
  );
  assert.ok(actions > 500, `${actions} of them are actions`);
});

test('recorded lines become the same actions with and without the filter', () => {
  for (const { case: name, event } of recordedLines()) {
    const line = JSON.stringify(event);
    const plain = plainly(line);
    assert.deepEqual(actionsIn(`${line}\n`), plain === undefined ? [] : [plain], name);
  }
});
