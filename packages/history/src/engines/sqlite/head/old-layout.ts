// The checksum over clusters and week files as versions 4 and 5 of the head had it. Frozen: steps of the schema use it.
import type { DatabaseSync } from 'node:sqlite';
import { crc32 } from 'node:zlib';

const CLUSTERS = `SELECT number, id, name, fence, expired_from, expired_to, changes_expired_from, changes_expired_to
  FROM cluster ORDER BY number`;
const WEEKS = `SELECT cluster, week, generation, file, last_tenure, last_placement, tenures, placements, format, digest,
  reach FROM week ORDER BY cluster, week`;

export function oldLayoutChecksum(db: DatabaseSync): number {
  const [clusters, weeks] = [CLUSTERS, WEEKS].map((sql) => db.prepare(sql).all());
  return crc32(JSON.stringify([clusters, weeks].map((rows) => rows!.map((row) => Object.values(row)))));
}
