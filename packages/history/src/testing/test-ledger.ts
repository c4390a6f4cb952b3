// A ledger for tests: observations go through an observer into an engine, one append each, and the questions are asked of
// that engine. Times are seconds since the test's beginning unless they are called milliseconds.
import type { Engine } from '../engines/engine.ts';
import type { Writer } from '../engines/ledger-writer.ts';
import { MemoryEngine } from '../engines/memory/memory-engine.ts';
import { withSnapshot } from '../engines/with-snapshot.ts';
import type { StoredFact } from '../model/fact.ts';
import { type IpAddress, parseIp } from '../model/ip-address.ts';
import type { Coverage, Scope, Tenure } from '../model/records.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import type { Observation, Observed } from '../observe/observation.ts';
import { Observer, type ObserverOptions } from '../observe/observer.ts';
import type { Answer } from '../query/answer.ts';
import { who } from '../query/who.ts';
import type { PodBuilder } from './observed-pod.ts';

export const CLUSTER = { id: 'cluster-1', name: 'test' };
/** A whole hour, so that seconds are easy to read. */
const TEST_START = Date.UTC(2026, 10, 15, 10);

/** A second of the test as an instant. */
export function at(seconds: number): EpochMillis {
  return epochMillis(TEST_START + seconds * 1000);
}

export function ip(text: string): IpAddress {
  const parsed = parseIp(text);
  if (parsed === undefined) throw new TypeError(`${text} is no address`);
  return parsed;
}

type Reason = Extract<Observation, { kind: 'listed' }>['reason'];

export class TestLedger {
  readonly engine: Engine;
  readonly facts: StoredFact[] = [];
  readonly #scope: Scope;
  readonly #changeBudgets: ObserverOptions['changeBudgets'];
  readonly #alsoFollows: ObserverOptions['alsoFollows'];
  #observer: Observer;
  #writer: Writer | undefined;
  #version = 0;

  constructor(
    scope: Scope = { kind: 'cluster' },
    engine: Engine = new MemoryEngine(),
    changeBudgets?: ObserverOptions['changeBudgets'],
    alsoFollows?: ObserverOptions['alsoFollows'],
  ) {
    this.engine = engine;
    this.#changeBudgets = changeBudgets;
    this.#alsoFollows = alsoFollows;
    this.#scope = scope;
    this.#observer = this.#observing({});
  }

  get observer(): Observer {
    return this.#observer;
  }

  async observe(observation: Observation): Promise<readonly StoredFact[]> {
    const facts = this.#observer.observe(observation);
    this.#writer ??= await this.engine.takeOver(CLUSTER);
    const resourceVersion = String(this.#version);
    await this.#writer.append({
      facts,
      checkpoint: { epoch: this.#observer.epoch, resourceVersion, at: observation.at },
    });
    this.facts.push(...facts);
    return facts;
  }

  /** One event of a pod; versions count up by themselves unless the pod has one. */
  see(second: number, pod: PodBuilder, type: 'present' | 'deleted' = 'present'): Promise<readonly StoredFact[]> {
    return this.observe({ kind: 'event', type, seen: this.#next(pod), at: at(second) });
  }

  deleted(second: number, pod: PodBuilder): Promise<readonly StoredFact[]> {
    return this.see(second, pod, 'deleted');
  }

  /** A whole listing of pods. */
  list(second: number, reason: Reason, ...pods: PodBuilder[]): Promise<readonly StoredFact[]> {
    const present = pods.map((pod) => this.#next(pod));
    const resourceVersion = String(++this.#version);
    const rest = { whole: true, present, goneUids: [], at: at(second) };
    return this.observe({ kind: 'listed', resource: 'Pod', reason, resourceVersion, ...rest });
  }

  /** The watch is open, and the server confirms that nothing is on its way. */
  async alive(second: number): Promise<void> {
    const resourceVersion = String(this.#version);
    await this.observe({ kind: 'probed', resourceVersion, at: at(second) });
    await this.observe({ kind: 'alive', at: at(second) });
  }

  /** The recorder dies; another one goes on from the store. */
  async restart(): Promise<void> {
    const { state, checkpoint } = await this.engine.resume(CLUSTER.id);
    this.#writer = await this.engine.takeOver(CLUSTER);
    this.#observer = this.#observing({ resume: state, checkpoint });
  }

  #observing(from: Pick<ObserverOptions, 'resume' | 'checkpoint'>): Observer {
    const options = { collector: 'test', scope: this.#scope, changeBudgets: this.#changeBudgets, ...from };
    const alsoFollows = this.#alsoFollows;
    return new Observer(alsoFollows === undefined ? options : { ...options, alsoFollows });
  }

  who(address: string, second: number): Promise<Answer> {
    return withSnapshot(this.engine, CLUSTER.id, (snapshot) => who(snapshot, { ip: ip(address), at: at(second) }));
  }

  /** `held web-1`, `free`, `unknown gap`, `ambiguous web-1,job-2`. */
  async answer(address: string, second: number): Promise<string> {
    const { answer, reason, holders } = await this.who(address, second);
    return [answer, reason, holders.map((holder) => holder.name).join(',')].filter((word) => word).join(' ');
  }

  async tenures(address: string): Promise<readonly Tenure[]> {
    const span = { from: at(-1e6), to: at(1e6) };
    return (
      await withSnapshot(this.engine, CLUSTER.id, (snapshot) =>
        snapshot.tenuresOfIp(ip(address), span, { limit: 1000 }),
      )
    ).items;
  }

  coverage(): Promise<readonly Coverage[]> {
    return withSnapshot(this.engine, CLUSTER.id, (snapshot) => snapshot.coverage());
  }

  #next(pod: PodBuilder): Observed {
    const given = Number(pod.build().metadata.resourceVersion);
    // A version of its own is kept, else the next one is given.
    const version = given > 1 ? given : ++this.#version;
    this.#version = Math.max(this.#version, version);
    return { kind: 'Pod', object: pod.atVersion(version).build() };
  }
}
