// The usual way to a snapshot: opened, asked, closed; and asked once more when the store has moved on underneath.
import { HistoryError } from '../errors.ts';
import type { StoredFact } from '../model/fact.ts';
import type { LedgerReader, Snapshot } from './snapshot.ts';

/** Files are replaced every few minutes at most: a question meets that once, and hardly ever twice. */
const ATTEMPTS = 3;

/** `ask` may be called again: it keeps what it found for itself until it returns. */
export async function withSnapshot<T>(
  reader: Pick<LedgerReader, 'snapshot'>,
  cluster: string,
  ask: (snapshot: Snapshot) => Promise<T>,
): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    const snapshot = await reader.snapshot(cluster);
    try {
      return await ask(snapshot);
    } catch (error) {
      if (!hasCode(error, 'snapshot-too-old') || attempt === ATTEMPTS) throw error;
    } finally {
      await snapshot.close();
    }
  }
}

/**
 * Every record of a cluster in canonical order. A reading that takes longer than a snapshot may live goes on in a new one
 * from where it stands: what is appended meanwhile may be missed, and nothing comes twice.
 */
export async function* allRecords(reader: Pick<LedgerReader, 'snapshot'>, cluster: string): AsyncIterable<StoredFact> {
  let after: string | undefined;
  let snapshot = await reader.snapshot(cluster);
  try {
    for (let attempt = 1; ; ) {
      try {
        const { facts, next } = await snapshot.records(after);
        yield* facts;
        if (next === undefined) return;
        after = next;
        attempt = 1;
      } catch (error) {
        const isOld = hasCode(error, 'snapshot-too-old') || hasCode(error, 'snapshot-expired');
        if (!isOld || attempt++ === ATTEMPTS) throw error;
        await snapshot.close();
        snapshot = await reader.snapshot(cluster);
      }
    }
  } finally {
    await snapshot.close();
  }
}

function hasCode(error: unknown, code: string): boolean {
  return error instanceof HistoryError && error.code === code;
}
