// Writes the store that a released version is remembered by: `node golden-store.ts DIRECTORY` (golden/vN). Its files are
// then kept, and every later version must open them and export the same bytes. Has records of every kind, in the head
// and sealed. Kept packed, because the pages of week files are large and mostly empty.

import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gunzipSync, gzipSync } from 'node:zlib';
import { occurrenceFact } from '../../../model/occurrence.ts';
import { canonicalLine } from '../../canonical.ts';
import type { Engine } from '../../engine.ts';
import {
  aChange,
  aConflict,
  aDeparture,
  anAnomaly,
  anomalyFact,
  aPieceOfEvidence,
  aPodLife,
  at,
  changeFact,
  conflictFact,
} from '../../testing/record-builders.ts';
import { allRecords } from '../../with-snapshot.ts';
import { SqliteEngine } from '../sqlite-engine.ts';
import { CLUSTER, live, STEPS } from './crash-story.ts';

const HEAD = 'store.db';
const EXPORT = 'export.jsonl';
/** One folder for each released version. */
export const GOLDEN = join(import.meta.dirname, 'golden');

export async function writeGoldenStore(path: string): Promise<void> {
  const engine = await SqliteEngine.open({ path, access: 'write', sealAt: 1 });
  await live(engine, 0, () => {});
  const writer = await engine.takeOver(CLUSTER);
  const now = STEPS * 2 * 86_400;
  const suppressed = { budget: 'pod', changes: 7, last: at(now + 1) } as const;
  await writer.append({
    facts: [
      changeFact(aChange('pod-1-1', now - 5)),
      changeFact(aChange('pod-1-1', now)),
      changeFact(aChange('pod-1-2', now, { key: '', after: undefined, suppressed })),
      conflictFact(aConflict('10.0.0.7', 'a', 'b', now)),
      anomalyFact(anAnomaly('uid-a', now)),
      occurrenceFact('life', aPodLife('pod-1-1', now)),
      occurrenceFact('departure', aDeparture('pod-1-1', now)),
      ...Array.from({ length: 200 }, (_, n) => occurrenceFact('evidence', aPieceOfEvidence(`pod-1-${n}`, now))),
    ],
    checkpoint: { epoch: 1, resourceVersion: '99999', at: at(now) },
  });
  await engine.pruneKind(CLUSTER.id, 'change', at(now - 1));
  await engine.close();
  // Hours that are over and have many records get their indexes; nothing more is sealed.
  const maintained = await SqliteEngine.open({ path, access: 'write' });
  await maintained.maintain(at(now + 2 * 3600));
  await maintained.close();
}

export async function exportedText(engine: Engine): Promise<string> {
  let text = '';
  for await (const fact of allRecords(engine, CLUSTER.id)) text += `${canonicalLine(fact)}\n`;
  return text;
}

/** A released version's store as files that may be opened, and what it must export. */
export function unpackGolden(version: string, path: string): string {
  const folder = join(GOLDEN, version);
  mkdirSync(`${path}.d`, { recursive: true });
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.db.gz'))) {
    const name = file.slice(0, -'.gz'.length);
    writeFileSync(name === HEAD ? path : join(`${path}.d`, name), gunzipSync(readFileSync(join(folder, file))));
  }
  return gunzipSync(readFileSync(join(folder, `${EXPORT}.gz`))).toString('utf8');
}

async function packGolden(folder: string): Promise<void> {
  const scratch = mkdtempSync(join(tmpdir(), 'podtrail-golden-'));
  try {
    const path = join(scratch, HEAD);
    await writeGoldenStore(path);
    const engine = await SqliteEngine.open({ path, access: 'read' });
    const text = await exportedText(engine);
    await engine.close();
    mkdirSync(folder, { recursive: true });
    const keep = (name: string, bytes: Buffer) => writeFileSync(join(folder, `${name}.gz`), gzipSync(bytes));
    keep(HEAD, readFileSync(path));
    for (const week of readdirSync(`${path}.d`)) keep(week, readFileSync(join(`${path}.d`, week)));
    keep(EXPORT, Buffer.from(text));
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

if (import.meta.main) await packGolden(process.argv[2]!);
