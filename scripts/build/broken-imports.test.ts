import assert from 'node:assert/strict';
import { test } from 'node:test';
import { madeUpTree } from '../testing/made-up-tree.ts';
import { brokenImports } from './broken-imports.ts';

test('an import that is not declared or was not built is named, of JavaScript and of types', (t) => {
  const lib = madeUpTree(t, {
    'a.js': "import 'node:fs';\nimport './b.js';\nimport '@scope/declared/sub';\nimport 'hoisted';\n",
    'a.d.ts': "import type { X } from 'hoisted-types';\nexport { Y } from './b.js';\nexport declare const x: X;\n",
    'b.js': '',
  });
  assert.deepEqual(brokenImports(lib, new Set(['@scope/declared'])), [
    'a.d.ts imports hoisted-types, which is not declared',
    'a.d.ts imports ./b.js, which was not built',
    'a.js imports hoisted, which is not declared',
  ]);
});
