// What is streamed by `podtrail serve`: the rows of a flow log, in and out, and news as they come.
import assert from 'node:assert/strict';
import { request } from 'node:http';
import { before, test } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Engine } from '@podtrail/history';
import { run } from '../testing/run-in-process.ts';
import { serve } from '../testing/served.ts';
import { aStory, at } from '../testing/story.ts';

const SOON = { timeout: 60_000 };
const CSV = `src,start,note
10.0.0.7,2026-11-15T10:00:30Z,a
10.0.0.200,2026-11-15T10:00:30Z,"b, c"
nonsense,2026-11-15T10:00:30Z,d
`;

let engine: Engine;
before(async () => {
  engine = await aStory();
});

test('POST attribute gives the rows that the command gives, as CSV and as JSON lines', SOON, async (t) => {
  const served = await serve(t, { engine, now: at(201) });
  for (const [output, type] of [
    ['csv', 'text/csv'],
    ['jsonl', 'application/x-ndjson'],
  ] as const) {
    const response = await served.get(`/api/v1/attribute?ip=src&time=start&output=${output}`, {
      ...{ method: 'POST', body: CSV, headers: { 'content-type': 'text/csv' } },
    });
    assert.equal(response.status, 200);
    assert.equal(response.headers.get('content-type'), type);
    const words = ['attribute', '-', '--ip', 'src', '--time', 'start', '-o', output];
    const { out } = await run(words, { engine, now: at(201), input: CSV });
    assert.equal(await response.text(), out);
  }
});

test('JSON lines in are JSON lines out, and a gzipped log is read as one', SOON, async (t) => {
  const served = await serve(t, { engine, now: at(201) });
  const line = '{"src":"10.0.0.7","start":"2026-11-15T10:00:30Z"}\n';
  const init = { method: 'POST', headers: { 'content-type': 'application/x-ndjson' } };
  const plain = await served.get('/api/v1/attribute?ip=src&time=start', { ...init, body: line });
  assert.equal(plain.headers.get('content-type'), 'application/x-ndjson');
  const rows = await plain.text();
  assert.equal(JSON.parse(rows).pod, 'web-1');
  const packed = await served.get('/api/v1/attribute?ip=src&time=start', { ...init, body: gzipSync(line) });
  assert.equal(await packed.text(), rows);
});

test('what attribute cannot understand is a problem, in words of the API', SOON, async (t) => {
  const served = await serve(t, { engine, now: at(201) });
  const asked: readonly [string, string, RegExp][] = [
    ['', CSV, /ip/],
    ['ip=src&time=start&colour=red', CSV, /no parameter colour/],
    ['ip=src&time=start&timezone=Mars', CSV, /no time zone Mars/],
    ['ip=src&time=start', CSV.replaceAll('Z', ''), /zone|time/],
    ['ip=src&time=start', '', /empty/],
    ['ip=src&time=start&format=nginx', CSV, /no format nginx choose one of vpc, /],
    ['', CSV, /name its columns with ip and time, or its format with format=\(vpc/],
    ['ip=src&time=start', CSV.replaceAll('Z', ''), /timezone=UTC, timezone=Europe\/Berlin, timezone=local\.$/],
    ['ip=source&time=start', CSV, /^ip=source: the input has no such column/],
    ['ip=src&time=start&prefix=a,b', CSV, /give one for each ip, in their order/],
  ];
  for (const [query, body, expected] of asked) {
    const response = await served.get(`/api/v1/attribute?${query}`, {
      ...{ method: 'POST', body, headers: { 'content-type': 'text/csv' } },
    });
    const { detail, hint } = (await response.json()) as { detail: string; hint: string };
    assert.equal(response.status, 400, detail);
    assert.match(`${detail} ${hint}`, expected);
    assert.doesNotMatch(`${detail} ${hint}`, /--/);
  }
});

test('a body that is empty, or packed and breaks off, is refused with what to do about the body', SOON, async (t) => {
  const served = await serve(t, { engine, now: at(201) });
  const cut = gzipSync(CSV).subarray(0, 40);
  const asked: readonly [string | Uint8Array<ArrayBuffer>, string, RegExp][] = [
    ['', 'attribute-usage', /^send the rows as the body/],
    ['\n\n', 'attribute-usage', /^send the rows as the body/],
    [new Uint8Array(cut), 'attribute-damaged-archive', /^pack the log again/],
  ];
  for (const [body, expected, words] of asked) {
    const response = await served.get('/api/v1/attribute?ip=src&time=start', {
      ...{ method: 'POST', body, headers: { 'content-type': 'text/csv' } },
    });
    const { code, hint } = (await response.json()) as { code: string; hint: string };
    assert.equal(response.status, 400);
    assert.equal(code, expected);
    assert.match(hint, words);
  }
});

test('rows go out while others still come in, and no faster than they are read', SOON, async (t) => {
  const served = await serve(t, { engine, now: at(201) });
  const rows = CSV.split('\n').slice(1, 2).join('\n').concat('\n').repeat(5_000);
  const asked = request(`${served.origin}/api/v1/attribute?ip=src&time=start`, {
    method: 'POST',
    headers: { authorization: `Bearer ${served.token}`, 'content-type': 'text/csv' },
  });
  asked.write(`src,start,note\n${rows}`);
  const response = await new Promise<import('node:http').IncomingMessage>((resolve) => asked.once('response', resolve));
  // The request has not ended, and there are answers.
  const [first] = await new Promise<[Buffer]>((resolve) => response.once('data', (chunk: Buffer) => resolve([chunk])));
  assert.match(first.toString(), /^src,start,note,answer/);
  asked.end(rows);
  let lines = first.toString().split('\n').length - 1;
  for await (const chunk of response) lines += chunk.toString().split('\n').length - 1;
  assert.equal(lines, 10_001);
});

test(
  'live says how far is watched, and who comes back with an event that is not remembered must ask again',
  SOON,
  async (t) => {
    const served = await serve(t, { engine, now: at(201) });
    const response = await served.get('/api/v1/live', { headers: { 'last-event-id': 'nonsense' } });
    assert.equal(response.headers.get('content-type'), 'text/event-stream');
    assert.equal(response.headers.get('content-encoding'), null);
    const decoder = new TextDecoder();
    let text = '';
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (text.includes('event: coverage')) break;
    }
    assert.match(text, /^retry: 2000\n\nid: \S+\nevent: reset\ndata: \{"reason":/);
    assert.match(
      text,
      /\nid: \S+\nevent: coverage\ndata: \{"cluster":"prod-eu","to":"2026-11-15T10:03:20\.000Z"\}\n\n/,
    );
  },
);
