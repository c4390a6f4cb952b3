// Plays a scenario through an observer into an engine, as a recorder would, and asks what it says must be answered.
// For tests and demos: it makes its own time and never waits.

import type { Engine } from '../engines/engine.ts';
import type { Writer } from '../engines/ledger-writer.ts';
import { withSnapshot } from '../engines/with-snapshot.ts';
import { HistoryError } from '../errors.ts';
import type { Scope } from '../model/records.ts';
import { type EpochMillis, epochMillis } from '../model/time.ts';
import type { Observation } from '../observe/observation.ts';
import { Observer } from '../observe/observer.ts';
import type { Answer } from '../query/answer.ts';
import { who } from '../query/who.ts';
import type { Ask, Scenario, Statement } from './scenario.ts';
import { ScenarioCluster, type ScenarioWrite } from './scenario-cluster.ts';

export interface AskOutcome {
  readonly ask: Ask;
  readonly answer: Answer;
  /** As the scenario would write it: `held shop/web-1`. */
  readonly expected: string;
  readonly given: string;
}

type Interruption = Extract<Statement, { kind: 'interruption' }>;
type ListingReason = Extract<Observation, { kind: 'listed' }>['reason'];

/** Events take this long to arrive; and so long before everything that happens, the watch was seen alive. */
const DELIVERY_MS = 20;
const HEARTBEAT_MS = 500;

export async function runScenario(engine: Engine, cluster: string, scenario: Scenario): Promise<AskOutcome[]> {
  const run = new ScenarioRun(engine, cluster, scenario);
  await run.play();
  const outcomes: AskOutcome[] = [];
  for (const ask of scenario.asks) {
    const answer = await withSnapshot(engine, cluster, (snapshot) => who(snapshot, { ip: ask.ip, at: ask.at }));
    outcomes.push({ ask, answer, expected: spell(ask.answer, ask.reason, ask.holders), given: spellAnswer(answer) });
  }
  return outcomes;
}

class ScenarioRun {
  readonly #engine: Engine;
  readonly #id: string;
  readonly #scenario: Scenario;
  readonly #cluster: ScenarioCluster;
  #writer: Writer | undefined;
  #observer: Observer | undefined;
  #namespaces: readonly string[] | undefined;
  #interruption: Interruption | undefined;
  /** Written while nothing is delivered. */
  #waiting: ScenarioWrite[] = [];
  #deliveredVersion = '0';

  constructor(engine: Engine, id: string, scenario: Scenario) {
    this.#engine = engine;
    this.#id = id;
    this.#scenario = scenario;
    this.#cluster = new ScenarioCluster(scenario);
  }

  async play(): Promise<void> {
    for (const instant of this.#instants()) {
      if (this.#interruption !== undefined && this.#interruption.until <= instant) await this.#resume();
      await this.#beat(epochMillis(instant - HEARTBEAT_MS));
      for (const statement of this.#scenario.statements) if (statement.at === instant) await this.#happens(statement);
      await this.#beat(instant);
    }
  }

  /** Everything that happens or is asked about, and the ends of interruptions, in order. */
  #instants(): EpochMillis[] {
    const { statements, asks } = this.#scenario;
    const ends = statements.flatMap((statement) => (statement.kind === 'interruption' ? [statement.until] : []));
    const all = new Set([...statements.map(({ at }) => at), ...asks.map(({ at }) => at), ...ends]);
    return [...all].sort((a, b) => a - b);
  }

  async #happens(statement: Statement): Promise<void> {
    switch (statement.kind) {
      case 'watch-starts':
        await this.#start(statement);
        return;
      case 'interruption':
        if (this.#interruption !== undefined) this.#refuse(statement, 'one interruption at a time');
        if (this.#observer === undefined) this.#refuse(statement, 'the watch has not started');
        if (statement.until <= statement.at) this.#refuse(statement, 'it ends before it begins');
        this.#interruption = statement;
        return;
      case 'removed':
        await this.#engine.prune(this.#id, statement.before);
        return;
      default: {
        const write = this.#cluster.apply(statement);
        if (write === undefined || this.#observer === undefined || !this.#isWatched(write)) return;
        if (this.#interruption !== undefined) this.#waiting.push(write);
        else await this.#deliver(write, statement.at);
      }
    }
  }

  async #start(statement: Extract<Statement, { kind: 'watch-starts' }>): Promise<void> {
    if (this.#observer !== undefined) this.#refuse(statement, 'the watch has started already');
    this.#namespaces = statement.namespaces;
    this.#writer = await this.#engine.takeOver({ id: this.#id, name: this.#id });
    this.#observer = new Observer({ collector: 'scenario', scope: this.#scope() });
    await this.#list('start', statement.at);
  }

  /** The interruption is over: what was missed comes late, or is lost and listed. */
  async #resume(): Promise<void> {
    const { how, until } = this.#interruption as Interruption;
    const missed = this.#waiting;
    this.#interruption = undefined;
    this.#waiting = [];
    if (how === 'stopped' || how === 'stopped-too-long') {
      const { state, checkpoint } = await this.#engine.resume(this.#id);
      this.#writer = await this.#engine.takeOver({ id: this.#id, name: this.#id });
      this.#observer = new Observer({ collector: 'scenario', scope: this.#scope(), resume: state, checkpoint });
    }
    if (how === 'rewound') this.#cluster.rewind();
    if (how === 'silent' || how === 'stopped') {
      for (const write of missed) await this.#deliver(write, until);
      await this.#progress(until);
    } else await this.#list(how === 'rewound' ? 'rewound' : 'expired', until);
  }

  async #deliver({ type, seen }: ScenarioWrite, at: EpochMillis): Promise<void> {
    if (seen.kind === 'Pod') this.#deliveredVersion = seen.object.metadata.resourceVersion;
    await this.#observe({ kind: 'event', type, seen, at: epochMillis(at + DELIVERY_MS) });
  }

  async #list(reason: ListingReason, at: EpochMillis): Promise<void> {
    const resourceVersion = this.#cluster.version;
    for (const resource of ['Node', 'Service', 'Pod'] as const) {
      // A recorder of some namespaces has one stream for each; nodes have none.
      for (const namespace of resource === 'Node' ? [undefined] : (this.#namespaces ?? [undefined])) {
        const present = this.#cluster.of(resource, namespace === undefined ? undefined : [namespace]);
        this.#deliveredVersion = resourceVersion;
        const rest = { reason, resourceVersion, whole: true, present, goneUids: [], at };
        await this.#observe({ kind: 'listed', resource, namespace, ...rest });
      }
    }
  }

  async #progress(at: EpochMillis): Promise<void> {
    this.#deliveredVersion = this.#cluster.version;
    for (const namespace of this.#namespaces ?? [undefined]) {
      await this.#observe({
        kind: 'progress',
        resource: 'Pod',
        namespace,
        resourceVersion: this.#deliveredVersion,
        at,
      });
    }
  }

  /** While the watch is believed to be open, the store records that; while it is, the server confirms it. */
  async #beat(at: EpochMillis): Promise<void> {
    if (this.#observer === undefined) return;
    const how = this.#interruption?.how;
    if (how !== undefined && how !== 'silent') return;
    if (how === undefined) {
      await this.#progress(at);
      await this.#observe({ kind: 'probed', resourceVersion: this.#cluster.version, at });
    }
    await this.#observe({ kind: 'alive', at });
  }

  async #observe(observation: Observation): Promise<void> {
    const facts = this.#observer?.observe(observation) ?? [];
    const { at } = observation;
    const checkpoint = { epoch: this.#observer?.epoch ?? 1, resourceVersion: this.#deliveredVersion, at };
    await this.#writer?.append({ facts, checkpoint });
  }

  #isWatched({ seen }: ScenarioWrite): boolean {
    return (
      this.#namespaces === undefined ||
      seen.kind === 'Node' ||
      this.#namespaces.includes(seen.object.metadata.namespace)
    );
  }

  #scope(): Scope {
    const namespaces = this.#namespaces;
    return namespaces === undefined ? { kind: 'cluster' } : { kind: 'namespaces', namespaces };
  }

  #refuse(statement: Statement, why: string): never {
    throw new HistoryError('bad-scenario', `${this.#scenario.name}:${statement.line}: ${why}`);
  }
}

function spellAnswer({ answer, reason, holders }: Answer): string {
  return spell(
    answer,
    reason,
    holders.map(({ namespace, name }) => (namespace === '' ? name : `${namespace}/${name}`)),
  );
}

function spell(answer: string, reason: string | undefined, holders: readonly string[]): string {
  return [answer, reason ?? '', holders.join(', ')].filter((word) => word !== '').join(' ');
}
