// One way to damage the files of a store: bits, ranges and pages of any file, and files that change places.
import {
  copyFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import type { SeededNumbers } from '../seeded-numbers.ts';

export type Target = 'head' | 'log' | 'week';
const PAGE: Readonly<Record<Target, number>> = { head: 4096, log: 4096 + 24, week: 65_536 };
const LARGEST = 4096;

/** Damages the store and says how. */
export function mutate(path: string, oldEditions: string, numbers: SeededNumbers): string {
  const log = `${path}-wal`;
  const weeks = readdirSync(`${path}.d`).map((file) => join(`${path}.d`, file));
  const pickWeek = (): string => weeks[numbers.between(0, weeks.length - 1)]!;
  if (numbers.chance(0.15)) return moveFiles(path, log, weeks, oldEditions, numbers);
  const hasLog = existsSync(log) && readFileSync(log).length > 0;
  const target: Target = numbers.pick(hasLog ? ['head', 'log', 'week'] : ['head', 'week']);
  const file = target === 'head' ? path : target === 'log' ? log : pickWeek();
  const bytes = readFileSync(file);
  const what = damage(bytes, PAGE[target], numbers);
  writeFileSync(file, bytes);
  return `${target}: ${what}`;
}

function damage(bytes: Buffer, page: number, numbers: SeededNumbers): string {
  const size = numbers.chance(0.5) ? numbers.between(1, 32) : numbers.between(1, LARGEST);
  const length = Math.min(size, bytes.length);
  const from = numbers.between(0, bytes.length - length);
  switch (numbers.between(0, 6)) {
    case 0:
      for (let at = from; at < from + length; at++) bytes[at] = numbers.between(0, 255);
      return 'random bytes';
    case 1:
      bytes.fill(0, from, from + length);
      return 'zeros';
    case 2: {
      const source = numbers.between(0, bytes.length - length);
      bytes.copy(bytes, from, source, source + length);
      return 'bytes from elsewhere';
    }
    case 3: {
      const [one, other] = [0, 0].map(
        () => numbers.between(0, Math.max(0, Math.floor(bytes.length / page) - 1)) * page,
      );
      const kept = Buffer.from(bytes.subarray(one, one! + page));
      bytes.copy(bytes, one!, other!, other! + page);
      kept.copy(bytes, other!);
      return 'two pages change places';
    }
    default: {
      // The commonest fault of all.
      const at = numbers.between(0, bytes.length - 1);
      bytes[at]! ^= 1 << numbers.between(0, 7);
      return 'one bit';
    }
  }
}

function moveFiles(path: string, log: string, weeks: string[], oldEditions: string, numbers: SeededNumbers): string {
  const one = weeks[numbers.between(0, weeks.length - 1)]!;
  const other = weeks[numbers.between(0, weeks.length - 1)]!;
  switch (numbers.between(0, 6)) {
    case 0: {
      const kept = readFileSync(one);
      copyFileSync(other, one);
      writeFileSync(other, kept);
      return 'weeks: two change places';
    }
    case 1:
      copyFileSync(other, one);
      return 'weeks: one in the place of another';
    case 2:
      renameSync(one, join(`${path}.d`, '2031-W05-c1-g1.db'));
      return 'weeks: one renamed';
    case 3:
      rmSync(one);
      return 'weeks: one missing';
    case 4: {
      const old = readdirSync(oldEditions);
      copyFileSync(join(oldEditions, old[numbers.between(0, old.length - 1)]!), one);
      return 'weeks: an old edition in the place of one';
    }
    case 5:
      if (!existsSync(log)) return 'nothing';
      truncateSync(log, numbers.between(0, readFileSync(log).length));
      return 'log: cut';
    default:
      if (!existsSync(log)) return 'nothing';
      rmSync(log);
      return 'log: missing';
  }
}
