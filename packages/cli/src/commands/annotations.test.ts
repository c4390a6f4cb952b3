// The annotations command: how reports look, and how it begins and ends, on an API server that a script plays.
import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { Client, podCodec } from '@podtrail/machinery';
import { aPod, ScriptedServer } from '@podtrail/machinery/testing';
import type { AnnotationReport } from '@podtrail/operator';
import { run } from '../testing/run-in-process.ts';
import { reportLine, reportText, summaryText } from './annotations-text.ts';

const POD = podCodec.fromJson(aPod('cart-x2k').inNamespace('shop').onNode('worker-2').build());
const SHORT = { all: false, full: false };

function report(more: Partial<AnnotationReport>): AnnotationReport {
  return { event: 'UPDATED', pod: POD, changes: [], annotations: [], ...more };
}

test('a report has phase and node, and a line for each key that was added, changed or removed', () => {
  const text = reportText(
    report({
      changes: [
        { change: 'added', key: 'a', after: '1' },
        { change: 'changed', key: 'b', before: 'old', after: '' },
        { change: 'removed', key: 'c', before: '3' },
      ],
    }),
    SHORT,
  );
  assert.equal(text, 'UPDATED  shop/cart-x2k  Running  worker-2\n  + a: 1\n  ~ b: old → ""\n  - c: 3\n');
  assert.equal(summaryText({ pods: 41, annotated: 7 }), '41 total pods, 7 with annotations\n');
});

test('--all has every annotation, or (none); a pod without phase and node says so', () => {
  assert.equal(
    reportText(report({ event: 'ADDED', annotations: [['a', '1']] }), { all: true, full: false }),
    'ADDED    shop/cart-x2k  Running  worker-2\n  annotations:\n    a: 1\n',
  );
  const fresh = podCodec.fromJson(aPod('new').inPhase('').build());
  assert.equal(
    reportText(report({ event: 'DELETED', pod: fresh }), { all: true, full: false }),
    'DELETED  default/new  <none>  <none>\n  annotations: (none)\n',
  );
});

test('values are cut after 80 characters, never within one, unless --full', () => {
  const value = (text: string, full: boolean) =>
    reportText(report({ changes: [{ change: 'added', key: 'k', after: text }] }), { all: false, full })
      .split('k: ')[1]
      ?.trimEnd();
  assert.equal(value('x'.repeat(80), false), 'x'.repeat(80));
  assert.equal(value('x'.repeat(81), false), `${'x'.repeat(80)}…`);
  assert.equal(value('x'.repeat(81), true), 'x'.repeat(81));
  assert.equal(value('🦆'.repeat(80), false), '🦆'.repeat(80));
  assert.equal(value('🦆'.repeat(81), false), `${'🦆'.repeat(80)}…`);
  assert.equal(value('\u001b'.repeat(262_144), false), `${'\\e'.repeat(80)}…`);
});

test('fault 29: no value, key or name reaches the terminal as anything but text; JSON keeps the exact value', () => {
  const evil = '\u001b]0;owned\u0007\r\nADDED \u202e\u009b31m';
  const changes = [{ change: 'changed', key: `k${evil}`, before: evil, after: `${evil}2` }] as const;
  const reported = report({ changes, annotations: [[`k${evil}`, `${evil}2`]] });
  const text = reportText(reported, { all: true, full: true });
  assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
  assert.equal(text.split('\n').length, 5);
  const line = reportLine(reported, { all: true }, 0);
  assert.doesNotMatch(line.slice(0, -1), /[\u0000-\u001f\u007f-\u009f\u202e]/);
  const parsed = JSON.parse(line);
  assert.deepEqual(parsed.changes, changes);
  assert.deepEqual(parsed.annotations, [{ key: `k${evil}`, value: `${evil}2` }]);
  assert.deepEqual(Object.keys(parsed), [
    ...['event', 'seen', 'namespace', 'pod', 'uid', 'phase', 'node', 'resourceVersion', 'changes', 'annotations'],
  ]);
});

async function watched(t: TestContext, words: readonly string[]) {
  const server = await ScriptedServer.start();
  t.after(() => server.stop());
  const stop = new AbortController();
  const lines: string[] = [];
  let wake = () => {};
  const stdout = {
    isTTY: false,
    write: async (text: string | Uint8Array) => {
      lines.push(String(text));
      wake();
    },
  };
  const ran = run(['annotations', ...words], {
    loadConfig: async () => ({ ...server.config(), namespace: 'shop' }),
    connect: (config) => Client.connect(config),
    signal: stop.signal,
    stdout,
  });
  const untilPrinted = async (count: number) => {
    while (lines.length < count) await new Promise<void>((resolve) => (wake = resolve));
  };
  return { server, stop, lines, ran, untilPrinted };
}

test('from the first listing to Ctrl+C: one watch, nothing else is asked, exit code 0', async (t) => {
  const { server, stop, lines, ran, untilPrinted } = await watched(t, ['-l', 'app=cart', '--key', 'a*']);
  const call = await server.next();
  assert.equal(call.path, '/api/v1/namespaces/shop/pods');
  assert.deepEqual([call.query.get('labelSelector'), call.isWatch], ['app=cart', true]);
  const stream = call.stream();
  stream.event('ADDED', aPod('web').inNamespace('shop').withAnnotations({ a: '1' }).atVersion(5).build());
  stream.bookmark('Pod', '6', true);
  await untilPrinted(1);
  assert.deepEqual(lines, ['1 total pods, 1 with annotations\n']);
  stream.event('MODIFIED', aPod('web').inNamespace('shop').withAnnotations({ a: '2', b: '3' }).atVersion(7).build());
  await untilPrinted(2);
  assert.equal(lines[1], 'UPDATED  shop/web  Running  <none>\n  ~ a: 1 → 2\n');
  stop.abort();
  assert.deepEqual(await ran, { code: 0, out: '', err: '' });
  assert.equal(server.requests, 1);
});

test('-A watches all namespaces, -o jsonl prints an object a line, --initial begins with what is there', async (t) => {
  const { server, stop, lines, ran, untilPrinted } = await watched(t, ['-A', '-o', 'jsonl', '--initial', '--all']);
  const call = await server.next();
  assert.equal(call.path, '/api/v1/pods');
  const stream = call.stream();
  stream.event('ADDED', aPod('web').withAnnotations({ a: '1' }).atVersion(5).build());
  stream.bookmark('Pod', '6', true);
  await untilPrinted(2);
  const [start, added] = lines.map((line) => JSON.parse(line));
  assert.deepEqual([start.event, start.pods, start.annotated], ['START', 1, 1]);
  assert.deepEqual([added.event, added.annotations], ['ADDED', [{ key: 'a', value: '1' }]]);
  stop.abort();
  assert.equal((await ran).code, 0);
});

test('no rights on pods is a sentence, what to do, and exit code 6', async (t) => {
  const { server, ran } = await watched(t, []);
  (await server.next()).refuse(403, 'Forbidden', 'pods is forbidden: User "jane" cannot watch resource "pods"');
  const { code, err } = await ran;
  assert.equal(code, 6);
  assert.match(err, /^podtrail: pods may not be watched: pods is forbidden.*\nhint: grant list and watch on pods/);
});

test('usage errors are sentences', async () => {
  for (const [words, says] of [
    [['-o', 'yaml'], /Allowed choices are table, json, jsonl/],
    [['--key', ''], /--key needs a pattern/],
    [['--at', '1h'], /annotations does not take --at/],
  ] as const) {
    const { code, err } = await run(['annotations', ...words]);
    assert.equal(code, 2);
    assert.match(err, says);
  }
});
