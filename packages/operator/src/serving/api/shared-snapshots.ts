// Questions that came in one turn of the event loop are asked on one snapshot. It is opened after the last of them came, so
// none is answered from a state older than its request; whoever comes later waits for the next. What every question reads
// (what was watched, what was removed) is read once for all of them.
import type { LedgerReader, Snapshot } from '@podtrail/history/wire';
import { GatheredReads, type ReadingManner } from './gathered-reads.ts';

type Source = Pick<LedgerReader, 'snapshot'>;

export class SharedSnapshots {
  readonly #source: Source;
  /** By cluster: those that are not opened yet. */
  readonly #opening = new Map<string, Promise<Shared>>();
  readonly #manner: ReadingManner = { turnsApart: 0 };

  constructor(source: Source) {
    this.#source = source;
  }

  async snapshot(cluster: string): Promise<Snapshot> {
    let opening = this.#opening.get(cluster);
    if (opening === undefined) {
      opening = this.#open(cluster);
      this.#opening.set(cluster, opening);
    }
    return (await opening).use();
  }

  async #open(cluster: string): Promise<Shared> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#opening.delete(cluster);
    return new Shared(await this.#source.snapshot(cluster), this.#manner);
  }
}

class Shared {
  readonly #snapshot: Snapshot;
  readonly #gathered: GatheredReads;
  #users = 0;
  #coverage: ReturnType<Snapshot['coverage']> | undefined;
  readonly #expired = new Map<string, ReturnType<Snapshot['expired']>>();

  constructor(snapshot: Snapshot, manner: ReadingManner) {
    this.#snapshot = snapshot;
    this.#gathered = new GatheredReads(snapshot, manner);
  }

  /** For one question, which closes it as if it were its own. */
  use(): Snapshot {
    this.#users++;
    const snapshot = this.#snapshot;
    let isClosed = false;
    return {
      cluster: snapshot.cluster,
      tenuresAt: (ip, at) => this.#gathered.tenuresAt(ip, at),
      tenuresAtMany: (...asked) => snapshot.tenuresAtMany(...asked),
      tenuresOfIp: (...asked) => snapshot.tenuresOfIp(...asked),
      tenuresOfIps: (...asked) => snapshot.tenuresOfIps(...asked),
      tenuresOf: (...asked) => snapshot.tenuresOf(...asked),
      placementsOf: (...asked) => snapshot.placementsOf(...asked),
      placementsOn: (...asked) => snapshot.placementsOn(...asked),
      hostNetworkPodsOn: (...asked) => snapshot.hostNetworkPodsOn(...asked),
      staysWithin: (...asked) => snapshot.staysWithin(...asked),
      possibleTenures: (span) => this.#gathered.possibleTenures(span),
      occurrences: (question) => snapshot.occurrences(question),
      coverage: () => (this.#coverage ??= snapshot.coverage()),
      expired: (kind) => this.#readExpired(kind),
      liveStates: () => snapshot.liveStates(),
      records: (after) => snapshot.records(after),
      close: async () => {
        if (isClosed) return;
        isClosed = true;
        if (--this.#users === 0) await snapshot.close();
      },
    };
  }

  #readExpired(kind: Parameters<Snapshot['expired']>[0]): ReturnType<Snapshot['expired']> {
    const key = kind ?? '';
    const known = this.#expired.get(key) ?? this.#snapshot.expired(kind);
    this.#expired.set(key, known);
    return known;
  }
}
