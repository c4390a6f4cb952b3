// What a recorder would have read of the Leases of nodes, from a watch of them that was kept: the newest of a node, at
// once and then every 3 s while the ledger asks about it. For replay.ts; keeps time as LeaseReader of the operator does,
// without its limits on many nodes.
import { type Lease, renewTimeOf } from '@podtrail/machinery';
import type { KubeObject, WatchLine } from './run-folder.ts';

const EVERY_MS = 3_000;
const ABSENT_MS = 60_000;

export interface LeaseReading {
  readonly node: string;
  readonly renewTime: number;
}

interface Turn {
  dueAt: number;
  /** The last one that was reported; undefined again when the node was out of question meanwhile. */
  renewTime: number | undefined;
}

export class LeaseReadings {
  /** As the server has them. */
  readonly #renewTimes = new Map<string, number | undefined>();
  readonly #turns = new Map<string, Turn>();

  /** In the order of their arrival, and before anything later is read. */
  saw(line: WatchLine): void {
    if (line.type === 'LIST') {
      this.#renewTimes.clear();
      for (const item of line.items) this.#renewTimes.set(item.metadata.name, timeOf(item));
    }
    if (!('object' in line)) return;
    const { name } = line.object.metadata;
    if (line.type === 'DELETED') this.#renewTimes.delete(name);
    else this.#renewTimes.set(name, timeOf(line.object));
  }

  /** What is read now that was not reported yet. */
  read(nodesInQuestion: readonly string[], at: number): LeaseReading[] {
    for (const [node, turn] of this.#turns) {
      if (nodesInQuestion.includes(node)) continue;
      turn.renewTime = undefined;
      if (turn.dueAt <= at) this.#turns.delete(node);
    }
    return nodesInQuestion.flatMap((node) => {
      const turn = this.#turns.get(node) ?? { dueAt: at, renewTime: undefined };
      this.#turns.set(node, turn);
      if (turn.dueAt > at) return [];
      const renewTime = this.#renewTimes.get(node);
      turn.dueAt = at + (renewTime === undefined ? ABSENT_MS : EVERY_MS);
      if (renewTime === undefined || renewTime === turn.renewTime) return [];
      turn.renewTime = renewTime;
      return [{ node, renewTime }];
    });
  }

  /** Another recorder has begun. */
  restart(): void {
    this.#turns.clear();
  }
}

function timeOf(object: KubeObject): number | undefined {
  return renewTimeOf(object as unknown as Lease);
}
