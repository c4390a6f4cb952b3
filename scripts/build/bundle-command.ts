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
    // What makes the page in a clone; in what is published the page lies beside the code.
    external: ['@podtrail/web/bundle'],
    // CommonJS among the dependencies asks for Node's own modules by `require`.
    banner: {
      js: "import { createRequire as createRequireHere } from 'node:module';\nconst require = createRequireHere(import.meta.url);",
    },
    plugins: [ours(root, names), slimUndici(root)],
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

/**
 * Of undici the transport uses two classes; its index also loads fetch, WebSocket, caches and mocks, which a recorder
 * would keep in memory for all its life. A name that is not here fails the build.
 */
const UNDICI = `
import api from 'undici/lib/api/index.js';
import Dispatcher from 'undici/lib/dispatcher/dispatcher.js';
Object.assign(Dispatcher.prototype, api);
export { default as Pool } from 'undici/lib/dispatcher/pool.js';
export { default as ProxyAgent } from 'undici/lib/dispatcher/proxy-agent.js';
`;

function slimUndici(root: string): Plugin {
  return {
    name: 'slim-undici',
    setup({ onLoad, onResolve }) {
      onResolve({ filter: /^undici$/ }, () => ({ path: 'undici', namespace: 'slim' }));
      onLoad({ filter: /^undici$/, namespace: 'slim' }, () => ({ contents: UNDICI, resolveDir: root, loader: 'js' }));
      // Connections speak HTTP/1.1 (allowH2 is false); node:http2 alone is 11 MB.
      onLoad({ filter: /undici[\\/]lib[\\/]dispatcher[\\/]client-h2\.js$/ }, () => ({
        contents: "module.exports = () => { throw new Error('HTTP/2 is not in this bundle') };",
        loader: 'js',
      }));
    },
  };
}
