// Compares what every TypeScript file imports with what its package.json declares and with the arrows of the house,
// and finds folders of one package that need each other.
// Needed because npm hoists: an import that nobody declared still resolves here, and breaks for whoever installs the
// package alone. Run by `npm run check`.
import { readFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { join, posix } from 'node:path';
import { ARROWS, DOORS } from './layers/arrows.ts';
import { type ImportedModule, readImports } from './layers/read-imports.ts';
import { findRoomCycles, type InnerImport } from './layers/room-cycles.ts';
import { readWorkspace, type WorkspacePackage } from './layers/workspace.ts';

/** One sentence for each violation, in the order of the files. */
export function findLayerViolations(root: string): string[] {
  const { packages, undeclared } = readWorkspace(root);
  const ours = new Map(packages.map((entry) => [entry.name, entry]));
  return [
    ...undeclared.map((directory) => `${directory} holds TypeScript but no package.json that declares what it imports`),
    ...packages.flatMap((entry) => declaredArrows(entry, ours)),
    ...packages.flatMap((entry) => packageViolations(root, entry, ours)),
  ];
}

function declaredArrows(entry: WorkspacePackage, ours: ReadonlyMap<string, WorkspacePackage>): string[] {
  const arrows = arrowsOf(entry);
  if (arrows === undefined) return [];
  return [...entry.dependencies, ...entry.devDependencies].flatMap((name) => {
    const target = ours.get(name);
    if (target === undefined || arrows.some((arrow) => arrow.to === target.folder)) return [];
    return [`${entry.directory}/package.json declares ${name}, but ${entry.folder} may not know ${target.folder}`];
  });
}

function packageViolations(
  root: string,
  entry: WorkspacePackage,
  ours: ReadonlyMap<string, WorkspacePackage>,
): string[] {
  const violations: string[] = [];
  const inner: InnerImport[] = [];
  for (const file of entry.files) {
    try {
      for (const imported of readImports(file, readFileSync(join(root, file), 'utf8'))) {
        const { specifier } = imported;
        const isRelative = specifier.startsWith('.');
        const fault = isRelative ? relativeFault(imported, file, entry) : bareFault(imported, file, entry, ours);
        if (fault !== undefined) violations.push(`${file} imports ${specifier}: ${fault}`);
        if (isRelative && !isTestCode(file)) inner.push({ from: file, to: targetOf(specifier, file) });
      }
    } catch (error) {
      violations.push(error instanceof Error ? error.message : String(error));
    }
  }
  return entry.directory.startsWith('packages/')
    ? [...violations, ...findRoomCycles(entry.directory, inner)]
    : violations;
}

function targetOf(specifier: string, file: string): string {
  return posix.join(posix.dirname(file), specifier);
}

function relativeFault({ specifier }: ImportedModule, file: string, entry: WorkspacePackage): string | undefined {
  const target = targetOf(specifier, file);
  if (target !== entry.directory && !target.startsWith(`${entry.directory}/`)) {
    return `a relative path may not leave ${entry.directory}`;
  }
  return !isTestCode(file) && isTestCode(target) && !entry.private ? 'only tests may import test code' : undefined;
}

function bareFault(
  { specifier, typeOnly }: ImportedModule,
  file: string,
  entry: WorkspacePackage,
  ours: ReadonlyMap<string, WorkspacePackage>,
): string | undefined {
  if (isBuiltin(specifier)) return undefined;
  const [name, subpath] = splitSpecifier(specifier);
  if (name === entry.name) return undefined; // through its own front door
  const target = ours.get(name);
  const arrows = arrowsOf(entry);
  if (target !== undefined && arrows !== undefined) {
    const arrow = arrows.find((candidate) => candidate.to === target.folder);
    if (arrow === undefined) return `${entry.folder} may not know ${target.folder}`;
    if (arrow.typesOf !== undefined && (!typeOnly || subpath !== arrow.typesOf)) {
      return `${entry.folder} may only \`import type\` from ${name}/${arrow.typesOf}`;
    }
  }
  const door = DOORS.find(({ files, of }) => of === name && files.test(file));
  if (door !== undefined && subpath !== door.subpath) return `a door may only import ${door.of}/${door.subpath}`;
  const mayUseTestCode = entry.private || isTestCode(file);
  if (target !== undefined && isTestCode(subpath) && !mayUseTestCode) return 'only tests may import test code';
  if (entry.dependencies.has(name)) return undefined;
  if (!entry.devDependencies.has(name)) return `${packageJson(entry)} does not declare ${name}`;
  return mayUseTestCode ? undefined : `${name} is a devDependency, which only tests may import`;
}

function arrowsOf(entry: WorkspacePackage) {
  return entry.directory.startsWith('packages/') ? (ARROWS.get(entry.folder) ?? []) : undefined;
}

function isTestCode(path: string): boolean {
  return /\.test\.[mc]?tsx?$/.test(path) || path.split('/').includes('testing');
}

function splitSpecifier(specifier: string): [name: string, subpath: string] {
  const parts = specifier.split('/');
  const length = specifier.startsWith('@') ? 2 : 1;
  return [parts.slice(0, length).join('/'), parts.slice(length).join('/')];
}

function packageJson(entry: WorkspacePackage): string {
  return entry.directory === 'scripts' ? 'package.json' : `${entry.directory}/package.json`;
}

if (import.meta.main) {
  const violations = findLayerViolations(process.cwd());
  for (const violation of violations) process.stderr.write(`${violation}\n`);
  if (violations.length > 0) process.exitCode = 1;
  else process.stdout.write('Every import is declared and follows the arrows.\n');
}
