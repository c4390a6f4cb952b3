// How much room a store takes on its volume, file by file.
import { existsSync, statSync } from 'node:fs';
import { limitBytes, type SizeLimit } from '../size-limit.ts';
import type { Room } from '../store-admin.ts';
import { Ballast } from './ballast.ts';
import type { Head } from './head/head.ts';
import { volumeOf } from './volume.ts';
import type { Weeks } from './week/weeks.ts';

export function roomOf(head: Head, weeks: Weeks, limit: SizeLimit): Room {
  const volume = volumeOf(head.path);
  return {
    bytes: storeBytes(head, weeks),
    limitBytes: limitBytes(limit, volume.bytes),
    volume,
    ballastBytes: new Ballast(head.path).bytes,
  };
}

/** Within a transaction. As the files are, with the pages of the head that hold nothing at the moment. */
export function storeBytes(head: Head, weeks: Weeks): number {
  return fileSize(head.path) + fileSize(`${head.path}-wal`) + weekBytes(head, weeks);
}

/** Within a transaction. What would be left if everything that holds nothing were given back. */
export function usedBytes(head: Head, weeks: Weeks): number {
  const of = (pragma: string): number => Number(head.db.prepare(`PRAGMA ${pragma}`).get()?.[pragma]);
  return (of('page_count') - of('freelist_count')) * of('page_size') + weekBytes(head, weeks);
}

function weekBytes(head: Head, weeks: Weeks): number {
  let bytes = 0;
  for (const cluster of head.clusters().values())
    for (const { file } of cluster.weeks) bytes += fileSize(weeks.path(file));
  return bytes;
}

export function fileSize(path: string): number {
  return existsSync(path) ? statSync(path).size : 0;
}
