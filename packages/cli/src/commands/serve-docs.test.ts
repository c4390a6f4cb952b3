// The examples of docs/api.md, run on the story of our tests: what the document shows is what the server sends.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { serve } from '../testing/served.ts';
import { aStory, at } from '../testing/story.ts';

const DOCUMENT = new URL('../../../../docs/api.md', import.meta.url);
const FLOWS = 'src,start\n10.0.0.7,2026-11-15T10:00:30Z\n10.0.0.200,2026-11-15T10:00:30Z\n';

const text = readFileSync(DOCUMENT, 'utf8');
const examples = [...text.matchAll(/```text\n((\$ curl [^\n]*)\n[\s\S]*?)```/g)];

/** What the words of curl mean, as far as the document uses them. */
function requestOf(command: string): { path: string; init: RequestInit } {
  const headers: Record<string, string> = {};
  for (const [, name = '', value = ''] of command.matchAll(/-H '([^:']+): ([^']*)'/g)) headers[name] = value;
  const json = /--json '([^']*)'/.exec(command)?.[1];
  if (json !== undefined) headers['Content-Type'] = 'application/json';
  const body = json ?? (command.includes('--data-binary @flows.csv') ? FLOWS : undefined);
  const path = /'http:\/\/127\.0\.0\.1:7080([^']*)'/.exec(command)?.[1] ?? assert.fail(command);
  return { path, init: { headers, ...(body === undefined ? {} : { method: 'POST', body }) } };
}

test('every example of docs/api.md gets what is written there (PODTRAIL_WRITE_DOCS=1 writes it)', async (t) => {
  assert.ok(examples.length >= 4);
  const served = await serve(t, { engine: await aStory(), now: at(201) });
  let written = text;
  for (const [, block = '', command = ''] of examples) {
    const { path, init } = requestOf(command);
    const body = (await (await served.get(path, init)).text()).trimEnd();
    const shown = `${command}\n${body}\n`;
    if (process.env['PODTRAIL_WRITE_DOCS'] === '1') written = written.replace(block, () => shown);
    else assert.equal(block, shown);
  }
  if (written !== text) writeFileSync(DOCUMENT, written);
});

test('docs/api.md names every path of the API', async (t) => {
  const served = await serve(t, { engine: await aStory(), now: at(201) });
  const { paths } = (await (await served.get('/openapi.json')).json()) as { readonly paths: Record<string, unknown> };
  for (const path of Object.keys(paths)) assert.ok(text.includes(path), path);
});
