// What SQLite and the file system complain about, in words that a person can act on.
import { HistoryError } from '../../errors.ts';
import { damaged } from './format/checksum.ts';

const BUSY = 5;
const LOCKED = 6;
const READONLY = 8;
const IOERR = 10;
const CORRUPT = 11;
const FULL = 13;
const CANTOPEN = 14;
const NOTADB = 26;
/** A key that is there twice, by a table, by its numbers, or by an index. */
const TWICE: readonly number[] = [1555, 2579, 2067];
/** The index of the log could not grow. */
const IOERR_SHMSIZE = 4874;

/** SQLite's primary result code, or undefined for what is no SQLite error. */
function resultCode(error: unknown): number | undefined {
  if (!(error instanceof Error) || !('errcode' in error) || typeof error.errcode !== 'number') return undefined;
  return error.errcode & 0xff;
}

/** Somebody else holds the lock for a moment: worth another try. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error);
  return code === BUSY || code === LOCKED;
}

/** The same, as it is reported. */
export function isLocked(error: unknown): boolean {
  return error instanceof HistoryError && error.code === 'store-locked';
}

/** There is no room, for SQLite or for the file system. */
export function isFull(error: unknown): boolean {
  if (error instanceof Error && 'errcode' in error && error.errcode === IOERR_SHMSIZE) return true;
  return resultCode(error) === FULL || (error instanceof HistoryError && error.code === 'disk-full');
}

/** Something stored is not as it was written: for SQLite, or for our own checks. */
export function isDamage(error: unknown): boolean {
  const code = resultCode(error);
  if (code === CORRUPT || code === NOTADB) return true;
  return error instanceof HistoryError && ['damaged', 'store-damaged', 'week-missing'].includes(error.code);
}

/** Errors that are in our words already stay as they are. */
export function asHistoryError(error: unknown, path: string): unknown {
  if (error instanceof HistoryError) return error;
  if (isFull(error)) return noRoom(path, undefined, error);
  switch (resultCode(error)) {
    case BUSY:
    case LOCKED:
      return new HistoryError('store-locked', `another program keeps the store ${path} locked`, {
        hint: 'find it with `fuser` or `lsof` and end it; nothing has been lost.',
        cause: error,
      });
    case FULL:
      return noRoom(path, undefined, error);
    case READONLY:
    case CANTOPEN:
      return cannotWrite(path, error);
    case CORRUPT:
      return damaged(path, error);
    case NOTADB:
      return damagedStore(path, error);
    case IOERR:
      return new HistoryError('store-io', `reading or writing the store ${path} failed with an I/O error of the disk`, {
        hint: 'see what the kernel says (`dmesg`), and whether the disk is still there; `podtrail store verify` reads every record and lists the damaged ones.',
        cause: error,
      });
    default:
      return systemFault(error, path);
  }
}

/** For a transaction that failed: what SQLite cannot write on is no store to go on with. */
export function writeFault(error: unknown, path: string): unknown {
  const code = resultCode(error);
  if (code === CORRUPT || code === NOTADB) return brokenStore(path, 'SQLite cannot make sense of its pages', error);
  // Whatever we store has been looked for before: only an index that was damaged leads past what is there.
  const isTwice = error instanceof Error && 'errcode' in error && TWICE.includes(error.errcode as number);
  return isTwice ? brokenStore(path, 'one of its indexes does not list what is stored', error) : error;
}

function brokenStore(path: string, why: string, cause: unknown): HistoryError {
  return new HistoryError('store-damaged', `the store ${path} is damaged, and nothing was written to it: ${why}`, {
    hint: `restore it from a backup. To record without one, move ${path} and all files beside it whose names begin so away: a new store begins, and what is in the old one is not answered any more.`,
    cause,
  });
}

/** `retaining`: a command that forgets a part of the history, and that works on this full disk. */
export function noRoom(path: string, retaining: string | undefined, cause: unknown): HistoryError {
  const instead = `; or stop the recorder, run \`${retaining}\`, and start it again`;
  return new HistoryError('disk-full', `there is no room left for the store ${path}`, {
    hint: `make room on its disk${retaining === undefined ? '' : instead}. Nothing stored has been lost.`,
    cause,
  });
}

/** The same for those who only read. */
export function readFault(error: unknown, path: string): unknown {
  const known = asHistoryError(error, path);
  return known instanceof HistoryError && known.code === 'store-not-writable' ? cannotRead(path, known.cause) : known;
}

function systemFault(error: unknown, path: string): unknown {
  if (!(error instanceof Error) || !('code' in error)) return error;
  switch (error.code) {
    case 'ENOSPC':
    case 'EDQUOT':
      return noRoom(path, undefined, error);
    case 'EACCES':
    case 'EPERM':
    case 'EROFS':
    case 'ENOTDIR':
    case 'EEXIST':
    case 'ENOENT':
      return cannotWrite(path, error);
    case 'ERR_OUT_OF_RANGE':
      // node:sqlite read a number of more than 53 bits; no podtrail stores one.
      return new HistoryError('store-damaged', `the store ${path} holds a number that podtrail never writes`, {
        hint: '`podtrail store verify` lists the damaged records; restore the store from a backup.',
        cause: error,
      });
    default:
      return error;
  }
}

export function directoryStore(path: string): HistoryError {
  return new HistoryError('store-is-directory', `${path} is a directory, and a store is a file`, {
    hint: `name a file in it: --store sqlite:${path.replace(/\/+$/, '')}/ledger.db`,
  });
}

function cannotWrite(path: string, cause: unknown): HistoryError {
  return new HistoryError('store-not-writable', `the store ${path} cannot be opened or written`, {
    hint: 'its directory must exist and be writable by this user.',
    cause,
  });
}

export function damagedStore(path: string, cause?: unknown): HistoryError {
  return new HistoryError('store-damaged', `the file ${path} is no whole podtrail store`, {
    hint: 'it may be cut short or be something else; restore it from a backup, or name another path.',
    cause,
  });
}

/** SQLite keeps an index of the log beside the file, also for those who only read. */
function cannotRead(path: string, cause: unknown): HistoryError {
  return new HistoryError('store-not-readable', `the store ${path} cannot be read by this user where it is`, {
    hint: 'readers need the rights to read the file and to write in its directory; or copy the store to a place of your own.',
    cause,
  });
}

/** The sealed weeks are there without the file that lists them: a new head would not know them. */
export function lostHead(path: string, weeks: string): HistoryError {
  return new HistoryError('head-lost', `the store ${path} is missing or empty, but its sealed weeks are in ${weeks}`, {
    hint: 'restore the file from a backup; to start an empty store, move that directory away first.',
  });
}

export function noStore(path: string): HistoryError {
  return new HistoryError('no-store', `there is no store at ${path}`, {
    hint: '`podtrail record` begins one; or name another with --store.',
  });
}

/** A writer may have replaced or removed it after the list was read; if it is still listed then, it is lost. */
export function missingWeek(path: string): HistoryError {
  return new HistoryError('week-missing', `the store lists the file ${path}, which is not there`, {
    hint: 'restore it from a backup; answers that do not need it go on.',
  });
}

export function isMissingWeek(error: unknown): boolean {
  return error instanceof HistoryError && error.code === 'week-missing';
}
