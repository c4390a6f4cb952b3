// What happens in the demo's cluster, in words: pods that move, addresses that change hands, nodes that go. Counts all,
// prints few: whoever watches should be able to read.
import type { ChurnKind, SimulatedCluster, TrueTenure } from '@podtrail/sandbox';

const WORDS: Readonly<Record<ChurnKind, (about: string) => string>> = {
  rollout: (about) => `a rollout of ${about} begins`,
  scale: (about) => `${about} is scaled`,
  drain: (about) => `${about} is drained`,
  nodeLoss: (about) => `${about} dies`,
  nodeRestart: (about) => `${about} reboots`,
  nodeReplacement: (about) => `${about} dies and will be replaced`,
  job: (about) => `the job ${about} starts`,
  oom: (about) => `${about} is killed for its memory`,
  crash: (about) => `${about} crashes`,
  sandbox: (about) => `${about} gets a new sandbox, and a new address`,
  eviction: (about) => `${about} is evicted`,
  deletion: (about) => `${about} is deleted`,
  forcedDeletion: (about) => `${about} is deleted by force`,
};

export class News {
  readonly #cluster: SimulatedCluster;
  readonly #print: (line: string) => void;
  readonly #holders = new Map<string, TrueTenure>();
  readonly #nodes = new Map<string, string>();
  #seen = 0;
  #moves = 0;
  #reuses = 0;

  constructor(cluster: SimulatedCluster, print: (line: string) => void) {
    this.#cluster = cluster;
    this.#print = print;
    // What happened before is history: the ledger has it.
    for (const tenure of this.#next()) this.#take(tenure);
    this.#moves = 0;
    this.#reuses = 0;
  }

  get moves(): number {
    return this.#moves;
  }

  get reuses(): number {
    return this.#reuses;
  }

  churned(kind: ChurnKind, about: string): void {
    this.#print(WORDS[kind](about));
  }

  /** Call it now and then: prints one move and one reuse since the last time, and counts the others. */
  look(): void {
    let move: string | undefined;
    let reuse: string | undefined;
    for (const tenure of this.#next()) {
      const { moved, reused } = this.#take(tenure);
      move ??= moved;
      reuse ??= reused;
    }
    if (move !== undefined) this.#print(move);
    if (reuse !== undefined) this.#print(reuse);
  }

  #take(tenure: TrueTenure): { readonly moved?: string; readonly reused?: string } {
    const pod = `${tenure.namespace}/${tenure.name}`;
    const before = this.#holders.get(tenure.ip);
    const node = this.#nodes.get(pod);
    this.#holders.set(tenure.ip, tenure);
    this.#nodes.set(pod, tenure.node);
    const found: { moved?: string; reused?: string } = {};
    if (node !== undefined && node !== tenure.node) {
      this.#moves++;
      found.moved = `${pod} moved from ${node} to ${tenure.node}`;
    }
    if (before !== undefined && before.uid !== tenure.uid) {
      this.#reuses++;
      found.reused = `${tenure.ip} passed from ${before.namespace}/${before.name} to ${pod}`;
    }
    return found;
  }

  #next(): TrueTenure[] {
    const all = this.#cluster.truth.tenures;
    const fresh = all.slice(this.#seen).filter(({ hostNetwork }) => !hostNetwork);
    this.#seen = all.length;
    return fresh;
  }
}
