import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { madeUpTree } from '../testing/made-up-tree.ts';
import { directImports } from './direct-imports.ts';

test('an import of an index leads to the files behind it, line by line as before', (t) => {
  const root = madeUpTree(t, {
    'index.ts':
      "export { who, type Answer } from './query/who.ts';\nexport { open as openStore } from './open.ts';\nexport const own = 1;\n",
  });
  const find = (specifier: string) => (specifier === '@x/history' ? join(root, 'index.ts') : undefined);
  const lead = (code: string) =>
    directImports('a.ts', code, find).replaceAll(JSON.stringify(root).slice(1, -1), 'ROOT');
  assert.equal(
    lead("import {\n  type Answer,\n  openStore,\n  who as ask,\n} from '@x/history';\nask();\n"),
    'import { open as openStore } from "ROOT/open.ts"; import { who as ask } from "ROOT/query/who.ts";\n\n\n\n\nask();\n',
  );
  for (const untouched of [
    "import { own, who } from '@x/history';\n",
    "import * as all from '@x/history';\n",
    "import { who } from './who.ts';\n",
    "const later = import('@x/history');\n",
  ]) {
    assert.equal(lead(untouched), untouched);
  }
});
