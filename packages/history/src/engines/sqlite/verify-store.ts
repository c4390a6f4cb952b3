// Reads everything that a store has, head and weeks, and says what is damaged: at once, or in parts beside other work.
// The store calls it. It never changes a record, and holds no view of the head while it rests.
import type { EpochMillis } from '../../model/time.ts';
import type { Damage, Patrol, Verification } from '../store-admin.ts';
import { asHistoryError } from './faults.ts';
import { type ClusterEntry, Head } from './head/head.ts';
import { HeadReader } from './head/head-read.ts';
import type { Format } from './head/schema.ts';
import { type Rest, verifyHead } from './head/verify-head.ts';
import { writePatrolNote } from './patrol-note.ts';
import type { Weeks } from './week/weeks.ts';

export interface VerifiedStore {
  readonly path: string;
  readonly format: Format;
  readonly weeks: Weeks;
  clusters(): ClusterEntry[];
}

/** `damages` is filled on the way. */
export function* verifyStore(store: VerifiedStore, damages: Damage[] = []): Generator<Rest, Verification> {
  const { path, format, weeks } = store;
  let records = 0;
  const report = (where: string, error: unknown): void => {
    const known = asHistoryError(error, where);
    damages.push({ where, what: known instanceof Error ? known.message : String(known) });
  };
  // Through a view of its own: reading takes long, and must not hold the others to an old instant.
  let view: Head | undefined;
  try {
    view = new Head(path, 'snapshots', format);
    records += yield* verifyHead({ head: view, reader: new HeadReader(view), report });
  } catch (error) {
    report('head', error);
  } finally {
    view?.close();
  }
  for (const entry of clustersOr(store, report).flatMap((cluster) => cluster.weeks)) {
    const file = weeks.path(entry.file);
    try {
      records += yield* weeks.verify(entry, report);
    } catch (error) {
      // Replaced or expired meanwhile.
      const isListed = clustersOr(store, report).some((cluster) =>
        cluster.weeks.some((week) => week.file === entry.file),
      );
      if (isListed) report(file, error);
    }
    yield true;
  }
  return { records, damages, unlisted: weeks.unlisted(clustersOr(store, () => {})) };
}

/** The same in parts, over and over. */
export class StorePatrol {
  readonly #store: VerifiedStore;
  readonly #leavesNote: boolean;
  #begun: BegunPatrol | undefined;

  constructor(store: VerifiedStore, leavesNote: boolean) {
    this.#store = store;
    this.#leavesNote = leavesNote;
  }

  *patrol(slices: number, now: EpochMillis): Generator<undefined, Patrol> {
    const isFirst = this.#begun === undefined;
    const part = yield* this.#part(slices);
    if (this.#leavesNote) writePatrolNote(this.#store.path, part, isFirst, now);
    return part;
  }

  stop(): void {
    this.#begun?.work.return({ records: 0, damages: [], unlisted: [] });
  }

  *#part(slices: number): Generator<undefined, Patrol> {
    this.#begun ??= begun(this.#store);
    const { work, damages } = this.#begun;
    for (let slice = 1; ; slice++) {
      const { done, value } = work.next();
      if (done) this.#begun = undefined;
      // Never while it holds a view of the head: the log would grow until the next part.
      if (done || (value && slice >= slices)) return { isFinished: done === true, damages: damages.splice(0) };
      yield;
    }
  }
}

interface BegunPatrol {
  readonly work: Generator<Rest, Verification>;
  /** Found and not yet known. */
  readonly damages: Damage[];
}

function begun(store: VerifiedStore): BegunPatrol {
  const damages: Damage[] = [];
  return { work: verifyStore(store, damages), damages };
}

function clustersOr(store: VerifiedStore, report: (where: string, error: unknown) => void): ClusterEntry[] {
  try {
    return store.clusters();
  } catch (error) {
    report('head', error);
    return [];
  }
}
