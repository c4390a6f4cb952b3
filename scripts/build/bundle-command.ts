// Bundles the command with everything that it imports, ours and others'. Called by scripts/build.ts. What a command
// loads only when it is asked for (`await import`) becomes a file of its own: in one file of 4 MB every start would read
// and keep all of it, which costs 20 MB and twice the time.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, join, relative } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { directImports } from './direct-imports.ts';
import { renameStarted, startedPrograms } from './started-programs.ts';

export interface Bundle {
  /** What it was made of, relative to the root, forward slashes. */
  readonly inputs: readonly string[];
}

/** Every program is a file of its name in `to`; what they share lies beside them. */
export async function bundleCommand(root: string, main: string, to: string): Promise<Bundle> {
  const programs = [...new Set([main, ...startedPrograms(join(root, 'packages'))])];
  const names = new Map(programs.map((program) => [program, `./${basename(program, '.ts')}.js`]));
  if (new Set(names.values()).size < names.size) throw new Error(`two programs have one name: ${programs.join(', ')}`);
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: programs,
    entryNames: '[name]',
    outdir: to,
    bundle: true,
    splitting: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    sourcemap: true,
    metafile: true,
    logLevel: 'warning',
    // CommonJS among the dependencies asks for Node's own modules by `require`.
    banner: {
      js: "import { createRequire as createRequireHere } from 'node:module';\nconst require = createRequireHere(import.meta.url);",
    },
    plugins: [ours(root, names)],
  });
  const inputs = Object.keys(metafile.inputs).map((path) => relative(root, join(root, path)).replaceAll('\\', '/'));
  return { inputs };
}

function ours(root: string, names: ReadonlyMap<string, string>): Plugin {
  const { resolve } = createRequire(join(root, 'package.json'));
  const findIndex = (specifier: string) => (specifier.startsWith('@podtrail/') ? resolve(specifier) : undefined);
  // Every file of the bundle is in one folder, so a URL names the program alone.
  const rename = (program: string): string => {
    const name = names.get(program);
    if (name === undefined) throw new Error(`${program} is started by its URL, and is not in the bundle`);
    return name;
  };
  return {
    name: 'ours',
    setup({ onLoad }) {
      onLoad({ filter: /[\\/]packages[\\/].+\.ts$/ }, ({ path }) => {
        const code = renameStarted(path, readFileSync(path, 'utf8'), rename);
        return { contents: directImports(path, code, findIndex), loader: 'ts' };
      });
    },
  };
}
