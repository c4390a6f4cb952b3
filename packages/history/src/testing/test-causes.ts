// The traces of causes for tests: observations go through an observer and the observer of causes beside it into an engine
// in memory. Times are seconds since the test's beginning.
import type { Writer } from '../engines/ledger-writer.ts';
import { MemoryEngine } from '../engines/memory/memory-engine.ts';
import { allRecords } from '../engines/with-snapshot.ts';
import { CauseObserver } from '../explain/observe/cause-observer.ts';
import type { Evidence } from '../model/evidence.ts';
import type { StoredFact } from '../model/fact.ts';
import type { OccurrenceKind, OccurrenceRecords } from '../model/occurrence.ts';
import type { PodLife } from '../model/pod-life.ts';
import type { Observation, Observed, ObservedNode, ReportedEvidence } from '../observe/observation.ts';
import { Observer, type ObserverOptions } from '../observe/observer.ts';
import type { PodBuilder } from './observed-pod.ts';
import { at, CLUSTER } from './test-ledger.ts';

type Listing = Extract<Observation, { kind: 'listed' }>;

const COLLECTOR = 'test';

export class TestCauses {
  readonly engine = new MemoryEngine();
  readonly #options: Pick<ObserverOptions, 'scope' | 'alsoFollows'>;
  #observer: Observer;
  #causes: CauseObserver;
  #writer: Writer | undefined;
  #version = 1;

  constructor(options: Pick<ObserverOptions, 'scope' | 'alsoFollows'> = { scope: { kind: 'cluster' } }) {
    this.#options = options;
    this.#observer = new Observer({ collector: COLLECTOR, ...options });
    this.#causes = new CauseObserver({ collector: COLLECTOR, ledger: this.#observer });
  }

  /** Returns the facts of causes alone. */
  async observe(observation: Observation): Promise<readonly StoredFact[]> {
    const traces = this.#causes.observe(observation);
    const facts = [...traces, ...this.#observer.observe(observation)];
    this.#writer ??= await this.engine.takeOver(CLUSTER);
    const checkpoint = { epoch: this.#observer.epoch, resourceVersion: String(this.#version), at: observation.at };
    await this.#writer.append({ facts, checkpoint });
    return traces;
  }

  see(second: number, pod: PodBuilder, type: 'present' | 'deleted' = 'present'): Promise<readonly StoredFact[]> {
    return this.observe({ kind: 'event', type, seen: this.#nextPod(pod), at: at(second) });
  }

  deleted(second: number, pod: PodBuilder): Promise<readonly StoredFact[]> {
    return this.see(second, pod, 'deleted');
  }

  seeNode(second: number, node: ObservedNode, type: 'present' | 'deleted' = 'present'): Promise<readonly StoredFact[]> {
    return this.observe({ kind: 'event', type, seen: this.#nextNode(node), at: at(second) });
  }

  /** A whole listing of pods; those with a version keep it. */
  list(second: number, reason: Listing['reason'], ...pods: PodBuilder[]): Promise<readonly StoredFact[]> {
    return this.#list(
      second,
      reason,
      'Pod',
      pods.map((pod) => this.#nextPod(pod)),
    );
  }

  listNodes(second: number, reason: Listing['reason'], ...nodes: ObservedNode[]): Promise<readonly StoredFact[]> {
    return this.#list(
      second,
      reason,
      'Node',
      nodes.map((node) => this.#nextNode(node)),
    );
  }

  evidence(second: number, evidence: ReportedEvidence): Promise<readonly StoredFact[]> {
    return this.observe({ kind: 'evidence', evidence, at: at(second) });
  }

  /** The recorder dies; another one goes on from the store. */
  async restart(): Promise<void> {
    const { state, checkpoint } = await this.engine.resume(CLUSTER.id);
    this.#writer = await this.engine.takeOver(CLUSTER);
    this.#observer = new Observer({ collector: COLLECTOR, ...this.#options, resume: state, checkpoint });
    this.#causes = new CauseObserver({ collector: COLLECTOR, ledger: this.#observer });
  }

  async records<K extends OccurrenceKind>(kind: K): Promise<OccurrenceRecords[K][]> {
    const facts = await Array.fromAsync(allRecords(this.engine, CLUSTER.id));
    return facts.flatMap((fact) => (fact.kind === kind ? [(fact as unknown as OccurrenceRecords)[kind]] : []));
  }

  async life(name: string): Promise<PodLife> {
    const found = (await this.records('life')).find(({ pod }) => pod.name === name);
    if (found === undefined) throw new TypeError(`no life of ${name} is stored`);
    return found;
  }

  /** `tainted key:NoExecute` and so on, in the order of time. */
  async traces(): Promise<string[]> {
    const evidence = await this.records('evidence');
    return evidence.sort((a, b) => a.at - b.at || a.id.localeCompare(b.id)).map(traceText);
  }

  #list(
    second: number,
    reason: Listing['reason'],
    resource: Observed['kind'],
    present: readonly Observed[],
  ): Promise<readonly StoredFact[]> {
    const resourceVersion = String(++this.#version);
    const rest = { whole: true, present, goneUids: [], at: at(second) };
    return this.observe({ kind: 'listed', resource, reason, resourceVersion, ...rest });
  }

  #nextPod(pod: PodBuilder): Observed {
    return { kind: 'Pod', object: pod.atVersion(this.#next(pod.build().metadata.resourceVersion)).build() };
  }

  #nextNode(node: ObservedNode): Observed {
    const resourceVersion = this.#next(node.metadata.resourceVersion);
    return { kind: 'Node', object: { ...node, metadata: { ...node.metadata, resourceVersion } } };
  }

  /** A version of its own is kept, else the next one is given. */
  #next(given: string): string {
    const version = Number(given) > 1 ? Number(given) : this.#version + 1;
    this.#version = Math.max(this.#version, version);
    return String(version);
  }
}

function traceText({ what, reason }: Evidence): string {
  return reason === '' ? what : `${what} ${reason}`;
}
