// Why a pod ended, or why it is where it is, in sentences for people: what stands above the evidence of `explain`.
import type { ExplainFound, Move, PodLife } from '@podtrail/history/wire';
import { counted } from '../output/counted.ts';
import { showDuration } from '../times/duration.ts';
import { showTime } from '../times/show-time.ts';
import type { Zone } from '../times/zone.ts';

const MOST_OTHERS = 3;

/**
 * Lines; undefined where there is no record of such a pod. `unlisted`: so many records about it are not in the table that
 * follows.
 */
export function explanationText(found: ExplainFound, zone: Zone, unlisted = 0): string | undefined {
  const { life, verdict, unwatched, hint } = found;
  if (life === undefined) return undefined;
  const lines = [
    verdict === undefined
      ? `${nameOf(life)} has not ended.`
      : `${nameOf(life)} ${verdict.sentence} (${verdict.cause}, ${verdict.certainty})`,
    ...cameFromLine(found),
    ...successorLine(found, zone),
  ];
  if (unwatched.length > 0) lines.push(`Nobody watched ${unwatched.join(', ')} then: evidence may be missing.`);
  if (hint !== undefined) lines.push(`Next: ${hint}`);
  // What the pod itself showed: the first disruption among it is evidence as good as any event.
  const rest = unlisted === 0 ? [] : ['', `It rests on this; -o wide lists ${counted(unlisted, 'more record')}:`];
  return [...lines, '', ...lifecycleLines(found, life, zone), ...rest].join('\n');
}

function nameOf({ pod }: PodLife): string {
  return `${pod.namespace}/${pod.name}${pod.node === '' ? '' : ` on ${pod.node}`}`;
}

function cameFromLine({ cameFrom }: ExplainFound): string[] {
  if (cameFrom === undefined) return [];
  const { from, verdict } = cameFrom;
  return [`It ${took(cameFrom)} the place of ${nameOf(from)}, which ${verdict.sentence} (${verdict.cause})`];
}

function took({ to }: Pick<Move, 'to'>): string {
  return to?.certainty === 'certain' ? 'took' : 'probably took';
}

function successorLine({ move }: ExplainFound, zone: Zone): string[] {
  if (move === undefined) return [];
  const { to, downtimeMs, departure } = move;
  if (to === undefined)
    return [`It began to end at ${showTime(departure.at, zone)}; nobody is known to have taken its place.`];
  const down =
    downtimeMs === undefined || downtimeMs < 1000 ? '' : `; neither was ready for ${showDuration(downtimeMs)}`;
  return [`It began to end at ${showTime(departure.at, zone)}; ${nameOf(to.life)} ${took(move)} its place${down}.`];
}

function lifecycleLines({ milestones }: ExplainFound, life: PodLife, zone: Zone): string[] {
  const reached = milestones.map(({ name, at, afterMs, detail }) => {
    const after = afterMs === undefined || afterMs === 0 ? '' : `, after ${showDuration(afterMs)}`;
    return { at, text: `${name}${after}${detail === '' ? '' : `: ${detail}`}` };
  });
  const ended = life.endings.map(({ container, reason, exitCode, at }) => ({
    at,
    text: `container ${container} ended: ${reason}, exit code ${exitCode}`,
  }));
  // Within one second a milestone is first: what was asked for, and then what came of it.
  const lines = [...reached, ...ended].sort((a, b) => a.at - b.at);
  const { qosClass, priority, restarts } = life;
  return [
    ...lines.map(({ at, text }) => `  ${showTime(at, zone)}  ${text}`),
    `  QoS class ${qosClass || 'unknown'}, priority ${priority}, ${counted(restarts, 'restart')}`,
  ];
}

/** Of several pods that had one name: which one this is, and how to ask about another. */
export function othersText({ life, others }: ExplainFound, zone: Zone): string | undefined {
  if (life === undefined || others.length === 0) return undefined;
  const named = others
    .slice(-MOST_OTHERS)
    .map(({ pod, created }) => `uid/${pod.uid} (created ${showTime(created, zone)})`);
  const more = others.length > named.length ? `, and ${others.length - named.length} before them` : '';
  const which = `this is about uid/${life.pod.uid}, created ${showTime(life.created, zone)}`;
  return `${counted(others.length, 'other pod')} had that name: ${named.join(', ')}${more}; ${which}`;
}
