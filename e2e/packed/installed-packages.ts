// The packages as somebody else gets them: built, packed, and their tarballs installed by npm into an empty directory,
// with nothing else and nothing of the clone. Used by the tests of this folder.
import { spawn } from 'node:child_process';
import { existsSync, globSync, readdirSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export class InstalledPackages {
  /** The directory with node_modules; commands run there. */
  readonly directory: string;
  readonly tarballs: readonly string[];
  readonly #scratch: string;

  static async install(): Promise<InstalledPackages> {
    const scratch = await mkdtemp(join(tmpdir(), 'podtrail-packed-'));
    const packed = join(scratch, 'tarballs');
    const directory = join(scratch, 'empty');
    await mkdir(packed);
    await mkdir(directory);
    // Else npm looks for a project in the folders above.
    await writeFile(join(directory, 'package.json'), JSON.stringify({ private: true, type: 'module' }));
    const build = await execute(process.execPath, [join(ROOT, 'scripts', 'build.ts')], ROOT);
    if (build.code !== 0) throw new Error(`npm run build has failed:\n${build.err}${build.out}`);
    const built = globSync('packages/*/dist/package.json', { cwd: ROOT }).map((path) => `./${dirname(path)}`);
    await npm(['pack', ...built, '--pack-destination', packed], ROOT);
    const tarballs = readdirSync(packed).map((name) => join(packed, name));
    // What npm has in its cache since `npm ci` is taken from there, and only the rest from the registry.
    const quiet = ['--prefer-offline', '--no-audit', '--no-fund', '--no-package-lock'];
    await npm(['install', ...quiet, ...tarballs], directory);
    return new InstalledPackages(scratch, directory, tarballs);
  }

  private constructor(scratch: string, directory: string, tarballs: readonly string[]) {
    this.#scratch = scratch;
    this.directory = directory;
    this.tarballs = tarballs;
  }

  path(...names: readonly string[]): string {
    return join(this.directory, ...names);
  }

  /** What npm linked, on the Node of the machine and not on that of the clone. */
  run(command: string, words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Ran> {
    return execute(this.path('node_modules', '.bin', command), words, this.directory, env);
  }

  start(command: string, words: readonly string[]) {
    const stdio = ['ignore', 'pipe', 'pipe'] as const;
    const program = this.path('node_modules', '.bin', command);
    return spawn(program, words, { cwd: this.directory, env: outsideEnv(), stdio: [...stdio] });
  }

  async remove(): Promise<void> {
    await rm(this.#scratch, { recursive: true, force: true });
  }
}

/** Without the folders that npm puts in front for scripts of the clone, and without its settings. */
function outsideEnv(): NodeJS.ProcessEnv {
  const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
  const kept = Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_/i.test(name));
  return { ...Object.fromEntries(kept), PATH: path.join(delimiter) };
}

export function execute(
  program: string,
  words: readonly string[],
  cwd: string,
  env: NodeJS.ProcessEnv = {},
): Promise<Ran> {
  const child = spawn(program, words, {
    cwd,
    env: { ...outsideEnv(), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  const ran = { out: '', err: '' };
  child.stdout.on('data', (chunk) => (ran.out += chunk));
  child.stderr.on('data', (chunk) => (ran.err += chunk));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code) => resolve({ code, ...ran }));
  });
}

async function npm(words: readonly string[], cwd: string): Promise<void> {
  const { code, out, err } = await execute('npm', words, cwd);
  if (code !== 0) throw new Error(`npm ${words[0]} has failed in ${cwd}:\n${err}${out}`);
}

/** The types of Node and the compiler come from the clone; everything else that is named is in the empty directory. */
export async function typeCheck(installed: InstalledPackages, config: string): Promise<Ran> {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  if (!existsSync(tsc)) throw new Error('typescript is not installed: run npm ci first');
  return await execute(process.execPath, [tsc, '-p', config], installed.directory);
}

export const NODE_TYPES = join(ROOT, 'node_modules', '@types');
