// The harness's end of its supervisor process, one for each harness process, started with the first program.
// Invariant: a program started here does not outlive the harness process, however that ends.
import { type ChildProcess, fork } from 'node:child_process';
import { join } from 'node:path';
import { ControlPlaneError } from './control-plane-error.ts';
import type { SupervisorReport, SupervisorRequest } from './supervisor-process.ts';

export interface ProgramStart {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Standard output and standard error are appended here. */
  readonly log: string;
}

export interface RunningProgram {
  readonly pid: number;
  /** Resolves when the program has ended, with a few words on how. */
  readonly ended: Promise<string>;
  signal(signal: NodeJS.Signals): void;
}

interface Entry {
  pid: number | undefined;
  spawned(pid: number): void;
  failed(message: string): void;
  ended(how: string): void;
}

let channel: ChildProcess | undefined;
let nextId = 1;
const entries = new Map<number, Entry>();

export function startProgram(start: ProgramStart): Promise<RunningProgram> {
  const id = nextId++;
  return new Promise((resolve, reject) => {
    let reportEnd: (how: string) => void;
    const ended = new Promise<string>((done) => {
      reportEnd = done;
    });
    entries.set(id, {
      pid: undefined,
      spawned(pid) {
        this.pid = pid;
        resolve({ pid, ended, signal: (signal) => send({ kind: 'signal', id, signal }) });
      },
      failed: (message) => reject(new ControlPlaneError(`${start.file} cannot be started: ${message}.`)),
      ended: (how) => reportEnd(how),
    });
    const env = { PATH: process.env['PATH'] ?? '', HOME: start.cwd, ...start.env };
    send({ kind: 'spawn', id, file: start.file, args: [...start.args], env, cwd: start.cwd, log: start.log });
  });
}

/** From now on the folder is removed when the harness process ends, whatever way. */
export function ownDirectory(path: string): void {
  send({ kind: 'own-directory', path });
}

export function disownDirectory(path: string): void {
  send({ kind: 'disown-directory', path });
}

/** The same for the cgroups of real nodes below that name. */
export function ownCgroup(name: string): void {
  send({ kind: 'own-cgroup', name });
}

export function disownCgroup(name: string): void {
  send({ kind: 'disown-cgroup', name });
}

function send(request: SupervisorRequest): void {
  channel ??= connect();
  channel.send(request, () => {});
  keepAliveWhileWaiting();
}

function connect(): ChildProcess {
  // The runner's own variables must not make the supervisor believe that it is a test.
  const { NODE_TEST_CONTEXT: _, NODE_OPTIONS: __, ...env } = process.env;
  const child = fork(join(import.meta.dirname, 'supervisor-process.ts'), [], {
    detached: true,
    execArgv: [],
    env,
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  child.unref();
  child.on('message', (report: SupervisorReport) => {
    const entry = entries.get(report.id);
    if (report.kind === 'spawned') entry?.spawned(report.pid);
    else {
      entries.delete(report.id);
      if (report.kind === 'failed') entry?.failed(report.message);
      else entry?.ended(report.signal ?? `exit code ${report.code}`);
    }
    keepAliveWhileWaiting();
  });
  child.on('exit', () => {
    channel = undefined;
    for (const entry of entries.values()) {
      if (entry.pid !== undefined) killOrphan(entry.pid);
      entry.failed('its supervisor was killed');
      entry.ended('killed with its supervisor');
    }
    entries.clear();
  });
  return child;
}

/** Somebody killed the supervisor alone: its programs have no parent any more, so the harness ends them. */
function killOrphan(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // Gone already.
  }
}

/** The channel keeps the harness process alive only while a start is unanswered: a forgotten stop() hangs no test. */
function keepAliveWhileWaiting(): void {
  const waiting = [...entries.values()].some((entry) => entry.pid === undefined);
  if (waiting) channel?.channel?.ref();
  else channel?.channel?.unref();
}
