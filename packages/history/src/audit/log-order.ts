// The order of the files of rotated logs: those that a log was renamed to come before the log itself, the oldest first.
// Two ways of renaming are known, that of the API server (audit-2026-11-16T10-00-00.000.log) and that of logrotate
// (audit.log.2.gz, audit.log.1). Logs of several API servers stay apart, each in its own order.

interface Place {
  /** Of all files of one log. */
  readonly log: string;
  /** When it was rotated, the older the smaller; the log itself has the largest. */
  readonly rank: number;
  readonly path: string;
}

const PACKED = /\.(?:gz|zst)$/;
const STAMPED = /^(.*)-(\d{4}-\d{2}-\d{2})T(\d{2})-(\d{2})-(\d{2})(\.\d{1,3})?(\.[^./\\]+)?$/;
const NUMBERED = /^(.*)\.(\d{1,6})$/;

export function inLogOrder(paths: readonly string[]): string[] {
  const places = paths.map(placeOf);
  return places
    .sort((a, b) => compare(a.log, b.log) || a.rank - b.rank || compare(a.path, b.path))
    .map(({ path }) => path);
}

function placeOf(path: string): Place {
  const plain = path.replace(PACKED, '');
  const stamped = STAMPED.exec(plain);
  if (stamped !== null) {
    const [, name = '', date, hour, minute, second, fraction = '', ending = ''] = stamped;
    const at = Date.parse(`${date}T${hour}:${minute}:${second}${fraction}Z`);
    return { log: `${name}${ending}`, rank: Number.isNaN(at) ? 0 : at, path };
  }
  const numbered = NUMBERED.exec(plain);
  if (numbered !== null) return { log: numbered[1] ?? '', rank: -Number(numbered[2]), path };
  return { log: plain, rank: Number.POSITIVE_INFINITY, path };
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
