// Brings a ledger back whose recorder had a wrong clock: finds since when, and stores every record that the clock had
// wrong as it reads now. Nothing is removed. Called by a recorder that finds its store in the future, and by
// `podtrail store repair`; the caller says what time it is.
import type { Boundary } from '../model/boundary.ts';
import type { Fact, StoredFact } from '../model/fact.ts';
import { recordOf } from '../model/occurrence.ts';
import { type EpochMillis, epochMillis, toText } from '../model/time.ts';
import { correctedCheckpoint, correctedFact, type WrongTime } from '../observe/clock-correction.ts';
import { restoredFact, storedFact } from '../observe/live-state.ts';
import { factKinds } from './canonical.ts';
import type { LedgerWriter, Writer } from './ledger-writer.ts';
import type { LedgerReader } from './snapshot.ts';
import { allRecords } from './with-snapshot.ts';

export interface ClockDiagnosis extends WrongTime {
  /** The latest instant that the ledger names. */
  readonly latest: EpochMillis;
  /** Records that are stored once more, by their kind. */
  readonly records: Readonly<Record<Fact['kind'], number>>;
}

export interface RepairQuestion {
  readonly cluster: string;
  /** The right time. */
  readonly now: EpochMillis;
  /** Since when the clock was wrong; undefined: what the records themselves show. */
  readonly since?: EpochMillis | undefined;
  /** The clocks of a recorder and of a server may differ by this much. */
  readonly toleranceMs?: number | undefined;
}

/** Clocks of one cluster differ by less than this, or something is wrong. */
const TOLERANCE_MS = 5_000;
/** A watch reports what happens within moments: an observation that came with such a narrow time had a right clock. */
const PROMPT_MS = 10_000;
const NARROW_MS = 3_000;
const BATCH = 1000;

/** Undefined when nothing of the ledger lies in the future, and no time was named. */
export async function diagnoseClock(
  reader: Pick<LedgerReader, 'snapshot'>,
  { cluster, now, since, toleranceMs = TOLERANCE_MS }: RepairQuestion,
): Promise<ClockDiagnosis | undefined> {
  let latest = epochMillis(0);
  let prompt: EpochMillis | undefined;
  let first: EpochMillis | undefined;
  for await (const stored of allRecords(reader, cluster)) {
    const fact = restoredFact(stored);
    for (const time of claimedTimes(fact)) if (time > latest) latest = time;
    if (fact.kind === 'coverage' && (first === undefined || fact.coverage.from < first)) first = fact.coverage.from;
    for (const { observedAt } of promptBoundaries(fact)) {
      if (observedAt <= now && (prompt === undefined || observedAt > prompt)) prompt = observedAt;
    }
  }
  if (since === undefined && latest <= now + toleranceMs) return undefined;
  const from = since ?? prompt ?? first ?? now;
  const wrong = { since: from < now ? from : now, at: now };
  const records = Object.fromEntries(factKinds().map((kind) => [kind, 0])) as Record<Fact['kind'], number>;
  for await (const fact of allRecords(reader, cluster))
    if (correctedFact(restoredFact(fact), wrong) !== undefined) records[fact.kind]++;
  return { ...wrong, latest, records };
}

/** Stores the corrections, and an anomaly that says so. Doing it twice changes nothing. Returns how many records it stored. */
export async function repairClock(
  engine: Pick<LedgerReader, 'snapshot'> & Pick<LedgerWriter, 'resume'>,
  writer: Pick<Writer, 'append' | 'cluster'>,
  diagnosis: ClockDiagnosis,
): Promise<number> {
  const cluster = writer.cluster.id;
  // Read first: what is written meanwhile must not be read again.
  const corrected: StoredFact[] = [];
  for await (const fact of allRecords(engine, cluster)) {
    const better = correctedFact(restoredFact(fact), diagnosis);
    if (better !== undefined) corrected.push(storedFact(better));
  }
  if (corrected.length === 0) return 0;
  for (let i = 0; i < corrected.length; i += BATCH) await writer.append({ facts: corrected.slice(i, i + BATCH) });
  const { checkpoint, state } = await engine.resume(cluster);
  const facts: StoredFact[] = [
    {
      kind: 'anomaly',
      anomaly: {
        source: 'inferred',
        epoch: state.epoch,
        resourceVersion: checkpoint?.resourceVersion ?? '0',
        observedAt: diagnosis.at,
        collector: 'repair',
        what: 'clock-skew',
        uid: cluster,
        detail: repairSentence(diagnosis),
      },
    },
  ];
  await writer.append({ facts, ...(checkpoint && { checkpoint: correctedCheckpoint(checkpoint, diagnosis) }) });
  return corrected.length;
}

function repairSentence({ since, at, latest }: ClockDiagnosis): string {
  return `the recorder's clock was wrong: the ledger reached ${toText(latest)} at ${toText(at)}; nothing is claimed to have been watched from ${toText(since)} to then`;
}

/** Instants that cannot lie in the future: until when it was watched, and when something was observed. */
function claimedTimes(fact: Fact): EpochMillis[] {
  switch (fact.kind) {
    case 'coverage': {
      const { from, to, withdrawn } = fact.coverage;
      return withdrawn !== undefined && withdrawn <= from ? [] : [to];
    }
    case 'tenure':
      return observations(fact.tenure);
    case 'placement':
      return observations(fact.placement);
    case 'possible':
      return fact.possible === undefined ? [] : observations(fact.possible);
    case 'live':
      return fact.live === undefined ? [] : [fact.live.seenAt];
    default:
      return [recordOf(fact).observedAt];
  }
}

function observations({ start, end }: { readonly start: Boundary; readonly end: Boundary | undefined }): EpochMillis[] {
  return end === undefined ? [start.observedAt] : [start.observedAt, end.observedAt];
}

/** Observed live, moments after a time that another clock had written into the object, in whole seconds. */
function promptBoundaries(fact: Fact): Boundary[] {
  const record = fact.kind === 'tenure' ? fact.tenure : fact.kind === 'placement' ? fact.placement : undefined;
  if (record === undefined) return [];
  const all = record.end === undefined ? [record.start] : [record.start, record.end];
  return all.filter(
    ({ source, observedAt, notBefore, notAfter }) =>
      source === 'watch' &&
      notBefore % 1000 === 0 &&
      notAfter - notBefore <= NARROW_MS &&
      Math.abs(observedAt - notBefore) <= PROMPT_MS,
  );
}
