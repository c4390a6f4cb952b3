// The page as it is shipped: what its HTML names, what it must not hold, how large it is.
import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type TestContext, test } from 'node:test';
import { bundlePage, SOURCES } from './bundle-page.ts';
import { checkSize, MOST_BYTES } from './page-size.ts';

const HTML = '<!doctype html>\n<html>\n  <head>\n    <title>x</title>\n  </head>\n</html>\n';

function someSources(t: TestContext, script: string, html = HTML): string {
  const directory = mkdtempSync(join(tmpdir(), 'podtrail-page-'));
  t.after(() => rmSync(directory, { recursive: true, force: true }));
  const sources = join(directory, 'src');
  mkdirSync(join(sources, 'styles'), { recursive: true });
  writeFileSync(join(sources, 'main.tsx'), script);
  writeFileSync(join(sources, 'index.html'), html);
  writeFileSync(join(sources, 'icon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>');
  writeFileSync(join(sources, 'styles', 'all.css'), 'body { margin: 0 }');
  return sources;
}

test('the HTML names a script, a style and an icon by the hash of their content, and has nothing inline', async () => {
  const { index, assets } = await bundlePage();
  const named = [...index.matchAll(/(?:src|href)="\/(assets\/[^"]+)"/g)].map(([, path]) => path);
  assert.deepEqual(named, [...assets.keys()].sort());
  assert.deepEqual(named.map((path) => path?.replace(/-[A-Z0-9]{8}\./, '-HASH.')).sort(), [
    'assets/icon-HASH.svg',
    'assets/page-HASH.css',
    'assets/page-HASH.js',
  ]);
  assert.doesNotMatch(index, /<style|style=|<script(?![^>]* src=)|\son\w+=/);
});

test('every style sheet of the folder is in the page', async () => {
  const { inputs } = await bundlePage();
  const folder = readdirSync(join(SOURCES, 'styles')).map((name) => `packages/web/src/styles/${name}`);
  assert.deepEqual(inputs.filter((path) => path.endsWith('.css')).sort(), folder.sort());
});

test('the page is within its budget, and a larger one is refused with its size', async () => {
  const { assets } = await bundlePage();
  assert.ok(checkSize(assets) <= MOST_BYTES);
  const noise = Buffer.concat(Array.from({ length: 2_000 }, (_, i) => hash('sha512', `${i}`, 'buffer')));
  assert.throws(() => checkSize(new Map([['assets/a.css', noise]])), /more than the 61440/);
  assert.equal(checkSize(new Map([['assets/a.svg', noise]])), 0, 'only scripts and styles count');
});

test('other content is another name, the same content the same', async (t) => {
  const sources = someSources(t, 'document.title = "one";');
  // By their endings: icon, style, script. The order of the hashes says nothing.
  const namesOf = async () => {
    const names = [...(await bundlePage(sources)).assets.keys()];
    return ['.svg', '.css', '.js'].map((ending) => names.find((name) => name.endsWith(ending)));
  };
  const [icon, style, script] = await namesOf();
  assert.deepEqual(await namesOf(), [icon, style, script]);
  writeFileSync(join(sources, 'main.tsx'), 'document.title = "other";');
  const [sameIcon, sameStyle, other] = await namesOf();
  assert.deepEqual([sameIcon, sameStyle], [icon, style]);
  assert.notEqual(other, script);
});

test('sources that do not compile, or HTML without a head, are refused with a sentence', async (t) => {
  await assert.rejects(bundlePage(someSources(t, 'const = 1;')), /main\.tsx:1:6: ERROR: Expected identifier/);
  await assert.rejects(bundlePage(someSources(t, '', '<p>')), /index\.html has no <\/head>/);
});
