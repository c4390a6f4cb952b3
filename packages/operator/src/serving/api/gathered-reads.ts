// What many questions read of one snapshot at the same moment, read at once: a thousand small reads cost more on their way
// to the store and back than in it. Each gets what it would have got alone. Called by shared-snapshots.ts.
import type { Snapshot } from '@podtrail/history/wire';

type Source = Pick<Snapshot, 'tenuresAt' | 'tenuresAtMany' | 'possibleTenures'>;
type TenuresAt = Parameters<Source['tenuresAt']>;
type Tenures = Awaited<ReturnType<Source['tenuresAt']>>;
type Span = Parameters<Source['possibleTenures']>[0];
type Possible = Awaited<ReturnType<Source['possibleTenures']>>;

/** Of pods that never showed their address a ledger has few; with more of them, reading those of a long time costs more. */
const MOST_POSSIBLE = 500;
const TURNS_APART = 1_000;

/** What is kept from one snapshot to the next: for how many turns possible tenures are read one by one. */
export interface ReadingManner {
  turnsApart: number;
}

export class GatheredReads {
  readonly #tenuresAt: Gathered<{ readonly ip: TenuresAt[0]; readonly at: TenuresAt[1] }, Tenures>;
  readonly #possible: Gathered<Span, Possible>;

  constructor(snapshot: Source, manner: ReadingManner = { turnsApart: 0 }) {
    this.#tenuresAt = new Gathered(
      ({ ip, at }) => snapshot.tenuresAt(ip, at),
      (moments) => snapshot.tenuresAtMany(moments),
    );
    this.#possible = new Gathered(
      (span) => snapshot.possibleTenures(span),
      async (spans) => {
        if (manner.turnsApart > 0) {
          manner.turnsApart--;
          return await Promise.all(spans.map((span) => snapshot.possibleTenures(span)));
        }
        const all = await snapshot.possibleTenures(hullOf(spans));
        if (all.length > MOST_POSSIBLE) manner.turnsApart = TURNS_APART;
        return all.length === 0 ? spans.map(() => all) : spans.map((span) => all.filter((one) => touches(one, span)));
      },
    );
  }

  tenuresAt(...[ip, at]: TenuresAt): Promise<Tenures> {
    return this.#tenuresAt.read({ ip, at });
  }

  possibleTenures(span: Span): Promise<Possible> {
    return this.#possible.read(span);
  }
}

interface Waiting<Asked, Found> {
  readonly asked: Asked;
  resolve(found: Found | Promise<Found>): void;
  reject(error: unknown): void;
}

/** Reads of one kind that are asked for before the microtasks of now have run. */
class Gathered<Asked, Found> {
  readonly #one: (asked: Asked) => Promise<Found>;
  readonly #many: (asked: readonly Asked[]) => Promise<readonly Found[]>;
  #waiting: Waiting<Asked, Found>[] = [];

  constructor(one: (asked: Asked) => Promise<Found>, many: (asked: readonly Asked[]) => Promise<readonly Found[]>) {
    this.#one = one;
    this.#many = many;
  }

  read(asked: Asked): Promise<Found> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.push({ asked, resolve, reject }) === 1) queueMicrotask(() => this.#readAll());
    });
  }

  #readAll(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    const [first] = waiting;
    if (first === undefined) return;
    if (waiting.length === 1) {
      first.resolve(this.#one(first.asked));
      return;
    }
    this.#many(waiting.map(({ asked }) => asked)).then(
      (found) => {
        for (const [i, { resolve }] of waiting.entries()) resolve(found[i] as Found);
      },
      // A part of the store that one of them needs is damaged: the others have nothing to do with it.
      () => {
        for (const { asked, resolve } of waiting) resolve(this.#one(asked));
      },
    );
  }
}

function hullOf(spans: readonly Span[]): Span {
  let [{ from, to }] = spans as readonly [Span, ...Span[]];
  for (const span of spans) {
    if (span.from < from) from = span.from;
    if (span.to > to) to = span.to;
  }
  return { from, to };
}

/** As engines have it (matching.ts): bounds included. */
function touches({ start, end }: Possible[number], { from, to }: Span): boolean {
  return start.notBefore < to && (end === undefined || end.notAfter > from);
}
