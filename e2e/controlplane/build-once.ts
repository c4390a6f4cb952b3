// Something that is built once and kept under a key: the control plane, the programs of real nodes. Takes the lock,
// builds into a folder beside the final one and renames it. Knows nothing of what is built.
// Invariant: a cache folder under its final name is complete.
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { acquireBuildLock, isAlive } from './build-lock.ts';

export interface BuildOnce {
  /** Holds the folders of all keys. */
  readonly root: string;
  readonly key: string;
  /** For the sentence that is printed while another run builds it: `the control plane`. */
  readonly what: string;
  readonly output: NodeJS.WriteStream;
  /** Fills the folder. `final` is where it will lie. */
  readonly build: (partial: string, final: string) => Promise<void>;
}

/** The complete folder. */
export async function buildOnce({ root, key, what, output, build }: BuildOnce): Promise<string> {
  const directory = join(root, key);
  if (existsSync(directory)) return directory;
  await mkdir(root, { recursive: true });
  const release = await acquireBuildLock(`${directory}.lock`, {
    onWait: (pid) => output.write(`Another run (pid ${pid}) is building ${what}; waiting for it.\n`),
  });
  try {
    if (existsSync(directory)) return directory;
    await removeAbandoned(root, key);
    const partial = `${directory}.partial-${process.pid}`;
    await mkdir(partial, { recursive: true });
    try {
      await build(partial, directory);
      await rename(partial, directory);
    } catch (error) {
      await rm(partial, { recursive: true, force: true });
      throw error;
    }
  } finally {
    await release();
  }
  return directory;
}

/** What interrupted builds left behind. */
async function removeAbandoned(root: string, key: string): Promise<void> {
  for (const name of await readdir(root)) {
    const pid = new RegExp(`^${key}\\.partial-(\\d+)$`).exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) await rm(join(root, name), { recursive: true, force: true });
  }
}

/** One line for each program; its seconds run on a terminal, and appear now and then in a log. */
export function showProgress(output: NodeJS.WriteStream, label: string): () => void {
  const start = performance.now();
  const seconds = () => `${Math.round((performance.now() - start) / 1000)} s`;
  if (output.isTTY) output.write(label);
  else output.write(`${label} …\n`);
  const timer = setInterval(
    () => output.write(output.isTTY ? `\r${label} … ${seconds()}` : `${label} … still building after ${seconds()}\n`),
    output.isTTY ? 1_000 : 60_000,
  );
  return () => {
    clearInterval(timer);
    output.write(output.isTTY ? `\r${label} … ${seconds()}\n` : `${label} took ${seconds()}\n`);
  };
}
