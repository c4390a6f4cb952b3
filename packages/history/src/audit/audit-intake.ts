// What of an audit log a ledger takes as evidence: what was done to objects that it knows, in times that it has not
// forgotten, and so much of it for each object. Whoever stores it (`import --audit-log`, the operator's webhook) appends
// what `take` returns; the same log again gives the same records.
import type { Snapshot, Span } from '../engines/snapshot.ts';
import { controllerOf } from '../explain/audited.ts';
import { EvidenceBudget } from '../explain/observe/evidence-budget.ts';
import type { Evidence } from '../model/evidence.ts';
import type { EpochMillis } from '../model/time.ts';
import type { AuditedAction } from './audited-action.ts';
import { evidenceOf } from './evidence-of.ts';
import { isKnownObject } from './known-object.ts';

export interface IntakeTally {
  /** Pieces of evidence that were given out; some of them count others. */
  taken: number;
  /** About objects that the ledger does not know. */
  unknown: number;
  /** Of times whose evidence the ledger has forgotten. */
  expired: number;
  /** Later than now: no clock of an API server is that wrong. */
  ahead: number;
  /** Over the budget of their object. */
  over: number;
}

/** Components of Kubernetes write these all the time, and no cause rests on them. */
const OFTEN = new Set(['patch', 'update']);
/** A cause rests on these: others must not use up their budget. */
const DECISIVE = new Set(['delete', 'delete-collection', 'evict', 'scale', 'restart', 'cordon', 'uncordon', 'taint']);
/** So many questions to the snapshot at a time. */
const AT_ONCE = 16;
const AHEAD_MS = 3_600_000;

export class AuditIntake {
  readonly tally: IntakeTally = { taken: 0, unknown: 0, expired: 0, ahead: 0, over: 0 };
  readonly #decisive = new EvidenceBudget();
  readonly #rest = new EvidenceBudget();
  #waiting: Evidence[] = [];

  /** How many pieces of evidence wait to be taken. */
  get waiting(): number {
    return this.#waiting.length;
  }

  add(action: AuditedAction): void {
    for (const evidence of evidenceOf(action)) if (!isRoutine(evidence)) this.#waiting.push(evidence);
  }

  /** Of what was added since the last time: what is to be stored. */
  async take(snapshot: Snapshot, now: EpochMillis): Promise<Evidence[]> {
    const waiting = this.#waiting;
    const expired = [...(await snapshot.expired()), ...(await snapshot.expired('evidence'))];
    const whyNot: (keyof IntakeTally | undefined)[] = [];
    for (let i = 0; i < waiting.length; i += AT_ONCE) {
      const some = waiting.slice(i, i + AT_ONCE);
      whyNot.push(...(await Promise.all(some.map((one) => whyNotWanted(snapshot, one, expired, now)))));
    }
    // Only now: a snapshot that ends meanwhile is asked again.
    this.#waiting = [];
    const found: Evidence[] = [];
    for (const [i, one] of waiting.entries()) {
      const why = whyNot[i];
      if (why !== undefined) this.tally[why]++;
      else this.#budget(one, found);
    }
    return found;
  }

  #budget(evidence: Evidence, found: Evidence[]): void {
    const budget = DECISIVE.has(evidence.reason) ? this.#decisive : this.#rest;
    const kept = budget.apply(evidence, evidence.at);
    if (kept === undefined || kept.id !== evidence.id) this.tally.over++;
    else this.tally.taken++;
    if (kept !== undefined) found.push(kept);
  }
}

async function whyNotWanted(
  snapshot: Snapshot,
  evidence: Evidence,
  expired: readonly Span[],
  now: EpochMillis,
): Promise<'ahead' | 'expired' | 'unknown' | undefined> {
  const { at } = evidence;
  if (at > now + AHEAD_MS) return 'ahead';
  if (expired.some(({ from, to }) => from <= at && at < to)) return 'expired';
  return (await isKnownObject(snapshot, evidence)) ? undefined : 'unknown';
}

/** What controllers and kubelets write beside their work. */
function isRoutine(evidence: Evidence): boolean {
  const { reason, by } = evidence;
  return OFTEN.has(reason) && (controllerOf(evidence) !== undefined || by.startsWith('system:node:'));
}
