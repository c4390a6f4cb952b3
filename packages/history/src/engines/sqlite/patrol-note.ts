// How far the recorder's reading of the whole store is, and what it found, in a small file beside the head: the reading
// itself is in the recorder's memory, and `doctor` is another process. Nothing is answered from it.
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { EpochMillis } from '../../model/time.ts';
import type { Patrol, Patrolled } from '../store-admin.ts';
import { OWNER_ONLY_FILE } from './private-file.ts';

/** Undefined when there is none that can be read. */
export function readPatrolNote(headPath: string): Patrolled | undefined {
  try {
    const { at, damages, where, whole } = JSON.parse(readFileSync(noteOf(headPath), 'utf8')) as Partial<Patrolled>;
    if (typeof at !== 'number' || typeof damages !== 'number') return undefined;
    return { at, damages, where, whole };
  } catch {
    return undefined;
  }
}

/** After a part was read. `isFirst`: it is the first part of a new reading. Failing costs only the note. */
export function writePatrolNote(headPath: string, part: Patrol, isFirst: boolean, now: EpochMillis): void {
  const before = readPatrolNote(headPath);
  const known = isFirst ? undefined : before;
  const damages = (known?.damages ?? 0) + part.damages.length;
  const where = known?.where ?? part.damages[0]?.where;
  const whole = part.isFinished ? { at: now, damages, where } : before?.whole;
  const note: Patrolled = {
    at: now,
    damages: part.isFinished ? 0 : damages,
    where: part.isFinished ? undefined : where,
    whole,
  };
  try {
    const fresh = `${noteOf(headPath)}.new`;
    writeFileSync(fresh, `${JSON.stringify(note)}\n`, { mode: OWNER_ONLY_FILE });
    renameSync(fresh, noteOf(headPath));
  } catch {
    // A full disk: commits say so.
  }
}

function noteOf(headPath: string): string {
  return `${headPath}.patrol`;
}
