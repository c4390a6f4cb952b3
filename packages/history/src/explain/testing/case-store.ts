// A store in memory with lives, departures and evidence, and questions to it.
import { MemoryEngine } from '../../engines/memory/memory-engine.ts';
import type { Snapshot } from '../../engines/snapshot.ts';
import { PROD } from '../../engines/testing/contract/contract-stage.ts';
import { withSnapshot } from '../../engines/with-snapshot.ts';
import type { Evidence } from '../../model/evidence.ts';
import type { StoredFact } from '../../model/fact.ts';
import { occurrenceFact } from '../../model/occurrence.ts';
import type { Departure, PodLife } from '../../model/pod-life.ts';
import { endOf } from '../traces.ts';

const lifeFact = (life: PodLife): StoredFact => occurrenceFact('life', life);
export const evidenceFact = (evidence: Evidence): StoredFact => occurrenceFact('evidence', evidence);

/** A life, and its departure if it has ended. */
export function livedFacts(life: PodLife, more: Partial<Departure> = {}): StoredFact[] {
  const end = endOf(life);
  const { pod, owner, source, epoch, resourceVersion, observedAt, collector } = life;
  const provenance = { source, epoch, resourceVersion, observedAt, collector };
  if (end === undefined && more.at === undefined) return [lifeFact(life)];
  const departure = { ...provenance, pod, owner, at: end as Departure['at'], ...more };
  return [lifeFact(life), occurrenceFact('departure', departure)];
}

export async function askStore<T>(facts: readonly StoredFact[], ask: (snapshot: Snapshot) => Promise<T>): Promise<T> {
  const engine = new MemoryEngine();
  const writer = await engine.takeOver(PROD);
  await writer.append({ facts });
  return await withSnapshot(engine, PROD.id, ask);
}
