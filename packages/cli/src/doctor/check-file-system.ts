// Looks at what the store lies on. SQLite locks files and shares memory through the file system; those of a network do
// neither reliably, and a store can be damaged there.
import { dirname } from 'node:path';
import type { CommandEnv } from '../command-env.ts';
import { type Finding, found } from './finding.ts';

/** By the type that statfs(2) of Linux gives. */
const OF_A_NETWORK: ReadonlyMap<number, string> = new Map([
  [0x6969, 'NFS'],
  [0x517b, 'SMB'],
  [0xfe534d42, 'SMB2'],
  [0xff534d42, 'CIFS'],
  [0x00c36400, 'CephFS'],
  [0x0bd00bd0, 'Lustre'],
  [0x19830326, 'BeeGFS'],
  [0x47504653, 'GPFS'],
  [0x5346414f, 'AFS'],
  [0x01021997, '9P'],
]);
/** GlusterFS, sshfs and object stores are mounted by it, and local file systems too. */
const FUSE = 0x65735546;
const CHECK = 'file system';

export async function checkFileSystem(
  url: string,
  { fileSystemOf }: Pick<CommandEnv, 'fileSystemOf'>,
): Promise<Finding[]> {
  const [, path] = /^sqlite:(?:\/\/)?(.+)$/i.exec(url) ?? [];
  if (path === undefined) return [];
  const type = await typeOf(path, fileSystemOf);
  if (type === undefined) return [];
  const name = OF_A_NETWORK.get(type);
  const advice = 'put the store on a local disk or a block device.';
  if (name !== undefined) {
    const detail = `the store lies on ${name}, where SQLite's locks do not hold: it can be damaged`;
    return [found(CHECK, 'warning', detail, advice)];
  }
  if (type === FUSE) {
    return [found(CHECK, 'warning', 'the store lies on a FUSE mount, which may be one of a network', advice)];
  }
  return [found(CHECK, 'ok', 'none that is known to be of a network')];
}

/** Of the file, or of the nearest directory above it that is there. */
async function typeOf(path: string, fileSystemOf: CommandEnv['fileSystemOf']): Promise<number | undefined> {
  for (let at = path; ; at = dirname(at)) {
    try {
      return await fileSystemOf(at);
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if ((code !== 'ENOENT' && code !== 'ENOTDIR') || dirname(at) === at) return undefined;
    }
  }
}
