// Which programs a real node consists of, and from which Go module each is built. Versions live in the go.mod files
// under binaries/ and nowhere else; programs/ holds our own. Builds nothing.
import { createHash } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { versionIn, versionVariables } from '../controlplane/programs.ts';

export interface NodeProgram {
  readonly name: string;
  readonly package: string;
  readonly variables?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  /** With a C compiler, which must be there. */
  readonly cgo?: boolean;
}

/** Programs of one Go module; kept in a cache folder of their own, so that a change here rebuilds nothing else. */
export interface NodeModule {
  readonly name: string;
  readonly directory: string;
  readonly programs: readonly NodeProgram[];
}

const BINARIES = join(import.meta.dirname, 'binaries');
const CONTAINERD = 'github.com/containerd/containerd/v2';
const RUNC = 'github.com/opencontainers/runc';
const PLUGINS = 'github.com/containernetworking/plugins';
const KUBERNETES = 'k8s.io/kubernetes';
const STATE_METRICS = 'k8s.io/kube-state-metrics/v2';

const containerdVersion = versionIn(goMod(join(BINARIES, 'containerd')), CONTAINERD);
const runcVersion = versionIn(goMod(join(BINARIES, 'runc')), RUNC);

export function runtimeModules(): readonly NodeModule[] {
  return [
    {
      name: 'containerd',
      directory: join(BINARIES, 'containerd'),
      programs: ['containerd', 'containerd-shim-runc-v2', 'ctr'].map((name) => ({
        name,
        package: `${CONTAINERD}/cmd/${name}`,
        tags: ['no_btrfs', 'no_devmapper', 'no_zfs'],
        variables: { [`${CONTAINERD}/version.Version`]: containerdVersion },
      })),
    },
    {
      name: 'runc',
      directory: join(BINARIES, 'runc'),
      // Kubelets give every sandbox a seccomp profile, and only the C library knows how to load one.
      programs: [
        {
          name: 'runc',
          package: RUNC,
          tags: ['seccomp'],
          cgo: true,
          variables: { 'main.version': runcVersion.slice(1) },
        },
      ],
    },
    {
      name: 'cni',
      directory: join(BINARIES, 'cni'),
      programs: ['main/bridge', 'main/loopback', 'ipam/host-local'].map((path) => ({
        name: path.split('/')[1] as string,
        package: `${PLUGINS}/plugins/${path}`,
      })),
    },
    {
      name: 'programs',
      directory: join(import.meta.dirname, 'programs'),
      programs: ['app', 'cnilog', 'logind', 'machine', 'network', 'observe'].map((name) => ({
        name,
        package: `./${name}`,
      })),
    },
  ];
}

/** `kubelet` is the control plane's own version; an older one is named by its minor version: `1.34`. */
export function kubeletModule(minor?: string): NodeModule {
  const name = minor === undefined ? 'kubelet' : `kubelet-${minor}`;
  const directory = join(BINARIES, name);
  if (!existsSync(directory)) {
    const known = olderKubelets().join(', ') || 'none';
    throw new Error(`There is no kubelet ${minor} under e2e/realnodes/binaries; older ones there: ${known}.`);
  }
  const variables = versionVariables(versionIn(goMod(directory), KUBERNETES));
  return { name, directory, programs: [{ name: 'kubelet', package: `${KUBERNETES}/cmd/kubelet`, variables }] };
}

/** A peer of the ledger in `npm run proof -- nodes --peers`; no node needs it. */
export function stateMetricsModule(): NodeModule {
  const name = 'kube-state-metrics';
  return { name, directory: join(BINARIES, name), programs: [{ name, package: STATE_METRICS }] };
}

/** The minor versions besides the current one. */
function olderKubelets(): string[] {
  return globSync('kubelet-*', { cwd: BINARIES })
    .map((name) => name.slice('kubelet-'.length))
    .sort();
}

/** Changes with everything that decides the bytes of the module's programs; never with the machine or the time. */
export function moduleKey(module: NodeModule, platform = `${process.platform}-${process.arch}`): string {
  const hash = createHash('sha256').update(JSON.stringify([platform, module.programs]));
  const files = globSync(['go.mod', 'go.sum', '**/*.go'], { cwd: module.directory }).sort();
  for (const file of files) hash.update(`\0${file}\0`).update(readFileSync(join(module.directory, file)));
  return `${module.name}-${hash.digest('hex').slice(0, 16)}`;
}

export function goMod(directory: string): string {
  return readFileSync(join(directory, 'go.mod'), 'utf8');
}
