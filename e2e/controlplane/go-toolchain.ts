// The Go on PATH: is it there, is it new enough, and one build with it. What is missing is said in one sentence.
import { type ChildProcess, spawn } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ControlPlaneError } from './control-plane-error.ts';
import { compareVersions, MODULES_DIRECTORY, type Program, requiredGoVersion } from './programs.ts';

const running = new Set<ChildProcess>();

/** Throws one sentence when the programs cannot be built with the Go that is (not) there. */
export async function requireGo(): Promise<void> {
  const needed = requiredGoVersion();
  const install = `install Go ${needed} or newer (https://go.dev/dl/)`;
  let found: string;
  let toolchain: string;
  try {
    // Outside any module, so that an old Go answers instead of refusing the go line of ours.
    found = /go(\d\S*)/.exec(await go(['version'], tmpdir()))?.[1] ?? '0';
    toolchain = (await go(['env', 'GOTOOLCHAIN'], tmpdir())).trim();
  } catch (error) {
    const sentence = `The real control plane is built with Go, and no working Go is on PATH: ${install}.`;
    throw new ControlPlaneError(sentence, { cause: error });
  }
  // Go before 1.21 knows no GOTOOLCHAIN and prints an empty line; with auto or path a newer one is found by itself.
  const fixed = toolchain === '' || toolchain === 'local';
  if (fixed && compareVersions(found, needed) < 0) {
    const or = toolchain === 'local' ? ', or unset GOTOOLCHAIN=local' : '';
    throw new ControlPlaneError(
      `The real control plane is built with Go, and the Go on PATH (${found}) is too old: ${install}${or}.`,
    );
  }
}

export async function buildProgram(program: Program, output: string): Promise<void> {
  const variables = Object.entries(program.variables).map(([name, value]) => `-X ${name}=${value}`);
  const ldflags = ['-s', '-w', ...variables].join(' ');
  const flags = ['-trimpath', '-buildvcs=false', '-mod=readonly', '-ldflags', ldflags];
  await go(['build', ...flags, '-o', output, program.package], moduleDirectory(program.module));
}

/** The folder of a dependency's sources in Go's module cache; downloads it when needed. */
export async function dependencyDirectory(module: Program['module'], path: string): Promise<string> {
  return (await go(['list', '-mod=readonly', '-m', '-f', '{{.Dir}}', path], moduleDirectory(module))).trim();
}

/** Ends builds under way, for a program that is being interrupted. */
export function endBuilds(): void {
  for (const child of running) child.kill('SIGTERM');
}

function moduleDirectory(module: Program['module']): string {
  return join(MODULES_DIRECTORY, module);
}

function go(args: string[], cwd: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const env = { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' };
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
