import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { findLayerViolations } from './check-layers.ts';
import { madeUpTree } from './testing/made-up-tree.ts';

const ROOT = { name: 'root', private: true, workspaces: ['packages/*', 'e2e'], devDependencies: { linter: '1' } };
const manifest = (name: string, more: object = {}) => JSON.stringify({ name: `@podtrail/${name}`, ...more });

function check(t: TestContext, files: Record<string, string>): string[] {
  return findLayerViolations(madeUpTree(t, { 'package.json': JSON.stringify(ROOT), ...files }));
}

const machinery = {
  'packages/machinery/package.json': manifest('machinery', {
    dependencies: { undici: '1', '@scope/dep': '1' },
    devDependencies: { oracle: '1' },
  }),
};
const history = { 'packages/history/package.json': manifest('history') };

test('declared dependencies, builtins, own files and the own name are fine', (t) => {
  const source = `
    import { readFile } from 'node:fs/promises';
    import { fetch } from 'undici';
    import '@scope/dep/deep/file.js';
    import { y } from './deep/y.ts';
    import { x } from '@podtrail/machinery';
    export * from '../src/z.ts';
    // import 'in-a-comment';
    const text = "import 'in-a-string'";
    await import(text);`;
  assert.deepEqual(check(t, { ...machinery, 'packages/machinery/src/a.ts': source }), []);
});

const undeclaredForms = {
  'an import': `import x from 'hoisted';`,
  'an import for its side effect': `import 'hoisted/side.js';`,
  'a type import': `import type { X } from 'hoisted';`,
  'a re-export': `export { x } from 'hoisted';`,
  'a re-export of everything': `export * from 'hoisted';`,
  'a dynamic import': `const x = await import('hoisted');`,
  'a dynamic import by a template without holes': 'const x = await import(`hoisted`);',
  'a type in import() form': `type X = import('hoisted').X;`,
  'an import after a regular expression with quotes': `const r = /['"]/; import x from 'hoisted';`,
};
for (const [form, source] of Object.entries(undeclaredForms)) {
  test(`${form} that resolves only by hoisting is caught`, (t) => {
    const [violation, ...rest] = check(t, { ...machinery, 'packages/machinery/src/a.ts': source });
    assert.match(violation ?? '', /^packages\/machinery\/src\/a\.ts imports hoisted.*does not declare hoisted$/);
    assert.deepEqual(rest, []);
  });
}

test('a devDependency is for tests and testing folders only, except in private packages', (t) => {
  const source = `import 'oracle';`;
  const violations = check(t, {
    ...machinery,
    'packages/machinery/src/a.ts': source,
    'packages/machinery/src/a.test.ts': source,
    'packages/machinery/src/testing/b.ts': source,
    'e2e/package.json': manifest('e2e', { private: true, devDependencies: { oracle: '1' } }),
    'e2e/c.ts': source,
    'scripts/d.ts': `import 'linter';`,
  });
  assert.deepEqual(violations, [
    'packages/machinery/src/a.ts imports oracle: oracle is a devDependency, which only tests may import',
  ]);
});

test('a relative import may not leave its package', (t) => {
  const violations = check(t, {
    ...machinery,
    ...history,
    'packages/machinery/src/a.ts': `import '../../history/src/b.ts';`,
    'packages/history/src/b.ts': `import '../../history-of-something-else/c.ts';`,
    'scripts/d.ts': `import '../e2e/x.ts';`,
  });
  assert.deepEqual(violations, [
    'scripts/d.ts imports ../e2e/x.ts: a relative path may not leave scripts',
    'packages/history/src/b.ts imports ../../history-of-something-else/c.ts: a relative path may not leave packages/history',
    'packages/machinery/src/a.ts imports ../../history/src/b.ts: a relative path may not leave packages/machinery',
  ]);
});

test('source may not import test code, tests may', (t) => {
  const violations = check(t, {
    ...machinery,
    'packages/machinery/src/a.ts': `import './testing/clock.ts'; import './b.test.ts';`,
    'packages/machinery/src/a.test.ts': `import './testing/clock.ts';`,
  });
  assert.deepEqual(violations, [
    'packages/machinery/src/a.ts imports ./testing/clock.ts: only tests may import test code',
    'packages/machinery/src/a.ts imports ./b.test.ts: only tests may import test code',
  ]);
});

test('source may not import the test code of another package either', (t) => {
  const violations = check(t, {
    ...machinery,
    'packages/operator/package.json': manifest('operator', { dependencies: { '@podtrail/machinery': '1' } }),
    'packages/operator/src/a.ts': `import '@podtrail/machinery/testing';`,
    'packages/operator/src/a.test.ts': `import '@podtrail/machinery/testing';`,
  });
  assert.deepEqual(violations, [
    'packages/operator/src/a.ts imports @podtrail/machinery/testing: only tests may import test code',
  ]);
});

test('a command that asks may import the wire of history, and nothing deeper', (t) => {
  const violations = check(t, {
    ...history,
    'packages/cli/package.json': manifest('cli', { dependencies: { '@podtrail/history': '1' } }),
    'packages/cli/src/commands/who.ts': `import '@podtrail/history/wire'; import { who } from '@podtrail/history';`,
    'packages/cli/src/commands/who.test.ts': `import '@podtrail/history';`,
    'packages/cli/src/commands/record.ts': `import '@podtrail/history';`,
  });
  assert.deepEqual(violations, [
    'packages/cli/src/commands/who.ts imports @podtrail/history: a door may only import @podtrail/history/wire',
  ]);
});

test('an arrow that the house does not have is caught in package.json and in the import, also in a test', (t) => {
  const violations = check(t, {
    ...machinery,
    'packages/history/package.json': manifest('history', { devDependencies: { '@podtrail/machinery': '1' } }),
    'packages/history/src/a.test.ts': `import '@podtrail/machinery/testing';`,
  });
  assert.deepEqual(violations, [
    'packages/history/package.json declares @podtrail/machinery, but history may not know machinery',
    'packages/history/src/a.test.ts imports @podtrail/machinery/testing: history may not know machinery',
  ]);
});

test('an allowed arrow must still be declared', (t) => {
  const operator = (dependencies: object) => ({
    ...machinery,
    'packages/operator/package.json': manifest('operator', { dependencies }),
    'packages/operator/src/a.ts': `import '@podtrail/machinery';`,
  });
  assert.deepEqual(check(t, operator({ '@podtrail/machinery': '1' })), []);
  assert.deepEqual(check(t, operator({})), [
    'packages/operator/src/a.ts imports @podtrail/machinery: packages/operator/package.json does not declare @podtrail/machinery',
  ]);
});

test('the web page may only import types, and only of the answers', (t) => {
  const web = (source: string) => ({
    ...history,
    'packages/web/package.json': manifest('web', { dependencies: { '@podtrail/history': '1' } }),
    'packages/web/src/a.ts': source,
  });
  assert.deepEqual(check(t, web(`import type { Answer } from '@podtrail/history/wire';`)), []);
  const only = 'web may only `import type` from @podtrail/history/wire';
  for (const source of [
    `import { who } from '@podtrail/history/wire';`,
    `import { type Answer } from '@podtrail/history/wire';`,
    `import type { Engine } from '@podtrail/history';`,
  ]) {
    const [violation = ''] = check(t, web(source));
    assert.ok(violation.endsWith(only), `${source} gave "${violation}"`);
  }
});

test('a folder with TypeScript and no package.json, and a file that does not parse, are said', (t) => {
  const violations = check(t, { 'packages/cli/src/a.ts': '', 'scripts/broken.ts': 'import from from from' });
  assert.equal(violations[0], 'packages/cli holds TypeScript but no package.json that declares what it imports');
  assert.match(violations[1] ?? '', /^scripts\/broken\.ts does not parse: /);
});

test('folders of one package may not need each other, not even for a type or by way of a third; tests may look back', (t) => {
  const circle = check(t, {
    ...machinery,
    'packages/machinery/src/index.ts': `export * from './reflector/a.ts'; export * from './informer/b.ts';`,
    'packages/machinery/src/reflector/a.ts': `import type { B } from '../informer/b.ts'; import '../clock.ts';`,
    'packages/machinery/src/informer/b.ts': `import '../objects/c.ts';`,
    'packages/machinery/src/objects/c.ts': `import '../reflector/d.ts';`,
    'packages/machinery/src/reflector/d.ts': `import './a.ts';`,
    'packages/machinery/src/objects/c.test.ts': `import '../informer/b.ts';`,
  });
  const because = (a: string, b: string) => `${b} needs ${a} already, and rooms may not need each other`;
  const at = 'packages/machinery/src';
  assert.deepEqual(circle, [
    `${at}/informer/b.ts imports ${at}/objects/c.ts: ${because('informer', 'objects')}`,
    `${at}/objects/c.ts imports ${at}/reflector/d.ts: ${because('objects', 'reflector')}`,
    `${at}/reflector/a.ts imports ${at}/informer/b.ts: ${because('reflector', 'informer')}`,
  ]);
  const line = check(t, {
    ...machinery,
    'packages/machinery/src/reflector/a.ts': `import '../objects/c.ts';`,
    'packages/machinery/src/reflector/a.test.ts': `import '../informer/b.ts';`,
    'packages/machinery/src/informer/b.ts': `import '../reflector/a.ts'; import '../objects/c.ts';`,
    'packages/machinery/src/objects/c.ts': `import './d.ts';`,
  });
  assert.deepEqual(line, []);
});
