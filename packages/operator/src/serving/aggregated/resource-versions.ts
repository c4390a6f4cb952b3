// What a resourceVersion of a history means: how far a replica had recorded, as milliseconds of the ledger's time followed
// by three digits for the replica. A record's version is when something of it was last observed. So a version says which
// records were known, versions of one replica order as they came, and a watch goes on from one.
import { createHash } from 'node:crypto';
import type { Coverage, EpochMillis } from '@podtrail/history/wire';
import { epochMillis } from '@podtrail/history/wire';

export interface SeenVersion {
  readonly at: EpochMillis;
  /** Another replica gave it: what it had observed by then may differ by the time that news takes. */
  readonly isOwn: boolean;
}

export class ResourceVersions {
  readonly #replica: number;

  constructor(replica: string) {
    this.#replica = Number.parseInt(createHash('sha256').update(replica).digest('hex').slice(0, 8), 16) % 1000;
  }

  of(at: EpochMillis): string {
    return String(Math.max(0, at) * 1000 + this.#replica);
  }

  /** Undefined: no version that a history gave. */
  read(text: string): SeenVersion | undefined {
    if (!/^\d{1,16}$/.test(text) || !Number.isSafeInteger(Number(text))) return undefined;
    const number = Number(text);
    return { at: epochMillis(Math.floor(number / 1000)), isOwn: number % 1000 === this.#replica };
  }
}

/** How far the ledger has been recorded. */
export function recordedUntil(coverage: readonly Coverage[]): EpochMillis {
  return epochMillis(coverage.reduce((latest, { to, withdrawn }) => Math.max(latest, withdrawn ?? to), 0));
}
