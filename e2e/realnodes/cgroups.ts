// The cgroups of real nodes: below one name in every hierarchy of the machine (version 1), or in the one there is
// (version 2). Made before a kubelet starts, removed after it; what a killed run left behind is removed at the next
// start. Touches nothing beside that name.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isAlive } from '../controlplane/build-lock.ts';

const ROOT = '/sys/fs/cgroup';
const NAME = /^podtrail-(\d+)-\d+$/;
let made = 0;

/** A name that says whose it is. */
export function cgroupName(): string {
  return `podtrail-${process.pid}-${++made}`;
}

/** `path` is relative: NAME or NAME/NODE. */
export function makeCgroup(path: string): void {
  for (const hierarchy of hierarchies()) {
    let at = hierarchy;
    for (const part of path.split('/')) {
      const parent = at;
      at = join(at, part);
      mkdirSync(at, { recursive: true });
      // A cpuset of version 1 is empty at first, and then nothing may run in it.
      for (const file of ['cpuset.cpus', 'cpuset.mems']) {
        if (!existsSync(join(hierarchy, 'cgroup.controllers')) && existsSync(join(at, file))) {
          writeFileSync(join(at, file), readFileSync(join(parent, file)));
        }
      }
    }
  }
}

/** Resolves when it is gone, or with false when something still runs in it after `withinMs`. */
export async function removeCgroup(path: string, withinMs = 10_000): Promise<boolean> {
  const deadline = performance.now() + withinMs;
  while (!removeOnce(path)) {
    if (performance.now() > deadline) return false;
    await sleep(50);
  }
  return true;
}

/** One attempt; false while something still runs in it. */
function removeOnce(path: string): boolean {
  return hierarchies().every((hierarchy) => removeTree(join(hierarchy, path)));
}

/** Of harness processes that are gone. */
export function removeAbandonedCgroups(): void {
  const names = new Set(hierarchies().flatMap((hierarchy) => readdirSync(hierarchy)));
  for (const name of names) {
    const owner = NAME.exec(name)?.[1];
    if (owner !== undefined && !isAlive(Number(owner))) removeOnce(name);
  }
}

function hierarchies(): string[] {
  if (existsSync(join(ROOT, 'cgroup.controllers'))) return [ROOT];
  return readdirSync(ROOT)
    .map((name) => join(ROOT, name))
    .filter((path) => existsSync(join(path, 'cgroup.procs')));
}

function removeTree(path: string): boolean {
  if (!existsSync(path)) return true;
  let empty = true;
  for (const entry of readdirSync(path, { withFileTypes: true })) {
    if (entry.isDirectory()) empty = removeTree(join(path, entry.name)) && empty;
  }
  if (!empty) return false;
  try {
    rmdirSync(path);
    return true;
  } catch {
    return !existsSync(path);
  }
}
