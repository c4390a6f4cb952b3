// Stores an export of podtrail again, so that doing it twice changes nothing and dying halfway leaves nothing wrong: that a
// time was watched is stored last, when everything that was seen in it is there.
import {
  type Cluster,
  type Coverage,
  type Engine,
  type EpochMillis,
  epochMillis,
  type Fact,
  LineProblem,
  readFact,
  type StoredFact,
  storedFact,
  type Writer,
  withSnapshot,
} from '@podtrail/history';
import { CliError } from '../errors.ts';
import { EXPORT_FORMAT, type ExportFooter } from './export-ledger.ts';
import { lineageOf } from './lineage.ts';

export interface Imported {
  readonly cluster: Cluster;
  readonly facts: number;
  /** The store knew all of it. */
  readonly known: boolean;
}

const BATCH = 2000;
const NOTHING_CLAIMED =
  'what was stored before it stays; nothing is claimed to have been watched until all of it is there.';

/** `header` is the first line, parsed. */
export async function importLedger(engine: Engine, header: unknown, lines: AsyncIterable<string>): Promise<Imported> {
  const cluster = clusterOf(header);
  const changesSince = changesSinceOf(header);
  const isThere = (await engine.clusters()).some(({ id }) => id === cluster.id);
  const stored = isThere ? await withSnapshot(engine, cluster.id, (snapshot) => snapshot.coverage()) : [];
  const coverage: Coverage[] = [];
  let writer: Writer | undefined;
  let batch: StoredFact[] = [];
  let facts = 0;
  let number = 1;
  let records = 0;
  let isWhole = false;
  const leftBehind = new Set<string>();
  const store = async (some: readonly StoredFact[]): Promise<void> => {
    if (some.length === 0) return;
    await writer?.append({ facts: some });
    facts += some.length;
  };
  for await (const line of lines) {
    number++;
    if (line.trim() === '') continue;
    const value = parseLine(line, number);
    if (isWhole) throw badLine(number, 'the export had ended before it');
    if (isFooter(value)) {
      if (value.podtrailExportEnd !== records)
        throw badLine(number, `it counts ${value.podtrailExportEnd} records, and there were ${records}`);
      isWhole = true;
      continue;
    }
    records++;
    const fact = factOf(value, number);
    if (fact.kind === 'coverage') {
      if (writer !== undefined)
        throw new CliError('bad-export', `line ${number}: coverage stands before all other facts`);
      coverage.push(fact.coverage);
      continue;
    }
    if (writer === undefined) {
      if (isKnown(cluster, stored, coverage)) return { cluster, facts: 0, known: true };
      writer = await engine.takeOver(cluster);
      for (const { uid } of (await engine.resume(cluster.id)).state.live) leftBehind.add(uid);
    }
    if (fact.kind === 'live') leftBehind.delete(fact.uid);
    batch.push(storedFact(fact));
    if (batch.length < BATCH) continue;
    await store(batch);
    batch = [];
  }
  if (writer === undefined) {
    if (isKnown(cluster, stored, coverage)) return { cluster, facts: 0, known: true };
    writer = await engine.takeOver(cluster);
  }
  await store(batch);
  if (!isWhole) {
    const after = `after ${records} ${records === 1 ? 'record' : 'records'}`;
    throw new CliError('cut-export', `the export breaks off ${after}: its last line, which counts them, is missing`, {
      hint: NOTHING_CLAIMED,
    });
  }
  // Who lived when the store was last written, and does not in the export, has ended.
  await store([...leftBehind].map((uid): StoredFact => ({ kind: 'live', uid, state: undefined })));
  await store(coverage.map((record): StoredFact => ({ kind: 'coverage', coverage: record })));
  if (changesSince !== undefined) await engine.pruneKind(cluster.id, 'change', changesSince);
  return { cluster, facts, known: false };
}

function isKnown(cluster: Cluster, stored: readonly Coverage[], imported: readonly Coverage[]): boolean {
  const lineage = lineageOf(stored, imported);
  if (lineage !== 'other') return lineage === 'known';
  throw new CliError('other-ledger', `the store holds another ledger of ${cluster.name}, and two cannot be mixed`, {
    hint: 'import into a store of its own: --store sqlite:PATH.',
  });
}

function clusterOf(header: unknown): Cluster {
  const { podtrailExport, cluster } = (header ?? {}) as { podtrailExport?: unknown; cluster?: Partial<Cluster> };
  if (typeof podtrailExport === 'number' && podtrailExport > EXPORT_FORMAT) {
    throw new CliError(
      'newer-export',
      `this export has format ${podtrailExport}, and this podtrail knows ${EXPORT_FORMAT}`,
      {
        hint: 'use the podtrail that wrote it, or a newer one.',
      },
    );
  }
  if (typeof cluster?.id !== 'string' || typeof cluster.name !== 'string' || cluster.id === '') {
    throw new CliError('bad-export', 'line 1: the header names no cluster');
  }
  return { id: cluster.id, name: cluster.name };
}

/** The export lacks changes before it: whoever imports it must not take that for "nothing changed". */
function changesSinceOf(header: unknown): EpochMillis | undefined {
  const { changesSince } = (header ?? {}) as { changesSince?: unknown };
  if (changesSince === undefined) return undefined;
  if (Number.isSafeInteger(changesSince) && (changesSince as number) > 0) return epochMillis(changesSince as number);
  throw new CliError('bad-export', 'line 1: changesSince is not an instant');
}

function isFooter(value: unknown): value is ExportFooter {
  return typeof value === 'object' && value !== null && 'podtrailExportEnd' in value;
}

function parseLine(line: string, number: number): unknown {
  try {
    return JSON.parse(line);
  } catch (error) {
    throw badLine(number, 'it is no JSON', error);
  }
}

function factOf(value: unknown, number: number): Fact {
  try {
    return readFact(value);
  } catch (error) {
    throw error instanceof LineProblem ? badLine(number, error.message, error) : error;
  }
}

function badLine(number: number, why: string, cause?: unknown): CliError {
  const message = `line ${number} is not a fact of an export: ${why}`;
  return new CliError('bad-export', message, { hint: NOTHING_CLAIMED, cause });
}
