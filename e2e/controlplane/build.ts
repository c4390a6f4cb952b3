// Builds the programs of the control plane once, into a cache outside the repository. Called by the test runner before
// the end-to-end tests (`node e2e/controlplane/build.ts`) and by startControlPlane; when the cache holds them it only
// looks. Invariant: a cache folder under its final name is complete.
import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { acquireBuildLock, isAlive } from './build-lock.ts';
import { type Binaries, binariesIn, cacheKey, cacheRoot } from './cache-directory.ts';
import { ControlPlaneError } from './control-plane-error.ts';
import { buildProgram, dependencyDirectory, endBuilds, requireGo } from './go-toolchain.ts';
import { etcdVersion, KWOK_STAGES, kubernetesVersion, kwokVersion, PROGRAMS } from './programs.ts';

export interface EnsureBinariesOptions {
  /** Holds the folders of all keys. */
  root?: string;
  output?: NodeJS.WriteStream;
}

export async function ensureBinaries(options: EnsureBinariesOptions = {}): Promise<Binaries> {
  const { root = cacheRoot(), output = process.stderr } = options;
  const key = cacheKey();
  const directory = join(root, key);
  if (existsSync(directory)) return binariesIn(directory);
  await mkdir(root, { recursive: true });
  const release = await acquireBuildLock(`${directory}.lock`, {
    onWait: (pid) => output.write(`Another run (pid ${pid}) is building the control plane; waiting for it.\n`),
  });
  try {
    if (existsSync(directory)) return binariesIn(directory);
    await requireGo();
    await removeAbandoned(root, key);
    const partial = `${directory}.partial-${process.pid}`;
    await mkdir(partial, { recursive: true });
    try {
      await buildInto(partial, directory, output);
      await rename(partial, directory);
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      throw error;
    }
  } finally {
    await release();
  }
  return binariesIn(directory);
}

async function buildInto(partial: string, directory: string, output: NodeJS.WriteStream): Promise<void> {
  const versions = `Kubernetes ${kubernetesVersion}, etcd ${etcdVersion}, kwok ${kwokVersion}`;
  output.write(`Building the control plane once (${versions}) into ${directory}; cold this takes about ten minutes.\n`);
  for (const [index, program] of PROGRAMS.entries()) {
    const finish = showProgress(output, `[${index + 1}/${PROGRAMS.length}] ${program.name}`);
    try {
      await buildProgram(program, join(partial, program.name));
    } finally {
      finish();
    }
  }
  await joinStages(join(partial, 'stages'));
}

/** kwok ships its stages as kustomize folders; start-up reads the joined files and so needs no Go. */
async function joinStages(target: string): Promise<void> {
  await mkdir(target);
  const source = join(await dependencyDirectory('kwok', 'sigs.k8s.io/kwok'), 'kustomize', 'stage');
  const stages = binariesIn(join(target, '..'));
  for (const stage of KWOK_STAGES) {
    const folder = join(source, ...stage.split('/'));
    const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml');
    const documents = await Promise.all(names.sort().map((name) => readFile(join(folder, name), 'utf8')));
    await writeFile(stages.stage(stage), documents.map((text) => `${text.trimEnd()}\n`).join('---\n'));
  }
}

/** What interrupted builds left behind. */
async function removeAbandoned(root: string, key: string): Promise<void> {
  for (const name of await readdir(root)) {
    const pid = new RegExp(`^${key}\\.partial-(\\d+)$`).exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(root, name), { recursive: true, force: true });
  }
}

/** One line for each program; its seconds run on a terminal, and appear now and then in a log. */
function showProgress(output: NodeJS.WriteStream, label: string): () => void {
  const start = performance.now();
  const seconds = () => `${Math.round((performance.now() - start) / 1000)} s`;
  if (output.isTTY) output.write(label);
  else output.write(`${label} …\n`);
  const timer = setInterval(
    () => output.write(output.isTTY ? `\r${label} … ${seconds()}` : `${label} … still building after ${seconds()}\n`),
    output.isTTY ? 1_000 : 60_000,
  );
  return () => {
    clearInterval(timer);
    output.write(output.isTTY ? `\r${label} … ${seconds()}\n` : `${label} took ${seconds()}\n`);
  };
}

if (import.meta.main) {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      endBuilds();
      process.exit(signal === 'SIGINT' ? 130 : 143);
    });
  }
  try {
    // On a given cluster the tests run without a control plane of their own, so nothing is to be built for them.
    if (process.env['PODTRAIL_E2E_KUBECONFIG']) {
      process.stderr.write('PODTRAIL_E2E_KUBECONFIG names a given cluster: no control plane is built.\n');
    } else {
      const { directory } = await ensureBinaries();
      process.stderr.write(`The control plane's programs are in ${directory}.\n`);
    }
  } catch (error) {
    if (!(error instanceof ControlPlaneError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exitCode = 1;
  }
}
