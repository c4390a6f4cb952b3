// The examples of docs/audit.md, run on the recorded log: what the document shows is what the command prints.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { run } from '../testing/run-in-process.ts';

const DOCUMENT = new URL('../../../../docs/audit.md', import.meta.url);
const RECORDED = new URL('../../../history/src/audit/testing/recorded.jsonl', import.meta.url);

const log = readFileSync(RECORDED, 'utf8')
  .trim()
  .split('\n')
  .map((line) => `${JSON.stringify((JSON.parse(line) as { event: object }).event)}\n`)
  .join('');
const text = readFileSync(DOCUMENT, 'utf8');
const examples = [...text.matchAll(/```text\n(\$ podtrail (audit [^\n]*)\n[\s\S]*?)```/g)];

test('every example of docs/audit.md prints what is written there (PODTRAIL_WRITE_DOCS=1 writes it)', async () => {
  assert.ok(examples.length >= 2);
  let written = text;
  for (const [, block = '', command = ''] of examples) {
    const { out, err } = await run(command.split(' '), { files: { 'audit.log': log } });
    const printed = `$ podtrail ${command}\n${out}${err}`.replaceAll(/ +$/gm, '');
    if (process.env['PODTRAIL_WRITE_DOCS'] === '1') written = written.replace(block, () => printed);
    else assert.equal(block, printed);
  }
  if (written !== text) writeFileSync(DOCUMENT, written);
});
