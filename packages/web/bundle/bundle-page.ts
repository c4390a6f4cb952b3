// Makes the page of its sources: index.html, and the assets that it names, with a hash of their content in the name, so
// that a browser may keep them for ever. Called by `npm run build`, and in a clone by whoever serves the page. Runs in
// Node; nothing in src/ imports it.
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { BuildOptions } from 'esbuild';

export interface BundledPage {
  readonly index: string;
  /** By their path below the page: `assets/page-HASH.js`. */
  readonly assets: ReadonlyMap<string, Uint8Array>;
  /** What it was made of, relative to the root of the repository, forward slashes. */
  readonly inputs: readonly string[];
}

const ROOT = join(import.meta.dirname, '..', '..', '..');
export const SOURCES = join(import.meta.dirname, '..', 'src');

/** Rejects with a sentence where esbuild is missing, and with esbuild's own where the sources do not compile. */
export async function bundlePage(sources: string = SOURCES): Promise<BundledPage> {
  const { build } = await esbuild();
  const outdir = join(sources, '..', 'dist');
  const { outputFiles, metafile } = await build({
    ...OPTIONS,
    absWorkingDir: ROOT,
    entryPoints: [
      { in: join(sources, 'main.tsx'), out: 'page' },
      { in: join(sources, 'styles', 'all.css'), out: 'page' },
      { in: join(sources, 'icon.svg'), out: 'icon' },
    ],
    outdir,
  });
  const assets = new Map<string, Uint8Array>();
  for (const { path, contents } of outputFiles) {
    const name = relative(outdir, path).replaceAll('\\', '/');
    if (name.endsWith('.js')) assets.set(...(await smaller(name, contents)));
    else assets.set(name, contents);
  }
  const template = await readFile(join(sources, 'index.html'), 'utf8');
  return { index: withAssets(template, [...assets.keys()]), assets, inputs: Object.keys(metafile.inputs) };
}

const OPTIONS = {
  entryNames: 'assets/[name]-[hash]',
  assetNames: 'assets/[name]-[hash]',
  bundle: true,
  write: false,
  metafile: true,
  // Names are left to terser.
  minifySyntax: true,
  minifyWhitespace: true,
  format: 'esm',
  target: 'es2022',
  platform: 'browser',
  charset: 'utf8',
  // Children as arguments and not as a property: 500 bytes less of the page.
  jsx: 'transform',
  jsxFactory: 'h',
  jsxFragment: 'Fragment',
  inject: [join(import.meta.dirname, 'jsx.ts')],
  // Not that of the package, whose JSX is for the compiler.
  tsconfigRaw: '{}',
  loader: { '.svg': 'copy' },
  // The shorter name of the same, which becomes 1/0.
  define: { 'Number.POSITIVE_INFINITY': 'Infinity' },
  // Notices of others are in the published package, as a file.
  legalComments: 'none',
  logLevel: 'silent',
} as const satisfies BuildOptions;

/** Another 2,000 bytes less, packed, than what esbuild makes. */
async function smaller(name: string, contents: Uint8Array): Promise<[string, Uint8Array]> {
  const content = new TextEncoder().encode(await smallerScript(new TextDecoder().decode(contents)));
  return [name.replace(/-[A-Z0-9]{8}\.js$/, `-${hash('sha256', content).slice(0, 8).toUpperCase()}.js`), content];
}

function smallerScript(script: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const thread = new Worker(new URL('smaller-script.ts', import.meta.url), { workerData: script });
    thread.once('message', resolve).once('error', reject);
    thread.once('exit', () => reject(new Error('the thread that makes the script of the page smaller has ended')));
  });
}

/** Nothing inline: the Content-Security-Policy of the server forbids it. */
function withAssets(template: string, names: readonly string[]): string {
  const tags = names.toSorted().map((name) => {
    if (name.endsWith('.js')) return `<script type="module" src="/${name}"></script>`;
    return name.endsWith('.css') ? `<link rel="stylesheet" href="/${name}">` : `<link rel="icon" href="/${name}">`;
  });
  if (!template.includes('</head>')) throw new Error('index.html has no </head> to put the assets before');
  return template.replace(
    /^(\s*)<\/head>/m,
    (end, indent: string) => `${tags.map((tag) => `${indent}  ${tag}\n`).join('')}${end}`,
  );
}

async function esbuild(): Promise<typeof import('esbuild')> {
  try {
    return await import('esbuild');
  } catch (cause) {
    throw new Error('esbuild is missing, which makes the page of its sources: run npm ci in the clone', { cause });
  }
}
