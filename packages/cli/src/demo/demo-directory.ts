// The demo's temporary directory: made, held as long as the demo lives, and removed with it. A demo that was killed
// leaves its directory behind, and the next one removes it. That its process is gone is seen by a lock, which the system
// lets go with the process however that ends, and never by a process id, which another process may have by now.
import { rmSync } from 'node:fs';
import { lstat, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';

const PREFIX = 'podtrail-demo-';
const OURS = /^podtrail-demo-[A-Za-z0-9]{6}$/;
/** Written once the lock is held: where it is, and the lock is free, the demo is gone. The last thing that is removed. */
const MARKER = 'directory-of-a-demo';
const MARKED = 'podtrail demo\n';
const LOCK = 'held.lock';

export class DemoDirectory {
  readonly path: string;
  readonly #lock: DatabaseSync;
  /** For an end without a chance to wait, such as a second Ctrl+C. */
  readonly #onExit = (): void => {
    try {
      this.#lock.close();
      rmSync(this.path, { recursive: true, force: true });
    } catch {
      // The next demo removes what is left.
    }
  };

  static async make(root: string): Promise<DemoDirectory> {
    const path = await mkdtemp(join(root, PREFIX));
    const directory = new DemoDirectory(path, hold(join(path, LOCK)));
    await writeFile(join(path, MARKER), MARKED, { mode: 0o600 });
    return directory;
  }

  private constructor(path: string, lock: DatabaseSync) {
    this.path = path;
    this.#lock = lock;
    process.once('exit', this.#onExit);
  }

  file(name: string): string {
    return join(this.path, name);
  }

  async remove(): Promise<void> {
    await removeWhole(this.path, () => this.#lock.close());
    process.off('exit', this.#onExit);
  }
}

/** Removes what killed demos of this user left in `root`; gives their paths. Whatever cannot be removed is left. */
export async function removeLeftovers(root: string): Promise<string[]> {
  const entries = await readdir(root, { withFileTypes: true }).catch(() => []);
  const removed: string[] = [];
  for (const entry of entries) {
    const path = join(root, entry.name);
    if (!entry.isDirectory() || !OURS.test(entry.name) || !(await isLeftover(path))) continue;
    await removeWhole(path, () => {}).then(
      () => removed.push(path),
      () => undefined,
    );
  }
  return removed;
}

async function isLeftover(path: string): Promise<boolean> {
  try {
    const { uid } = await lstat(path);
    if (process.getuid !== undefined && uid !== process.getuid()) return false;
    if ((await readFile(join(path, MARKER), 'utf8')) !== MARKED) return false;
    hold(join(path, LOCK)).close();
    return true;
  } catch {
    // Somebody holds it, or it is not what a demo makes.
    return false;
  }
}

/** Throws when another process, or this one, holds it. */
function hold(path: string): DatabaseSync {
  const lock = new DatabaseSync(path, { timeout: 0 });
  try {
    lock.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
    return lock;
  } catch (error) {
    lock.close();
    throw error;
  }
}

async function removeWhole(path: string, letGo: () => void): Promise<void> {
  const names = await readdir(path).catch(() => []);
  for (const name of names) {
    if (name !== MARKER && name !== LOCK) await rm(join(path, name), { recursive: true, force: true });
  }
  letGo();
  await rm(join(path, LOCK), { force: true });
  await rm(path, { recursive: true, force: true });
}
