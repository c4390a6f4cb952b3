// A workload was scaled down, and by whom: a HorizontalPodAutoscaler says so itself, a person only in the audit log.
import type { Evidence } from '../model/evidence.ts';
import { isByOthers } from './audited.ts';
import type { Case } from './case.ts';
import type { Verdict } from './cause.ts';
import { events, isBetween, isWrittenLater, latestEnd, MINUTE_MS, ofKind, SECOND_MS } from './traces.ts';
import { certain, inferred } from './verdict.ts';

export function scaledDown(known: Case, certainty: Verdict['certainty'], evidence: readonly Evidence[]): Verdict {
  const { owner, pod } = known.life;
  const kind = pod.workload?.kind ?? owner?.kind ?? 'workload';
  const name = pod.workload?.name ?? owner?.name ?? '';
  const verdict = certainty === 'certain' ? certain : inferred;
  const sentence = `was removed when ${kind} ${name} was scaled down`;
  const by = scaler(known);
  if (by === undefined) return verdict('ScaledDown', `${sentence}.`, evidence);
  return verdict('ScaledDown', `${sentence} by ${by.actor}.`, [...evidence, by.evidence], by.actor);
}

/**
 * Why its ReplicaSet had fewer pods to keep. A Deployment writes into its ReplicaSets how many replicas are wanted in
 * all: whoever scales it changes that number, and a rollout does not.
 */
export function lastShrink(known: Case): {
  readonly why: 'scaled' | 'rolled' | 'either';
  readonly evidence: Evidence[];
} {
  const before = ofKind(known.owner, 'revision').filter(
    (one) => one.at < latestEnd(known) + SHRUNK_WITHIN_MS && !isWrittenLater(known, one),
  );
  // Where nobody knows the order: what came within the second in which it was to be deleted may have been before.
  const since = known.endVersion === undefined ? known.endedAt : Number.POSITIVE_INFINITY;
  const then = before.filter(({ at }) => at >= since);
  const last = before.filter(({ at }) => at < since).slice(-1);
  const evidence = [...last, ...then].filter(({ message }) => WANTED.test(message));
  const scaled = evidence.filter(({ message }) => isFewer(message));
  if (scaled.length === 0) return { why: 'rolled', evidence };
  return { why: scaled.length === evidence.length ? 'scaled' : 'either', evidence: scaled };
}

/** Of the second of the end, and as long as the watch of ReplicaSets may be behind. */
const SHRUNK_WITHIN_MS = 1.5 * SECOND_MS;
const WANTED = /, (\d+) replicas desired, (\d+) before$/;

function isFewer(message: string): boolean {
  const [, now, before] = WANTED.exec(message) ?? [];
  return Number(now) < Number(before);
}

const SCALING_ACTS = new Set(['scale', 'patch', 'update']);

function scaler(known: Case): { readonly actor: string; readonly evidence: Evidence } | undefined {
  const { endedAt, owner, workload } = known;
  const isThen = (one: Evidence) => isBetween(one, endedAt - MINUTE_MS, endedAt + 10 * SECOND_MS);
  const said = [...workload, ...owner];
  const rescaled = events(said, 'SuccessfulRescale').findLast((one) => isThen(one) && isDownwards(one));
  if (rescaled !== undefined) return { actor: `HorizontalPodAutoscaler ${rescaled.about.name}`, evidence: rescaled };
  const asked = ofKind(said, 'audited').findLast(
    (one) => SCALING_ACTS.has(one.reason) && isByOthers(one) && isThen(one),
  );
  return asked === undefined ? undefined : { actor: asked.by, evidence: asked };
}

/** "New size: 2; reason: All metrics below target" */
function isDownwards({ message }: Evidence): boolean {
  return !/above target/i.test(message);
}
