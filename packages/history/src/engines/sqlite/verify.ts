// Reads every row of the head and compares it with the columns that were derived from it: SQLite's own check finds a
// broken tree, but not a flipped byte inside a value.
import { possibleKey } from '../../model/fact.ts';
import type { Holder, Tenure } from '../../model/records.ts';
import { anomalyPlace, changePlace, conflictPlace, type Place } from '../order.ts';
import { corruptRow, handleOf } from './checksum.ts';
import type { Head } from './head.ts';
import { nameHandle, tenureHandle, workloadHandle } from './head-append.ts';
import type { HeadReader } from './head-read.ts';
import { ipKey } from './ip-key.ts';
import { OPEN } from './schema.ts';

type Row = Record<string, unknown>;
const ROWS_PER_SLICE = 2000;

/** Calls `damaged` for what is not whole; returns how many records are. */
export function* verifyHead(
  head: Head,
  reader: HeadReader,
  damaged: (where: string, error: unknown) => void,
): Generator<undefined, number> {
  const checks: Readonly<Record<string, (row: Row) => boolean>> = {
    tenure: (row) => tenureIsWhole(row, reader),
    placement: (row) => placementIsWhole(row, reader),
    live: (row) => handleOf(reader.read(bodyOf(row), 'live', (r) => r.liveHolder()).holder.uid) === row['uid'],
    change: (row) => isAt(row, changePlace(reader.read(bodyOf(row), 'change', (r) => r.change()))),
    conflict: (row) => isAt(row, conflictPlace(reader.read(bodyOf(row), 'conflict', (r) => r.conflict()))),
    anomaly: (row) => isAt(row, anomalyPlace(reader.read(bodyOf(row), 'anomaly', (r) => r.anomaly()))),
    possible: (row) => {
      const possible = reader.read(bodyOf(row), 'possible', (r) => r.possible());
      return possibleKey(possible) === row['key'] && isInterval(row, possible);
    },
    coverage: (row) => {
      const { from, collector } = reader.read(bodyOf(row), 'coverage', (r) => r.coverage());
      return from === row['start'] && collector === row['collector'];
    },
    word: (row) => handleOf(String(row['text'])) === row['sum'],
    cluster: (row) =>
      row['checkpoint'] === null ||
      reader.read(row['checkpoint'] as Uint8Array, 'checkpoint', (r) => r.checkpoint()).epoch >= 0,
  };
  try {
    for (const row of head.db.prepare('PRAGMA integrity_check').all()) {
      if (row['integrity_check'] !== 'ok') damaged('head', new Error(String(row['integrity_check'])));
    }
  } catch (error) {
    damaged('head', error);
  }
  let records = 0;
  for (const [table, isWhole] of Object.entries(checks)) {
    let seen = 0;
    try {
      for (const row of head.db.prepare(`SELECT * FROM ${table}`).iterate()) {
        const where = `head, ${table} ${keyOf(row)}`;
        try {
          if (!isWhole(row)) throw corruptRow(where);
          records++;
        } catch (error) {
          damaged(where, error);
        }
        if (++seen % ROWS_PER_SLICE === 0) yield;
      }
    } catch (error) {
      damaged(`head, ${table}`, error);
    }
  }
  return records;
}

function tenureIsWhole(row: Row, reader: HeadReader): boolean {
  const tenure = reader.life(bodyOf(row)).tenures[0];
  if (tenure === undefined) return false;
  const { ip, holder } = tenure;
  return (
    Buffer.compare(ipKey(ip), row['ip'] as Uint8Array) === 0 &&
    tenureHandle(tenure) === row['key'] &&
    isInterval(row, tenure) &&
    isHolder(row, holder)
  );
}

function placementIsWhole(row: Row, reader: HeadReader): boolean {
  const { placement } = reader.life(bodyOf(row));
  if (placement === undefined) return false;
  return isInterval(row, placement) && isHolder(row, placement.pod) && handleOf(placement.pod.node) === row['node'];
}

function isInterval(row: Row, { start, end }: Pick<Tenure, 'start' | 'end'>): boolean {
  return start.notBefore === row['start'] && (end?.notAfter ?? OPEN) === row['until'];
}

function isHolder(row: Row, holder: Holder): boolean {
  return (
    handleOf(holder.uid) === row['uid'] &&
    nameHandle(holder) === row['name'] &&
    workloadHandle(holder) === row['workload']
  );
}

function isAt(row: Row, { key, time }: Place): boolean {
  return key === row['key'] && time === row['at'];
}

function bodyOf(row: Row): Uint8Array {
  return row['body'] as Uint8Array;
}

function keyOf(row: Row): string {
  return String(row['number'] ?? row['key'] ?? row['start'] ?? '');
}
