// The parent of every program of one harness process. Forked by supervisor.ts; starts programs as it is asked, reports
// their ends, and once its channel to the harness closes (also by SIGKILL) kills them all and removes their folders
// and cgroups.
// It runs in its own session, so that Ctrl+C in a terminal reaches only the harness, which stops things in order.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, rmSync } from 'node:fs';
import { removeCgroup } from '../realnodes/cgroups.ts';

export type SupervisorRequest =
  | { kind: 'spawn'; id: number; file: string; args: string[]; env: Record<string, string>; cwd: string; log: string }
  | { kind: 'signal'; id: number; signal: NodeJS.Signals }
  | { kind: 'own-directory'; path: string }
  | { kind: 'disown-directory'; path: string }
  | { kind: 'own-cgroup'; name: string }
  | { kind: 'disown-cgroup'; name: string };

export type SupervisorReport =
  | { kind: 'spawned'; id: number; pid: number }
  | { kind: 'failed'; id: number; message: string }
  | { kind: 'exited'; id: number; code: number | null; signal: NodeJS.Signals | null };

if (import.meta.main) {
  const children = new Map<number, ChildProcess>();
  const directories = new Set<string>();
  const cgroups = new Set<string>();
  let ending = false;

  const report = (message: SupervisorReport) => {
    if (process.connected) process.send?.(message, undefined, undefined, () => {});
  };

  const start = (request: SupervisorRequest & { kind: 'spawn' }) => {
    const { id, file, args, env, cwd } = request;
    const log = openSync(request.log, 'a');
    const child = spawn(file, args, { env, cwd, stdio: ['ignore', log, log] });
    closeSync(log);
    children.set(id, child);
    child.on('spawn', () => report({ kind: 'spawned', id, pid: child.pid as number }));
    child.on('error', (error) => {
      if (child.pid !== undefined) return;
      children.delete(id);
      report({ kind: 'failed', id, message: error.message });
    });
    child.on('exit', (code, signal) => {
      children.delete(id);
      report({ kind: 'exited', id, code, signal });
      if (ending && children.size === 0) leave();
    });
  };

  const leave = async () => {
    for (const name of cgroups) await removeCgroup(name);
    for (const path of directories) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
    process.exit(0);
  };

  const end = () => {
    if (ending) return;
    ending = true;
    for (const child of children.values()) child.kill('SIGKILL');
    if (children.size === 0) leave();
  };

  process.on('message', (request: SupervisorRequest) => {
    if (ending) return;
    if (request.kind === 'spawn') start(request);
    else if (request.kind === 'signal') children.get(request.id)?.kill(request.signal);
    else if (request.kind === 'own-directory') directories.add(request.path);
    else if (request.kind === 'disown-directory') directories.delete(request.path);
    else if (request.kind === 'own-cgroup') cgroups.add(request.name);
    else cgroups.delete(request.name);
  });
  process.on('disconnect', end);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, end);
}
