// One builder at a time for one cache folder, across processes. The lock is a file with the holder's pid that the
// holder touches while it works; a lock whose holder is gone, or silent for long, is taken over.
// Correctness does not rest on it (the finished folder is renamed into place): it saves building twice.
import { readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

export interface BuildLockOptions {
  /** Called once, when somebody else holds the lock. */
  onWait?: (holder: string) => void;
  pollMs?: number;
  /** A holder that has not touched its lock for this long counts as gone: its pid may have been given to another. */
  silentMs?: number;
}

/** Waits for the lock and returns the function that gives it back. */
export async function acquireBuildLock(path: string, options: BuildLockOptions = {}): Promise<() => Promise<void>> {
  const { onWait, pollMs = 500, silentMs = 60_000 } = options;
  let isReported = false;
  while (true) {
    try {
      await writeFile(path, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
    const holder = await readHolder(path, silentMs);
    if (holder === 'released') continue;
    if (holder === 'stale') {
      await rm(path, { force: true });
      continue;
    }
    // A holder that has made the file and not yet written into it is asked for its pid again.
    const named = holder.pid !== '';
    if (named && !isReported) onWait?.(holder.pid);
    isReported ||= named;
    await sleep(named ? pollMs : Math.min(pollMs, 20));
  }
  const heartbeat = setInterval(
    () => {
      const now = new Date();
      utimes(path, now, now).catch(() => {});
    },
    Math.min(5_000, silentMs / 4),
  );
  heartbeat.unref();
  return async () => {
    clearInterval(heartbeat);
    await rm(path, { force: true });
  };
}

async function readHolder(path: string, silentMs: number): Promise<'released' | 'stale' | { pid: string }> {
  try {
    const [pid, { mtimeMs }] = await Promise.all([readFile(path, 'utf8'), stat(path)]);
    const silent = Date.now() - mtimeMs > silentMs;
    // An empty file is a holder between creating and writing it: not stale unless it stays so.
    if (silent || (pid !== '' && !isAlive(Number(pid)))) return 'stale';
    return { pid };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return 'released';
    throw error;
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
