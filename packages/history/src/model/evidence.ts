// What was said or done about an object: the traces from which a cause is found. Never decides who held an address.
import type { Provenance } from './boundary.ts';
import type { ObjectReference } from './object-reference.ts';
import type { EpochMillis } from './time.ts';

export const EVIDENCE_KINDS = [
  /** An Event of the API; `reason`, `message` and `by` are its own. */
  'event',
  /** Of a node: `spec.unschedulable` became true, or false. */
  'cordoned',
  'uncordoned',
  /** Of a node: `reason` is the taint as kubectl writes it, `key=value:effect`. */
  'tainted',
  'untainted',
  /** Of a node: a condition changed; `reason` is `Type=Status`, `message` the condition's own reason. */
  'condition',
  /** Of a node: another boot ID. */
  'booted',
  /** The object is there, is to be deleted (`deletionTimestamp`), is gone. */
  'created',
  'terminating',
  'deleted',
  /** Of an owner of pods: its owner is `related`. */
  'owned',
  /** Of a workload: `reason` is its revision, or its generation where it has none. */
  'revision',
  /** From the audit log: `reason` is the verb, `by` the user. */
  'audited',
  /** A stream of evidence (`about.kind` is "Stream", `about.name` its resource) is not being watched, or is again. */
  'stream-lost',
  'stream-followed',
] as const;

export type EvidenceKind = (typeof EVIDENCE_KINDS)[number];

/** Keyed by `id`: storing it twice changes nothing. */
export interface Evidence extends Provenance {
  /** What the source calls it: the Event's UID; else made of object, kind and version. */
  readonly id: string;
  readonly about: ObjectReference;
  readonly what: EvidenceKind;
  /** When it happened, as its source says, else when it was observed. Of what happens often: the first time. */
  readonly at: EpochMillis;
  readonly reason: string;
  /** At most MOST_MESSAGE characters. */
  readonly message: string;
  /** The component or the person that said or did it; empty where nobody says. */
  readonly by: string;
  /** Another object that it names: a preemptor, an owner. */
  readonly related?: ObjectReference | undefined;
  /** How often, as far as the source counts. Invariant: only grows. */
  readonly count: number;
  /** Of a request that was made in the name of `by`: who made it. */
  readonly impersonatedBy?: string | undefined;
  /** Of a request: it may have been a dry run, which changes nothing. Its source does not tell them apart. */
  readonly unconfirmed?: true | undefined;
}

export const MOST_MESSAGE = 512;

export function cut(message: string | undefined): string {
  return message === undefined ? '' : message.slice(0, MOST_MESSAGE);
}

/** Of two versions the one that counts further; in whichever order they come. */
export function newerEvidence(stored: Evidence | undefined, incoming: Evidence): Evidence {
  if (stored === undefined) return incoming;
  if (stored.count !== incoming.count) return stored.count > incoming.count ? stored : incoming;
  // The same, seen again: the first time counts.
  if (stored.observedAt !== incoming.observedAt) return stored.observedAt < incoming.observedAt ? stored : incoming;
  return JSON.stringify(stored) <= JSON.stringify(incoming) ? stored : incoming;
}
