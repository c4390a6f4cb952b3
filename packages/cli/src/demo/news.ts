// What happens in the demo's cluster, in words: what is done to it, and addresses that change hands. Counts all, prints
// few: whoever watches should be able to read. Which pods moved, and why, is for the ledger to say (ledger-moves.ts).
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
  #seen = 0;
  #reuses = 0;

  constructor(cluster: SimulatedCluster, print: (line: string) => void) {
    this.#cluster = cluster;
    this.#print = print;
    // What happened before is history: the ledger has it.
    for (const tenure of this.#next()) this.#take(tenure);
    this.#reuses = 0;
  }

  get reuses(): number {
    return this.#reuses;
  }

  churned(kind: ChurnKind, about: string): void {
    this.#print(WORDS[kind](about));
  }

  /** Call it now and then: prints one reuse since the last time, and counts the others. */
  look(): void {
    const reuses = this.#next().flatMap((tenure) => this.#take(tenure) ?? []);
    if (reuses[0] !== undefined) this.#print(reuses[0]);
  }

  #take(tenure: TrueTenure): string | undefined {
    const before = this.#holders.get(tenure.ip);
    this.#holders.set(tenure.ip, tenure);
    if (before === undefined || before.uid === tenure.uid) return undefined;
    this.#reuses++;
    return `${tenure.ip}: ${before.name} → ${tenure.name}`;
  }

  #next(): TrueTenure[] {
    const all = this.#cluster.truth.tenures;
    const fresh = all.slice(this.#seen).filter(({ hostNetwork }) => !hostNetwork);
    this.#seen = all.length;
    return fresh;
  }
}
