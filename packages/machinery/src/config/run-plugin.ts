// Runs one exec credential plugin as a child process. Called by exec-credential.ts, which owns the time limit and the
// meaning of the output; this file never looks at what was printed.
import { spawn } from 'node:child_process';

export interface PluginRequest {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The plugin may ask a person: it gets our standard input, and its standard error is passed on as it comes. */
  readonly interactive: boolean;
  /** Aborting kills the plugin; the promise then rejects with the signal's reason. */
  readonly signal: AbortSignal;
}

export interface PluginOutcome {
  /** Undefined if a signal ended it. */
  readonly exitCode: number | undefined;
  readonly stdout: string;
  /** The tail of it. */
  readonly stderr: string;
}

/** Rejects with Node's spawn error (ENOENT, EACCES …) if the plugin could not be started. */
export type RunPlugin = (request: PluginRequest) => Promise<PluginOutcome>;

/** A credential is a few kB; past this the plugin is printing something else, and we stop keeping it. */
const MOST_OUTPUT_CHARS = 4 * 1024 * 1024;
const KEPT_STDERR_CHARS = 4096;

export const runPluginProcess: RunPlugin = ({ command, args, env, interactive, signal }) =>
  new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const child = spawn(command, [...args], {
      env: { ...env },
      stdio: [interactive ? 'inherit' : 'ignore', 'pipe', 'pipe'],
      windowsHide: true,
    });
    let stdout = '';
    let stderr = '';
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      stdout += chunk;
      if (stdout.length > MOST_OUTPUT_CHARS) child.kill('SIGKILL');
    });
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      if (interactive) process.stderr.write(chunk);
      stderr = (stderr + chunk).slice(-KEPT_STDERR_CHARS);
    });
    const onAbort = () => {
      child.kill('SIGKILL');
      // A grandchild may hold the pipes open for ever; nobody waits for it.
      child.stdout.destroy();
      child.stderr.destroy();
      reject(signal.reason);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    child.on('error', (error) => {
      signal.removeEventListener('abort', onAbort);
      reject(error);
    });
    child.on('close', (code) => {
      signal.removeEventListener('abort', onAbort);
      resolve({ exitCode: code ?? undefined, stdout, stderr });
    });
  });
