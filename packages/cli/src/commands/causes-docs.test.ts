// The table of causes in docs/cli.md: every cause of the list, in the words that `explain` uses.
import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { test } from 'node:test';
import { CAUSE_GUIDE, CAUSES } from '@podtrail/history/wire';

const DOCUMENT = new URL('../../../../docs/cli.md', import.meta.url);
const HEADER = '| cause | means | look at next |\n|---|---|---|\n';
const NAMES: Readonly<Record<string, string>> = { node: 'NODE', namespace: 'NAMESPACE', owner: 'TYPE/NAME' };

test('docs/cli.md lists every cause with what it means and what to look at next (PODTRAIL_WRITE_DOCS=1 writes it)', () => {
  const text = readFileSync(DOCUMENT, 'utf8');
  const begin = text.indexOf(HEADER) + HEADER.length;
  assert.ok(begin > HEADER.length);
  const end = text.indexOf('\n\n', begin - 1) + 1;
  const rows = CAUSES.map((cause) => {
    const { means, next } = CAUSE_GUIDE[cause];
    return `| \`${cause}\` | ${means} | ${next.replaceAll(/\{(\w+)\}/g, (_, name: string) => NAMES[name] ?? name)} |\n`;
  }).join('');
  if (process.env['PODTRAIL_WRITE_DOCS'] === '1')
    writeFileSync(DOCUMENT, text.slice(0, begin) + rows + text.slice(end));
  else assert.equal(text.slice(begin, end), rows);
});
