// Compiles a library with tsc: one JavaScript file with types and source map for each source file that its exports
// reach. Called by scripts/build.ts.
import { spawnSync } from 'node:child_process';
import { globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { LIB, type SourceManifest } from './published-manifest.ts';
import { renameStarted, startedPrograms } from './started-programs.ts';

export interface Library {
  /** Its folder under packages/. */
  readonly folder: string;
  readonly manifest: SourceManifest;
}

/** Relative imports in types: tsc rewrites those of the JavaScript only. */
const RELATIVE_TS = /((?:from|import\()\s*['"]\.{1,2}\/[^'"]+)\.ts(['"])/g;

/**
 * Each on its own: what it imports of the others is found through node_modules, and is theirs to emit. Throws when tsc
 * reports an error, which it has printed.
 */
export function compileLibrary(root: string, { folder, manifest }: Library): void {
  const directory = join(root, 'packages', folder);
  const scratch = join(root, '.tmp', 'build', folder);
  rmSync(scratch, { recursive: true, force: true });
  mkdirSync(scratch, { recursive: true });
  const exported = Object.values(manifest.exports ?? {}).map((path) => join(directory, path));
  const config = join(scratch, 'tsconfig.json');
  const files = [...exported, ...startedPrograms(join(directory, 'src'))];
  writeFileSync(config, JSON.stringify(configFor(root, directory, scratch, files)));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const { status } = spawnSync(process.execPath, [tsc, '-p', config], { stdio: ['ignore', 'inherit', 'inherit'] });
  if (status !== 0) throw new Error(`tsc has found errors in packages/${folder}`);
  place(join(scratch, 'out'), directory);
  rmSync(scratch, { recursive: true, force: true });
}

function configFor(root: string, directory: string, scratch: string, files: readonly string[]) {
  return {
    extends: join(root, 'tsconfig.json'),
    compilerOptions: {
      noEmit: false,
      rootDir: join(directory, 'src'),
      outDir: join(scratch, 'out'),
      target: 'es2024', // what Node 24 runs as it is
      declaration: true,
      sourceMap: true,
      inlineSources: true,
      allowImportingTsExtensions: false,
      rewriteRelativeImportExtensions: true,
    },
    files,
    include: [],
  };
}

/** Into dist/lib, with the names that hold there. */
function place(compiled: string, directory: string): void {
  for (const path of globSync('**/*.{js,d.ts,map}', { cwd: compiled })) {
    const from = join(compiled, path);
    const to = join(directory, 'dist', LIB, path);
    mkdirSync(dirname(to), { recursive: true });
    const text = readFileSync(from, 'utf8');
    if (path.endsWith('.map')) writeFileSync(to, withSourcesBeside(text, path));
    else if (path.endsWith('.d.ts')) writeFileSync(to, text.replaceAll(RELATIVE_TS, '$1.js$2'));
    else
      writeFileSync(
        to,
        renameStarted(to, text, (program) => slashed(dirname(to), program)),
      );
  }
}

/** The text of the sources is in the maps; the path only names it, as if src/ lay beside lib/. */
function withSourcesBeside(map: string, path: string): string {
  const source = join('src', path.replace(/\.js\.map$/, '.ts'));
  const named = relative(join(LIB, dirname(path)), source).replaceAll('\\', '/');
  return JSON.stringify({ ...JSON.parse(map), sources: [named] });
}

function slashed(from: string, program: string): string {
  const path = relative(from, program).replaceAll('\\', '/').replace(/\.ts$/, '.js');
  return path.startsWith('.') ? path : `./${path}`;
}
