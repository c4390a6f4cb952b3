import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { describeScripts, type Manifest } from './help.ts';

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Manifest;

test('every npm script has a description, and every description a script', () => {
  assert.deepEqual(Object.keys(manifest.podtrail.scripts).sort(), Object.keys(manifest.scripts).sort());
  for (const [name, description] of Object.entries(manifest.podtrail.scripts)) {
    assert.ok(description.trim().length > 10, `${name} is described by "${description}"`);
  }
});

test('every npm script that runs TypeScript checks for its Node first', () => {
  for (const [name, command] of Object.entries(manifest.scripts)) {
    if (!/\bnode\b/.test(command)) continue;
    assert.match(command, /^node --import \.\/scripts\/require-node\.mjs \S+\.ts\b/, name);
  }
});

test('a script is listed as it is called', () => {
  const scripts = { test: 'x', check: 'y' };
  const text = describeScripts({ scripts, podtrail: { scripts: { test: 'runs tests', check: 'checks' } } });
  assert.equal(text, '  npm test       runs tests\n  npm run check  checks\n');
});
