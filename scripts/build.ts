// `npm run build`: writes packages/*/dist, each the package as it is published: JavaScript with types and source maps,
// package.json, README and licence. Pack or publish that folder (npm pack ./packages/cli/dist), not the one above it.
// packages/web/dist has the page alone, and the command takes a copy of it along. Nothing in the clone runs from dist/.
import { copyFileSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { brokenImports } from './build/broken-imports.ts';
import { bundleCommand } from './build/bundle-command.ts';
import { compileLibrary, type Library } from './build/compile-library.ts';
import {
  commandManifest,
  LIB,
  libraryManifest,
  NOTICES,
  PAGE,
  type RootManifest,
  repositoryUrl,
  type SourceManifest,
} from './build/published-manifest.ts';
import { thirdPartyNotices } from './build/third-party-notices.ts';

const ROOT = join(import.meta.dirname, '..');
const started = performance.now();
const repository = repositoryUrl(process.env);
const packages: readonly Library[] = globSync('packages/*/package.json', { cwd: ROOT })
  .map((path) => ({ folder: basename(dirname(path)), manifest: readJson<SourceManifest>(path) }))
  .sort((a, b) => a.folder.localeCompare(b.folder));
const libraries = packages.filter(({ manifest }) => manifest.exports !== undefined && !manifest.private);
const commands = packages.filter(({ manifest }) => manifest.bin !== undefined);

/** By a computed path: scripts know none of our packages, and this one only passes files on. */
interface PageBundler {
  bundlePage(): Promise<{ index: string; assets: ReadonlyMap<string, Uint8Array>; inputs: readonly string[] }>;
  /** Throws a sentence where it is larger than it may be. */
  checkSize(assets: ReadonlyMap<string, Uint8Array>): number;
}

try {
  for (const { folder } of packages) rmSync(dist(folder), { recursive: true, force: true });
  for (const library of libraries) writeLibrary(library);
  const page = await bundledPage();
  writePage(dist('web'), page);
  for (const command of commands) await writeCommand(command, page);
  process.stdout.write(`${packages.map(({ folder }) => `packages/${folder}/dist\n`).join('')}`);
  process.stdout.write(`Built in ${((performance.now() - started) / 1000).toFixed(1)} s.\n`);
} catch (error) {
  process.stderr.write(`The build has failed: ${error instanceof Error ? error.message : error}\n`);
  process.exitCode = 1;
}

function writeLibrary(library: Library): void {
  const { folder, manifest } = library;
  compileLibrary(ROOT, library);
  writeRest(folder, libraryManifest(manifest, repository));
  const declared = new Set([manifest.name, ...Object.keys(manifest.dependencies ?? {})]);
  const broken = brokenImports(dist(folder, LIB), declared);
  if (broken.length > 0) throw new Error(`${manifest.name}: ${broken.join('; ')}`);
}

async function bundledPage() {
  const { bundlePage, checkSize } = (await import(
    pathToFileURL(join(ROOT, 'packages/web/bundle/index.ts')).href
  )) as PageBundler;
  const page = await bundlePage();
  process.stdout.write(`the page: ${checkSize(page.assets)} bytes of scripts and styles, packed\n`);
  return page;
}

type Page = Awaited<ReturnType<typeof bundledPage>>;

function writePage(to: string, { index, assets }: Page): void {
  mkdirSync(join(to, 'assets'), { recursive: true });
  writeFileSync(join(to, 'index.html'), index);
  for (const [path, content] of assets) writeFileSync(join(to, path), content);
}

async function writeCommand({ folder, manifest }: Library, page: Page): Promise<void> {
  const sources = join(ROOT, 'packages', folder, 'src');
  const { inputs } = await bundleCommand(ROOT, join(sources, 'main.ts'), dist(folder, LIB));
  writeRest(folder, commandManifest(manifest, readJson<RootManifest>('package.json'), repository));
  writePage(dist(folder, PAGE), page);
  writeFileSync(dist(folder, NOTICES), thirdPartyNotices(ROOT, [...inputs, ...page.inputs]));
  for (const path of new Set(Object.values(manifest.bin ?? {}))) {
    const launcher = readFileSync(join(ROOT, 'packages', folder, path), 'utf8');
    const built = launcher.replaceAll(/'\.\/([\w-]+)\.ts'/g, `'./${LIB}/$1.js'`);
    writeFileSync(dist(folder, basename(path)), built, { mode: 0o755 });
  }
}

function writeRest(folder: string, manifest: object): void {
  mkdirSync(dist(folder), { recursive: true });
  writeFileSync(dist(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(ROOT, 'packages', folder, 'README.md'), dist(folder, 'README.md'));
  copyFileSync(join(ROOT, 'LICENSE'), dist(folder, 'LICENSE'));
}

function dist(folder: string, ...path: readonly string[]): string {
  return join(ROOT, 'packages', folder, 'dist', ...path);
}

function readJson<T>(path: string): T {
  return JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as T;
}
