// Moves in the demo, as the ledger has them: which pods went to another node, and why. Each is looked at from a few
// seconds after its end, when what the controllers say of it has arrived, until its successor has a node.
import { causesOf, causeWords, type Departure, epochMillis, type Move, type Snapshot } from '@podtrail/history';

/** A recorder that counts waits longer; whoever watches a demo would not. */
const SETTLED_MS = 4_000;
const WAITED_FOR_MS = 120_000;
/** A look must not take long: what is over this is looked at the next time. */
const MOST_AT_ONCE = 50;
const PAGE = 500;

export class LedgerMoves {
  readonly #from: number;
  /** Those that are counted, or never will be, by UID, with when they ended. */
  readonly #settled = new Map<string, number>();
  #count = 0;

  /** What ended before is history. */
  constructor(from: number) {
    this.#from = from;
  }

  get count(): number {
    return this.#count;
  }

  /** Counts what is new, and gives one line for it, that of a pod whose name comes back if there is one. */
  async look(snapshot: Snapshot, now: number): Promise<string | undefined> {
    const from = Math.max(this.#from, now - WAITED_FOR_MS);
    for (const [uid, at] of this.#settled) if (at < from) this.#settled.delete(uid);
    const span = { from: epochMillis(from), to: epochMillis(Math.max(from, now - SETTLED_MS)) };
    const { items } = await snapshot.occurrences({ kind: 'departure', span, page: { limit: PAGE } });
    const open = items.filter(({ pod }) => !this.#settled.has(pod.uid)).slice(0, MOST_AT_ONCE);
    const visibility = { kind: 'all' } as const;
    const found = await causesOf(snapshot, { pods: open, visibility, withMoves: true });
    const moved: Move[] = [];
    for (const departure of open) {
      const move = found.get(departure.pod.uid)?.move;
      if (move?.to === undefined || move.to.life.pod.node === '') continue;
      this.#settle(departure);
      if (move.to.life.pod.node !== departure.pod.node) moved.push(move);
    }
    this.#count += moved.length;
    const shown = moved.find(({ from: { pod }, to }) => to?.life.pod.name === pod.name) ?? moved[0];
    return shown && lineOf(shown);
  }

  #settle({ pod, at }: Departure): void {
    this.#settled.set(pod.uid, at);
  }
}

/** Short enough for a terminal of 80 columns, with the time of day before it. */
function lineOf(move: Move): string {
  const { name, node } = move.from.pod;
  return `${name} moved ${node} → ${move.to?.life.pod.node}: ${causeWords(move)}`;
}
