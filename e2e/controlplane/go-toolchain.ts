// The Go on PATH: is it there, is it new enough, and one build with it. What is missing is said in one sentence.
import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { ControlPlaneError } from './control-plane-error.ts';
import { compareVersions } from './programs.ts';

const running = new Set<ChildProcess>();

/** Throws one sentence when the programs cannot be built with the Go that is (not) there. */
export async function requireGo(needed: string, what = 'The real control plane is'): Promise<void> {
  const install = `install Go ${needed} or newer (https://go.dev/dl/)`;
  let found: string;
  let toolchain: string;
  try {
    // Outside any module, so that an old Go answers instead of refusing the go line of ours.
    found = /go(\d\S*)/.exec(await go(['version'], tmpdir()))?.[1] ?? '0';
    toolchain = (await go(['env', 'GOTOOLCHAIN'], tmpdir())).trim();
  } catch (error) {
    const sentence = `${what} built with Go, and no working Go is on PATH: ${install}.`;
    throw new ControlPlaneError(sentence, { cause: error });
  }
  // Go before 1.21 knows no GOTOOLCHAIN and prints an empty line; with auto or path a newer one is found by itself.
  const fixed = toolchain === '' || toolchain === 'local';
  if (fixed && compareVersions(found, needed) < 0) {
    const or = toolchain === 'local' ? ', or unset GOTOOLCHAIN=local' : '';
    throw new ControlPlaneError(`${what} built with Go, and the Go on PATH (${found}) is too old: ${install}${or}.`);
  }
}

export interface GoBuild {
  /** Holds go.mod and go.sum. */
  readonly directory: string;
  readonly package: string;
  readonly output: string;
  /** Go variables set by the linker. */
  readonly variables?: Readonly<Record<string, string>>;
  readonly tags?: readonly string[];
  /** With a C compiler; without one unless given. */
  readonly cgo?: boolean;
}

export async function buildGo(build: GoBuild): Promise<void> {
  const variables = Object.entries(build.variables ?? {}).map(([name, value]) => `-X ${name}=${value}`);
  const ldflags = ['-s', '-w', ...variables].join(' ');
  const tags = build.tags === undefined ? [] : ['-tags', build.tags.join(',')];
  const flags = ['-trimpath', '-buildvcs=false', '-mod=readonly', ...tags, '-ldflags', ldflags];
  await go(['build', ...flags, '-o', build.output, build.package], build.directory, build.cgo);
}

/** The folder of a dependency's sources in Go's module cache; downloads it when needed. */
export async function dependencyDirectory(directory: string, path: string): Promise<string> {
  return (await go(['list', '-mod=readonly', '-m', '-f', '{{.Dir}}', path], directory)).trim();
}

/** Ends builds under way, for a program that is being interrupted. */
export function endBuilds(): void {
  for (const child of running) child.kill('SIGTERM');
}

function go(args: string[], cwd: string, cgo = false): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, CGO_ENABLED: cgo ? '1' : '0', GOWORK: 'off' };
    const child = spawn('go', args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] });
    running.add(child);
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
    child.stderr.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.on('error', (error) => {
      running.delete(child);
      reject(error);
    });
    child.on('close', (code, signal) => {
      running.delete(child);
      if (code === 0) resolve(stdout);
      else {
        const tail = stderr.trimEnd().split('\n').slice(-20).join('\n');
        reject(new ControlPlaneError(`go ${args[0]} in ${cwd} ended with ${signal ?? `exit code ${code}`}:\n${tail}`));
      }
    });
  });
}
