// What real nodes need of the machine. A test or a command that finds something missing says it in one sentence.
import { accessSync, constants, existsSync } from 'node:fs';
import { delimiter, join } from 'node:path';

/** The sentence that says what is missing, or undefined. */
export function missingForRealNodes(): string | undefined {
  if (process.platform !== 'linux') return `Real nodes need Linux, and this is ${process.platform}.`;
  if (process.getuid?.() !== 0) return 'Real nodes need root, for namespaces, mounts and cgroups: run this as root.';
  if (!existsSync('/sys/fs/cgroup')) return 'Real nodes need cgroups, and /sys/fs/cgroup is not there.';
  if (!canWrite('/sys/fs/cgroup')) return 'Real nodes need cgroups of their own, and /sys/fs/cgroup is read-only.';
  if (!isOnPath('ip')) return 'Real nodes need the command ip: install iproute2.';
  return undefined;
}

function canWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function isOnPath(name: string): boolean {
  return (process.env['PATH'] ?? '').split(delimiter).some((folder) => existsSync(join(folder, name)));
}
