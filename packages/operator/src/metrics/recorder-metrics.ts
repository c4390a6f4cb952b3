// A recorder in numbers. Counts what it is notified of as a listener; everything that has a present value is read when the
// page is made. Labels are kinds and codes: never an address, a name or a UID.
import type { Patrol, RoomKept } from '@podtrail/history';
import type { Cacheable, Clock, HandlerFailure, ReflectorState } from '@podtrail/machinery';
import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { StoredBatch } from '../recorder/commit-queue.ts';
import type { StreamStatus } from '../recorder/followed-stream.ts';
import type { LeaseResult } from '../recorder/lease-reader.ts';
import { RECORDED_STREAMS } from '../recorder/recorded-streams.ts';
import type { Recorder } from '../recorder/recorder.ts';
import type { Housekept, RecorderListener } from '../recorder/recorder-listener.ts';
import type { RecorderStatus } from '../recorder/recorder-status.ts';

const LAG_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const APPEND_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

/** Kinds of occurrences that go first at the limit, as the label says them. */
const LIMITED: Readonly<Record<string, string>> = {
  change: 'changes',
  life: 'lives',
  departure: 'departures',
  evidence: 'evidence',
};

export class RecorderMetrics implements RecorderListener {
  readonly #registry: Registry;
  readonly #lag: Histogram;
  readonly #append: Histogram;
  readonly #facts: Counter;
  readonly #storeFailures: Counter;
  readonly #restarts: Counter<'resource'>;
  readonly #relists: Counter<'resource' | 'reason'>;
  readonly #watchErrors: Counter<'resource'>;
  readonly #handlerFailures: Counter<'resource' | 'handler'>;
  readonly #gaps: Counter<'resource' | 'reason'>;
  readonly #housekeeping: Counter<'task' | 'outcome'>;
  readonly #removed: Counter;
  readonly #damages: Counter;
  readonly #patrols: Counter;
  readonly #limited: Counter<'kind'>;
  readonly #room: Readonly<Record<'bytes' | 'limit' | 'ballast' | 'free', Gauge>>;
  readonly #anomalies: Counter<'what'>;
  readonly #clockCorrections: Counter;
  readonly #leaseReads: Counter<'result'>;
  /** Streams of which one watch has been opened already. */
  readonly #watched = new Set<string>();

  constructor(registry: Registry) {
    this.#registry = registry;
    const registers = [registry];
    this.#lag = new Histogram({
      name: 'podtrail_recorder_lag_seconds',
      help: 'From the arrival of an event to its being durable in the store.',
      buckets: LAG_BUCKETS,
      registers,
    });
    this.#append = new Histogram({
      name: 'podtrail_store_append_seconds',
      help: 'How long the store took for a batch of facts.',
      buckets: APPEND_BUCKETS,
      registers,
    });
    this.#facts = counter(registry, 'podtrail_recorder_committed_facts_total', 'Facts that are durable.');
    this.#storeFailures = counter(registry, 'podtrail_store_failures_total', 'Batches that the store did not take.');
    this.#restarts = counter(registry, 'podtrail_watch_restarts_total', 'Watches opened again.', ['resource']);
    this.#relists = counter(registry, 'podtrail_relists_total', 'Listings after the first.', ['resource', 'reason']);
    this.#watchErrors = counter(registry, 'podtrail_watch_errors_total', 'Failed lists and watches.', ['resource']);
    this.#handlerFailures = counter(registry, 'podtrail_handler_failures_total', 'Changes that a handler threw at.', [
      'resource',
      'handler',
    ]);
    this.#gaps = counter(registry, 'podtrail_watch_gaps_total', 'Times in which events were lost.', [
      'resource',
      'reason',
    ]);
    this.#housekeeping = counter(registry, 'podtrail_store_housekeeping_total', 'Housekeeping of the store.', [
      'task',
      'outcome',
    ]);
    this.#damages = counter(registry, 'podtrail_store_damages_total', 'Parts of the store that were found damaged.');
    this.#patrols = counter(registry, 'podtrail_store_patrols_total', 'Times that the whole store was read through.');
    this.#removed = counter(registry, 'podtrail_store_removed_records_total', 'Records forgotten by retention.');
    this.#limited = counter(registry, 'podtrail_store_limit_removed_total', 'Records removed at the limit.', ['kind']);
    for (const kind of [...Object.values(LIMITED), 'records']) this.#limited.inc({ kind }, 0);
    const gauge = (name: string, help: string) => new Gauge({ name, help, registers });
    this.#room = {
      bytes: gauge('podtrail_store_bytes', 'Size of the store, without its ballast.'),
      limit: gauge('podtrail_store_limit_bytes', 'Size at which the oldest records go.'),
      ballast: gauge('podtrail_store_ballast_bytes', 'Held back for the work that makes room.'),
      free: gauge('podtrail_store_volume_free_bytes', 'Free on the volume of the store.'),
    };
    this.#anomalies = counter(
      registry,
      'podtrail_anomalies_total',
      'What cannot be right: clocks of nodes, texts that are no address, a pod that changed its node.',
      ['what'],
    );
    this.#clockCorrections = counter(
      registry,
      'podtrail_clock_corrections_total',
      'Times that the ledger was by a wrong clock, and what it claimed was taken back.',
    );
    this.#leaseReads = counter(registry, 'podtrail_node_lease_reads_total', 'Leases of nodes that were read.', [
      'result',
    ]);
    for (const result of ['renewed', 'unchanged', 'absent', 'forbidden', 'failed']) this.#leaseReads.inc({ result }, 0);
    for (const what of ['clock-skew', 'unparsable-address', 'node-changed']) this.#anomalies.inc({ what }, 0);
    for (const { resource } of RECORDED_STREAMS.map((stream) => stream.resource)) {
      // Present from the beginning: a rate of what has not happened yet is zero, not absent.
      this.#restarts.inc({ resource }, 0);
      this.#watchErrors.inc({ resource }, 0);
      this.#handlerFailures.inc({ resource, handler: 'recorder' }, 0);
      this.#gaps.inc({ resource, reason: 'expired' }, 0);
    }
  }

  stored({ batch, appendMs, lagsMs }: StoredBatch): void {
    this.#facts.inc(batch.facts.length);
    for (const fact of batch.facts) if (fact.kind === 'anomaly') this.#anomalies.inc({ what: fact.anomaly.what });
    this.#append.observe(appendMs / 1000);
    for (const ms of lagsMs) this.#lag.observe(ms / 1000);
  }

  storeFailed(): void {
    this.#storeFailures.inc();
  }

  /** Also of watches that are not the recorder's. */
  watchChanged(resource: string, state: ReflectorState): void {
    if (state.kind === 'waiting') this.#watchErrors.inc({ resource });
    if (state.kind === 'listing' && state.reason !== 'start') this.#relists.inc({ resource, reason: state.reason });
    if (state.kind !== 'watching') return;
    if (this.#watched.has(resource)) this.#restarts.inc({ resource });
    this.#watched.add(resource);
  }

  handlerFailed(resource: string, { handler }: HandlerFailure<Cacheable>): void {
    this.#handlerFailures.inc({ resource, handler });
  }

  lost(resource: string, reason: string): void {
    this.#gaps.inc({ resource, reason });
  }

  clockCorrected(): void {
    this.#clockCorrections.inc();
  }

  leaseRead(result: LeaseResult): void {
    this.#leaseReads.inc({ result });
  }

  housekept({ what, error, removed }: Housekept): void {
    this.#housekeeping.inc({ task: what, outcome: error === undefined ? 'done' : 'failed' });
    this.#removed.inc(removed);
  }

  patrolled({ isFinished, damages }: Patrol): void {
    this.#damages.inc(damages.length);
    if (isFinished) this.#patrols.inc();
  }

  roomKept({ bytes, limitBytes, volume, ballastBytes, removedOfKinds, removedRecords }: RoomKept): void {
    for (const [kind, removed] of Object.entries(removedOfKinds))
      this.#limited.inc({ kind: LIMITED[kind] ?? kind }, removed);
    this.#limited.inc({ kind: 'records' }, removedRecords);
    this.#room.bytes.set(bytes);
    this.#room.ballast.set(ballastBytes);
    if (limitBytes !== undefined) this.#room.limit.set(limitBytes);
    if (volume !== undefined) this.#room.free.set(volume.freeBytes);
  }

  /** From now on the page also shows how this recorder stands. */
  watch(recorder: Pick<Recorder, 'status'>, clock: Clock): void {
    const value = (name: string, help: string, read: (status: RecorderStatus) => number | undefined) =>
      new Gauge({
        ...{ name, help, registers: [this.#registry] },
        collect() {
          this.reset();
          const read_ = read(recorder.status);
          if (read_ !== undefined) this.set(read_);
          else this.remove();
        },
      });
    const ageOf = (instant: number | undefined) =>
      instant === undefined ? undefined : Math.max(0, clock.now() - recorder.status.clock.skewMs - instant) / 1000;
    value('podtrail_recorder_synced', 'Every kind has been listed or caught up with.', ({ synced }) => Number(synced));
    value('podtrail_recorder_current', 'Every watch is open and in step.', ({ current }) => Number(current));
    value('podtrail_recorder_problems', 'What keeps it from recording, as /readyz reports.', (s) => s.problems.length);
    value('podtrail_recorder_waiting_facts', 'Facts on their way to the store.', (s) => s.waitingFacts);
    new Counter({
      ...{ name: 'podtrail_changes_suppressed_total', help: 'Annotation changes that were counted and not recorded.' },
      registers: [this.#registry],
      collect() {
        this.reset();
        this.inc(recorder.status.suppressedChanges);
      },
    });
    new Counter({
      ...{ name: 'podtrail_evidence_dropped_total', help: 'Evidence for causes that was over its budget.' },
      ...{ labelNames: ['resource'], registers: [this.#registry] },
      collect() {
        this.reset();
        for (const [resource, streams] of byResource(recorder.status.streams.filter(isEvidence))) {
          this.inc(
            { resource },
            streams.reduce((sum, { dropped = 0 }) => sum + dropped, 0),
          );
        }
      },
    });
    value('podtrail_coverage_end_age_seconds', 'Age of the last instant of which the store knows.', (s) =>
      ageOf(s.coverageTo),
    );
    value('podtrail_clock_skew_seconds', "How far this machine's clock is ahead of the API server's.", (s) =>
      s.clock.aheadMs === undefined ? undefined : s.clock.aheadMs / 1000,
    );
    value('podtrail_checkpoint_age_seconds', 'Age of what a restart would go on from.', (s) => ageOf(s.checkpointAt));
    const perKind = (name: string, help: string, read: (streams: readonly StreamStatus[]) => number | undefined) =>
      new Gauge({
        ...{ name, help, labelNames: ['resource'], registers: [this.#registry] },
        collect() {
          this.reset();
          for (const [resource, streams] of byResource(recorder.status.streams)) {
            const found = read(streams);
            if (found !== undefined) this.set({ resource }, found);
          }
        },
      });
    perKind('podtrail_watch_last_frame_age_seconds', 'Since the last event, bookmark or listing.', (streams) => {
      const received = streams.flatMap(({ silentMs }) => silentMs ?? []);
      return received.length === 0 ? undefined : Math.max(...received) / 1000;
    });
    perKind('podtrail_watch_current', 'The watch is open and in step.', (streams) =>
      Number(streams.every(({ current }) => current)),
    );
    perKind('podtrail_cached_objects', 'Objects in the cache.', (streams) =>
      streams.reduce((sum, { objects }) => sum + objects, 0),
    );
  }
}

function counter<L extends string>(registry: Registry, name: string, help: string, labels: L[] = []): Counter<L> {
  return new Counter<L>({ name, help, labelNames: labels, registers: [registry] });
}

function isEvidence({ role }: StreamStatus): boolean {
  return role === 'evidence';
}

function byResource(streams: readonly StreamStatus[]): Map<string, StreamStatus[]> {
  const found = new Map<string, StreamStatus[]>();
  for (const stream of streams) {
    const same = found.get(stream.resource);
    if (same === undefined) found.set(stream.resource, [stream]);
    else same.push(stream);
  }
  return found;
}
