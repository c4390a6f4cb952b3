// What clusters and week files the head lists: read as a whole, and under one checksum, because an altered or missing
// entry would hide records.
import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';
import type { Cluster } from '../../snapshot.ts';

export interface WeekEntry {
  readonly cluster: number;
  readonly week: number;
  readonly generation: number;
  readonly file: string;
  /** The last rows of the head that it has taken in: closed ones up to here are its copies. */
  readonly last_tenure: number;
  readonly last_placement: number;
  readonly tenures: number;
  readonly placements: number;
  /** The version of its format. */
  readonly format: number;
  /** Of what it says about itself; empty for files of version 1, which are read through when they are opened. */
  readonly digest: string;
  /** No record in it begins before. */
  readonly reach: number;
}

export interface ExpiredKind {
  readonly cluster: number;
  readonly kind: number;
  readonly expired_from: number;
  readonly expired_to: number;
}

export interface ClusterEntry extends Cluster {
  readonly number: number;
  readonly expiredFrom: number | undefined;
  readonly expiredTo: number | undefined;
  /** Of occurrences of one kind alone, by its number. */
  readonly expiredKinds: ReadonlyMap<number, ExpiredKind>;
  readonly weeks: readonly WeekEntry[];
}

const CLUSTERS = 'SELECT number, id, name, fence, expired_from, expired_to FROM cluster ORDER BY number';
const EXPIRED = 'SELECT cluster, kind, expired_from, expired_to FROM expired_kind ORDER BY cluster, kind';
const WEEKS = `SELECT cluster, week, generation, file, last_tenure, last_placement, tenures, placements, format, digest,
  reach FROM week ORDER BY cluster, week`;

export function readLayout(db: DatabaseSync): { clusters: Map<string, ClusterEntry>; checksum: number } {
  const rows = db.prepare(CLUSTERS).all();
  const weeks = db.prepare(WEEKS).all() as unknown as WeekEntry[];
  const expired = db.prepare(EXPIRED).all() as unknown as ExpiredKind[];
  const checksum = crc32(JSON.stringify([rows, weeks, expired].map((all) => all.map((row) => Object.values(row)))));
  const clusters = new Map<string, ClusterEntry>();
  for (const row of rows.sort((a, b) => ((a['name'] as string) < (b['name'] as string) ? -1 : 1))) {
    clusters.set(row['id'] as string, {
      id: row['id'] as string,
      name: row['name'] as string,
      number: row['number'] as number,
      expiredFrom: (row['expired_from'] as number | null) ?? undefined,
      expiredTo: (row['expired_to'] as number | null) ?? undefined,
      expiredKinds: new Map(
        expired.filter(({ cluster }) => cluster === row['number']).map((range) => [range.kind, range]),
      ),
      weeks: weeks.filter((week) => week.cluster === row['number']),
    });
  }
  return { clusters, checksum };
}

export function layoutChecksum(db: DatabaseSync): number {
  return readLayout(db).checksum;
}
