// Leads imports of a package's index to the files behind it: `import { who } from '@podtrail/history'` becomes an import
// of query/who.ts. A bundler that splits follows whatever an index names, so that every command would load everything;
// led past it, each loads what it uses. Called by scripts/build/bundle-command.ts.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parseSync } from 'oxc-parser';

/** The file behind a name that others import; undefined for what is not ours to lead past. */
export type FindIndex = (specifier: string) => string | undefined;

interface Behind {
  readonly file: string;
  readonly name: string;
}

/** Lines stay where they are, for source maps. */
export function directImports(path: string, code: string, findIndex: FindIndex): string {
  let led = code;
  const { staticImports } = parseSync(path, code).module;
  for (const { start, end, moduleRequest, entries } of staticImports.toReversed()) {
    const index = findIndex(moduleRequest.value);
    if (index === undefined || entries.length === 0) continue;
    const behind = namesOf(index);
    const values = entries.filter(({ isType }) => !isType);
    const imports = values.map(({ importName, localName }) => {
      const found = importName.kind === 'Name' ? behind.get(importName.name ?? '') : undefined;
      return found && `import { ${found.name} as ${localName.value} } from ${JSON.stringify(found.file)};`;
    });
    if (imports.includes(undefined)) continue;
    const newlines = '\n'.repeat(code.slice(start, end).split('\n').length - 1);
    led = led.slice(0, start) + imports.join(' ') + newlines + led.slice(end);
  }
  return led;
}

const known = new Map<string, ReadonlyMap<string, Behind>>();

/** What an index exports, and from where; what it defines itself is not in it. */
function namesOf(index: string): ReadonlyMap<string, Behind> {
  const before = known.get(index);
  if (before !== undefined) return before;
  const names = new Map<string, Behind>();
  for (const { entries } of parseSync(index, readFileSync(index, 'utf8')).module.staticExports) {
    for (const { exportName, importName, moduleRequest, isType } of entries) {
      if (isType || moduleRequest === null || exportName.name === null || importName.name === null) continue;
      names.set(exportName.name, { file: resolve(dirname(index), moduleRequest.value), name: importName.name });
    }
  }
  known.set(index, names);
  return names;
}
