// Writes the store that a released version is remembered by: `node golden-store.ts PATH`. Its files are then kept, and
// every later version must open them and export the same bytes. Has records of every kind, in the head and sealed.
import { canonicalLine } from '../../canonical.ts';
import type { Engine } from '../../engine.ts';
import {
  anomalyFact,
  at,
  changeFact,
  conflictFact,
  madeAnomaly,
  madeChange,
  madeConflict,
} from '../../made-records.ts';
import { SqliteEngine } from '../sqlite-engine.ts';
import { CLUSTER, live, STEPS } from './crash-story.ts';

export async function writeGoldenStore(path: string): Promise<void> {
  const engine = await SqliteEngine.open({ path, access: 'write', sealAt: 1 });
  await live(engine, 0, () => {});
  const writer = await engine.takeOver(CLUSTER);
  const now = STEPS * 2 * 86_400;
  await writer.append({
    facts: [
      changeFact(madeChange('pod-1-1', now)),
      conflictFact(madeConflict('10.0.0.7', 'a', 'b', now)),
      anomalyFact(madeAnomaly('uid-a', now)),
    ],
    checkpoint: { epoch: 1, resourceVersion: '99999', at: at(now) },
  });
  await engine.close();
}

export async function exportedText(engine: Engine): Promise<string> {
  let text = '';
  for await (const fact of engine.records(CLUSTER.id)) text += `${canonicalLine(fact)}\n`;
  return text;
}

if (import.meta.main) await writeGoldenStore(process.argv[2]!);
