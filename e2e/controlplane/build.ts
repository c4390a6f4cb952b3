// Builds the programs of the control plane once, into a cache outside the repository. Called by the test runner before
// the end-to-end tests (`node e2e/controlplane/build.ts`) and by startControlPlane; when the cache holds them it only
// looks.
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { buildOnce, showProgress } from './build-once.ts';
import { runBuild } from './build-program.ts';
import { type Binaries, binariesIn, cacheKey, cacheRoot } from './cache-directory.ts';
import { buildGo, dependencyDirectory, requireGo } from './go-toolchain.ts';
import {
  etcdVersion,
  goMod,
  KWOK_STAGES,
  kubernetesVersion,
  kwokVersion,
  MODULES,
  MODULES_DIRECTORY,
  PROGRAMS,
  requiredGoVersion,
} from './programs.ts';

export interface EnsureBinariesOptions {
  /** Holds the folders of all keys. */
  root?: string;
  output?: NodeJS.WriteStream;
}

export async function ensureBinaries(options: EnsureBinariesOptions = {}): Promise<Binaries> {
  const { root = cacheRoot(), output = process.stderr } = options;
  const directory = await buildOnce({
    root,
    key: cacheKey(),
    what: 'the control plane',
    output,
    build: async (partial, final) => {
      await requireGo(requiredGoVersion(MODULES.map(goMod)));
      await buildInto(partial, final, output);
    },
  });
  return binariesIn(directory);
}

async function buildInto(partial: string, directory: string, output: NodeJS.WriteStream): Promise<void> {
  const versions = `Kubernetes ${kubernetesVersion}, etcd ${etcdVersion}, kwok ${kwokVersion}`;
  output.write(`Building the control plane once (${versions}) into ${directory}; cold this takes about ten minutes.\n`);
  for (const [index, program] of PROGRAMS.entries()) {
    const finish = showProgress(output, `[${index + 1}/${PROGRAMS.length}] ${program.name}`);
    try {
      const { package: source, variables } = program;
      const directory = join(MODULES_DIRECTORY, program.module);
      await buildGo({ directory, package: source, variables, output: join(partial, program.name) });
    } finally {
      finish();
    }
  }
  await joinStages(join(partial, 'stages'));
}

/** kwok ships its stages as kustomize folders; start-up reads the joined files and so needs no Go. */
async function joinStages(target: string): Promise<void> {
  await mkdir(target);
  const source = join(
    await dependencyDirectory(join(MODULES_DIRECTORY, 'kwok'), 'sigs.k8s.io/kwok'),
    'kustomize',
    'stage',
  );
  const stages = binariesIn(join(target, '..'));
  for (const stage of KWOK_STAGES) {
    const folder = join(source, ...stage.split('/'));
    const names = (await readdir(folder)).filter((name) => name.endsWith('.yaml') && name !== 'kustomization.yaml');
    const documents = await Promise.all(names.sort().map((name) => readFile(join(folder, name), 'utf8')));
    await writeFile(stages.stage(stage), documents.map((text) => `${text.trimEnd()}\n`).join('---\n'));
  }
}

if (import.meta.main) {
  await runBuild(async () => {
    // On a given cluster the tests run without a control plane of their own, so nothing is to be built for them.
    if (process.env['PODTRAIL_E2E_KUBECONFIG']) {
      process.stderr.write('PODTRAIL_E2E_KUBECONFIG names a given cluster: no control plane is built.\n');
      return;
    }
    const { directory } = await ensureBinaries();
    process.stderr.write(`The control plane's programs are in ${directory}.\n`);
  });
}
