// Imports of a built library that would fail where it is installed: a package that its manifest does not name (here it
// resolves, because npm hoists), or a file that was not built. Types count, because the compiler of the person who
// installs it reads them. Called by scripts/build.ts.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join } from 'node:path';
import { readImports } from '../layers/read-imports.ts';

/** One sentence for each, in the order of the files. */
export function brokenImports(lib: string, declared: ReadonlySet<string>): string[] {
  const files = globSync('**/*.{js,d.ts}', { cwd: lib }).sort();
  return files.flatMap((file) => {
    const specifiers = readImports(file, readFileSync(join(lib, file), 'utf8')).map(({ specifier }) => specifier);
    return [...new Set(specifiers)].flatMap((specifier) => {
      if (specifier.startsWith('.')) {
        const built = join(
          lib,
          dirname(file),
          file.endsWith('.d.ts') ? specifier.replace(/\.js$/, '.d.ts') : specifier,
        );
        return existsSync(built) ? [] : [`${file} imports ${specifier}, which was not built`];
      }
      if (isBuiltin(specifier) || declared.has(packageOf(specifier))) return [];
      return [`${file} imports ${specifier}, which is not declared`];
    });
  });
}

function packageOf(specifier: string): string {
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}
