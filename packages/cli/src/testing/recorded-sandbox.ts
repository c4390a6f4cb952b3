// A recorder on the stage of faults, and its ledger.
import {
  allRecords,
  type Batch,
  type Change,
  type Coverage,
  type Engine,
  epochMillis,
  openStore,
  parseIp,
  type StoredFact,
  type Tenure,
  who,
  withSnapshot,
} from '@podtrail/history';
import { seededRandom } from '@podtrail/machinery';
import { Recorder, type RecorderListener, type RecorderOptions } from '@podtrail/operator';
import type { FaultStage } from './fault-stage.ts';
import { notePause, type Pause } from './followed-sandbox.ts';

export interface RecordedOptions
  extends Partial<
    Pick<
      RecorderOptions,
      'consistencyMs' | 'clock' | 'retentionMs' | 'storeLimit' | 'changeBudgets' | 'streams' | 'causes' | 'namespaces'
    >
  > {
  readonly listener?: RecorderListener;
  /** Called instead of the store, which it may call. */
  readonly append?: (batch: Batch, store: (batch: Batch) => Promise<void>) => Promise<void>;
}

export class RecordedSandbox {
  readonly cluster = { id: 'faults', name: 'faults' };
  readonly engine: Engine;
  /** As they became durable. */
  readonly batches: Batch[] = [];
  /** Of the watch of pods. */
  readonly pauses: Pause[] = [];
  recorder!: Recorder;
  ended: Promise<void> = Promise.resolve();
  hasEnded = false;
  /** Ends the recorder; the stage does at the end of the test. */
  stop: () => Promise<void> = async () => {};
  readonly #stage: FaultStage;

  /** Resolves when the recorder has listed everything and is current. */
  static async start(
    stage: FaultStage,
    { engine, ...options }: RecordedOptions & { readonly engine?: Engine } = {},
  ): Promise<RecordedSandbox> {
    const recorded = await RecordedSandbox.open(stage, engine === undefined ? options : { ...options, engine });
    await recorded.current();
    return recorded;
  }

  /** The same without waiting: perhaps it never comes to that. */
  static async open(
    stage: FaultStage,
    { engine, ...options }: RecordedOptions & { readonly engine?: Engine } = {},
  ): Promise<RecordedSandbox> {
    const recorded = new RecordedSandbox(stage, engine ?? (await openStore('memory:', { access: 'write' })));
    await recorded.#run(options);
    return recorded;
  }

  private constructor(stage: FaultStage, engine: Engine) {
    this.#stage = stage;
    this.engine = engine;
  }

  async #run({ append, listener = {}, ...options }: RecordedOptions): Promise<void> {
    const { clock } = this.#stage;
    const client = await this.#stage.connect();
    this.recorder = await Recorder.open({
      ...{ client, clock, random: seededRandom(7), cluster: this.cluster, collector: 'test', ...options },
      engine: append === undefined ? this.engine : withAppend(this.engine, append),
      listeners: [
        listener,
        {
          stored: ({ batch }) => void this.batches.push(batch),
          watchChanged: (resource, state) => {
            if (resource === 'pods') notePause(this.pauses, state, clock);
          },
        },
      ],
    });
    const stop = new AbortController();
    this.ended = this.recorder.run(stop.signal);
    const ended = this.ended.finally(() => {
      this.hasEnded = true;
    });
    this.stop = async () => {
      stop.abort();
      // Whoever waits for `ended` learns why.
      await ended.catch(() => undefined);
    };
    ended.catch(() => undefined);
    this.#stage.atEnd(this.stop);
  }

  /** Everything that happened until now is in the ledger, and all watches are open. */
  async current(): Promise<void> {
    const { until, api } = { until: this.#stage.until.bind(this.#stage), api: this.#stage.api };
    // Of the pods only; their stream need not come to the versions of others.
    const newest = Math.max(0, ...api.list('pods').map(({ metadata }) => Number(metadata.resourceVersion)));
    const isStored = () => this.batches.some(({ checkpoint }) => Number(checkpoint?.resourceVersion ?? 0) >= newest);
    await until('the recorder is current', () => this.recorder.status.current && isStored());
    const begun = this.#stage.clock.now();
    await until('the ledger speaks of now', () => (this.recorder.status.coverageTo ?? 0) > begun);
  }

  facts(): StoredFact[] {
    return this.batches.flatMap(({ facts }) => facts);
  }

  async records<K extends StoredFact['kind']>(kind: K): Promise<Extract<StoredFact, { kind: K }>[]> {
    const found: Extract<StoredFact, { kind: K }>[] = [];
    for await (const fact of allRecords(this.engine, this.cluster.id)) {
      if (fact.kind === kind) found.push(fact as Extract<StoredFact, { kind: K }>);
    }
    return found;
  }

  async tenures(ip: string): Promise<Tenure[]> {
    const all = (await this.records('tenure')).map(({ tenure }) => tenure);
    return all.filter((tenure) => tenure.ip === parseIp(ip));
  }

  async changes(): Promise<Change[]> {
    return (await this.records('change')).map(({ change }) => change);
  }

  async stretches(): Promise<Coverage[]> {
    return (await withSnapshot(this.engine, this.cluster.id, (snapshot) => snapshot.coverage())).filter(
      ({ scope }) => scope.kind === 'cluster',
    );
  }

  /** "held web-1", "free", "unknown gap"; without a time of the last instant that the ledger speaks of. */
  async says(ip: string, at: number = this.recorder.status.coverageTo ?? 0): Promise<string> {
    const answer = await withSnapshot(this.engine, this.cluster.id, (snapshot) =>
      who(snapshot, { ip: parseIp(ip)!, at: epochMillis(at) }),
    );
    return [answer.answer, ...answer.holders.map(({ name }) => name), answer.reason ?? ''].join(' ').trim();
  }
}

function withAppend(engine: Engine, append: NonNullable<RecordedOptions['append']>): Engine {
  return new Proxy(engine, {
    get(target, key) {
      if (key === 'takeOver') {
        return async (cluster: Parameters<Engine['takeOver']>[0]) => {
          const writer = await target.takeOver(cluster);
          return { ...writer, append: (batch: Batch) => append(batch, (stored) => writer.append(stored)) };
        };
      }
      const value = Reflect.get(target, key) as unknown;
      return typeof value === 'function' ? value.bind(target) : value;
    },
  });
}
