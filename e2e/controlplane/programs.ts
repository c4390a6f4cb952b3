// Which programs the control plane consists of, from which Go module each is built, and which kwok stages belong to
// it. Versions live in the go.mod files under binaries/ and nowhere else. Builds nothing.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

export type ProgramName =
  | 'kube-apiserver'
  | 'kube-controller-manager'
  | 'kube-scheduler'
  | 'kubectl'
  | 'etcd'
  | 'etcdutl'
  | 'kwok';

export interface Program {
  readonly name: ProgramName;
  /** A folder under binaries/ that holds go.mod and go.sum. */
  readonly module: 'kubernetes' | 'etcd' | 'kwok';
  readonly package: string;
  /** Go variables set by the linker, so that clients can parse the version that the program reports. */
  readonly variables: Readonly<Record<string, string>>;
}

export const MODULES = ['kubernetes', 'etcd', 'kwok'] as const;
export const MODULES_DIRECTORY = join(import.meta.dirname, 'binaries');

/** Folders of the kwok module's kustomize/stage whose YAML is kept beside the programs, one file for each. */
export const KWOK_STAGES = [
  'node/fast',
  'node/heartbeat-with-lease',
  'node/chaos',
  'pod/fast',
  'pod/general',
  'pod/chaos',
] as const;
export type KwokStage = (typeof KWOK_STAGES)[number];

export const kubernetesVersion = requiredVersion('kubernetes', 'k8s.io/kubernetes');
export const etcdVersion = requiredVersion('etcd', 'go.etcd.io/etcd/server/v3');
export const kwokVersion = requiredVersion('kwok', 'sigs.k8s.io/kwok');

const kubernetesVariables = versionVariables(kubernetesVersion);

export const PROGRAMS: readonly Program[] = [
  kubernetesProgram('kube-apiserver'),
  kubernetesProgram('kube-controller-manager'),
  kubernetesProgram('kube-scheduler'),
  kubernetesProgram('kubectl'),
  { name: 'etcd', module: 'etcd', package: 'go.etcd.io/etcd/server/v3', variables: {} },
  { name: 'etcdutl', module: 'etcd', package: 'go.etcd.io/etcd/etcdutl/v3', variables: {} },
  {
    name: 'kwok',
    module: 'kwok',
    package: 'sigs.k8s.io/kwok/cmd/kwok',
    variables: { 'sigs.k8s.io/kwok/pkg/consts.Version': kwokVersion },
  },
];

/** The newest `go` line of these go.mod files: the Go that a builder must have at least, for example `1.26.0`. */
export function requiredGoVersion(goMods: readonly string[]): string {
  const versions = goMods.map((text) => /^go (\S+)$/m.exec(text)?.[1] ?? '0');
  return versions.reduce((newest, version) => (compareVersions(version, newest) > 0 ? version : newest));
}

/** Negative when `left` is older. Compares the numeric parts only: `1.26rc1` counts as 1.26. */
export function compareVersions(left: string, right: string): number {
  const numbers = (version: string) => (/^\d+(\.\d+)*/.exec(version)?.[0] ?? '0').split('.').map(Number);
  const [a, b] = [numbers(left), numbers(right)];
  for (let i = 0; i < Math.max(a.length, b.length); i++) {
    const difference = (a[i] ?? 0) - (b[i] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

export function goMod(module: Program['module']): string {
  return readFileSync(join(MODULES_DIRECTORY, module, 'go.mod'), 'utf8');
}

/** What a program of Kubernetes needs to know its own version. */
export function versionVariables(version: string): Record<string, string> {
  const [major, minor] = version.slice(1).split('.') as [string, string];
  const variables: Record<string, string> = {};
  for (const path of ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version']) {
    variables[`${path}.gitVersion`] = version;
    variables[`${path}.gitMajor`] = major;
    variables[`${path}.gitMinor`] = minor;
    variables[`${path}.gitTreeState`] = 'clean';
  }
  return variables;
}

function kubernetesProgram(name: ProgramName): Program {
  return { name, module: 'kubernetes', package: `k8s.io/kubernetes/cmd/${name}`, variables: kubernetesVariables };
}

function requiredVersion(module: Program['module'], path: string): string {
  return versionIn(goMod(module), path);
}

/** Which version of a module a go.mod file requires. */
export function versionIn(text: string, path: string): string {
  const line = text
    .split('\n')
    .map((line) => line.replace(/^require/, '').trim())
    .find((line) => line.startsWith(`${path} v`));
  const version = line?.split(' ')[1];
  if (version === undefined) throw new Error(`this go.mod does not require ${path}:\n${text.slice(0, 200)}`);
  return version;
}
