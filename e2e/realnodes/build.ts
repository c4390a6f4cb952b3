// Builds the programs of real nodes once, into a cache outside the repository: one folder for each Go module. When the
// cache holds them it only looks. `node e2e/realnodes/build.ts [1.34 …]` builds them beforehand.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildOnce, showProgress } from '../controlplane/build-once.ts';
import { runBuild } from '../controlplane/build-program.ts';
import { cacheRoot } from '../controlplane/cache-directory.ts';
import { ControlPlaneError } from '../controlplane/control-plane-error.ts';
import { buildGo, requireGo } from '../controlplane/go-toolchain.ts';
import { requiredGoVersion } from '../controlplane/programs.ts';
import { goMod, kubeletModule, moduleKey, type NodeModule, runtimeModules } from './programs.ts';

export interface NodeBinaries {
  /** Folders with containerd and its shims, runc and our own programs: the PATH of a node. */
  readonly path: readonly string[];
  /** The folders of CNI plugins. */
  readonly cni: readonly string[];
  program(name: 'app' | 'logind' | 'machine' | 'network' | 'observe' | 'containerd' | 'ctr' | 'runc'): string;
  /** Of the control plane's version, or of an older minor version such as `1.34`. */
  kubelet(minor?: string): string;
}

const SECCOMP_PACKAGES = ['libseccomp-dev', 'pkg-config', 'gcc', 'libc6-dev'];
const run = promisify(execFile);

/** With the kubelets named (`undefined` is the control plane's own version). */
export async function ensureNodeBinaries(
  kubelets: readonly (string | undefined)[] = [undefined],
  output: NodeJS.WriteStream = process.stderr,
): Promise<NodeBinaries> {
  const directories = new Map<string, string>();
  for (const module of [...runtimeModules(), ...new Set(kubelets)].map((entry) =>
    typeof entry === 'object' ? entry : kubeletModule(entry),
  )) {
    directories.set(module.name, await ensureModule(module, output));
  }
  const directory = (name: string): string => directories.get(name) as string;
  const own = new Set(['app', 'logind', 'machine', 'network', 'observe']);
  return {
    path: [directory('containerd'), directory('runc')],
    cni: [directory('cni'), directory('programs')],
    program: (name) => join(directory(own.has(name) ? 'programs' : name === 'ctr' ? 'containerd' : name), name),
    kubelet: (minor) => join(directory(kubeletModule(minor).name), 'kubelet'),
  };
}

/** The folder of a module's programs. */
export function ensureModule(module: NodeModule, output: NodeJS.WriteStream = process.stderr): Promise<string> {
  return buildOnce({
    root: join(cacheRoot(), '..', 'realnodes'),
    key: moduleKey(module),
    what: `${module.name} for real nodes`,
    output,
    build: async (partial, final) => {
      await requireGo(requiredGoVersion([goMod(module.directory)]), 'Real nodes are');
      if (module.programs.some(({ cgo }) => cgo)) await requireSeccomp(output);
      output.write(`Building ${module.name} for real nodes once, into ${final}.\n`);
      for (const [index, { name, ...program }] of module.programs.entries()) {
        const finish = showProgress(output, `[${index + 1}/${module.programs.length}] ${name}`);
        try {
          await buildGo({ ...program, directory: module.directory, output: join(partial, name) });
        } finally {
          finish();
        }
      }
    },
  });
}

/** runc needs the C library libseccomp. Where we may, it is installed. */
async function requireSeccomp(output: NodeJS.WriteStream): Promise<void> {
  const isThere = async (): Promise<boolean> => {
    const asked = [run('pkg-config', ['--exists', 'libseccomp']), run('gcc', ['--version'])];
    return (await Promise.allSettled(asked)).every(({ status }) => status === 'fulfilled');
  };
  if (await isThere()) return;
  let cause: unknown;
  if (process.getuid?.() === 0) {
    try {
      output.write(`installing ${SECCOMP_PACKAGES.join(' ')}\n`);
      await run('apt-get', ['update', '-qq']);
      const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
      await run('apt-get', ['install', '-y', '-qq', '--no-install-recommends', ...SECCOMP_PACKAGES], { env });
    } catch (error) {
      cause = error;
    }
  }
  if (await isThere()) return;
  throw new ControlPlaneError('runc, which starts the containers of real nodes, is built with gcc and libseccomp.', {
    hint: `Install them: apt-get install ${SECCOMP_PACKAGES.join(' ')}.`,
    cause,
  });
}

if (import.meta.main) {
  await runBuild(() => ensureNodeBinaries([undefined, ...process.argv.slice(2)]));
}
