// The packages of the repository as package.json files declare them, and the TypeScript files of each. Called by
// scripts/check-layers.ts.
import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';

export interface WorkspacePackage {
  readonly name: string;
  /** Relative to the repository, forward slashes. */
  readonly directory: string;
  /** The folder's own name: what the arrows speak of. */
  readonly folder: string;
  readonly private: boolean;
  readonly dependencies: ReadonlySet<string>;
  readonly devDependencies: ReadonlySet<string>;
  /** Relative to the repository, forward slashes, sorted. */
  readonly files: readonly string[];
}

interface Manifest {
  readonly name?: string;
  readonly private?: boolean;
  readonly workspaces?: readonly string[];
  readonly dependencies?: Record<string, string>;
  readonly optionalDependencies?: Record<string, string>;
  readonly peerDependencies?: Record<string, string>;
  readonly devDependencies?: Record<string, string>;
}

export interface Workspace {
  readonly packages: readonly WorkspacePackage[];
  /** Folders that match a workspace pattern and hold TypeScript, but no package.json to declare anything. */
  readonly undeclared: readonly string[];
}

export function readWorkspace(root: string): Workspace {
  const manifest = readManifest(join(root, 'package.json'));
  const directories = globSync([...(manifest.workspaces ?? [])], { cwd: root })
    .map(slashes)
    .sort();
  const packages: WorkspacePackage[] = [toPackage(root, 'scripts', manifest)];
  const undeclared: string[] = [];
  for (const directory of directories) {
    const path = join(root, directory, 'package.json');
    if (existsSync(path)) packages.push(toPackage(root, directory, readManifest(path)));
    else if (typescriptFiles(root, directory).length > 0) undeclared.push(directory);
  }
  return { packages, undeclared };
}

function toPackage(root: string, directory: string, manifest: Manifest): WorkspacePackage {
  const names = (...parts: (Record<string, string> | undefined)[]) =>
    new Set(parts.flatMap((part) => Object.keys(part ?? {})));
  return {
    name: manifest.name ?? directory,
    directory,
    folder: basename(directory),
    private: manifest.private === true,
    dependencies: names(manifest.dependencies, manifest.optionalDependencies, manifest.peerDependencies),
    devDependencies: names(manifest.devDependencies),
    files: typescriptFiles(root, directory),
  };
}

function typescriptFiles(root: string, directory: string): string[] {
  const exclude = (path: string) => /(?:^|[\\/])(?:node_modules|dist)(?:$|[\\/])/.test(path);
  return globSync(`${directory}/**/*.{ts,mts,cts,tsx}`, { cwd: root, exclude }).map(slashes).sort();
}

function readManifest(path: string): Manifest {
  return JSON.parse(readFileSync(path, 'utf8')) as Manifest;
}

function slashes(path: string): string {
  return path.replaceAll('\\', '/');
}
