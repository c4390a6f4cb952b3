// Why a pod ended, or why it is where it is, in sentences for people: what stands above the evidence of `explain`.
import type { Evidence, ExplainFound, Move, PodLife, Verdict } from '@podtrail/history/wire';
import { counted } from '../output/counted.ts';
import { showDuration } from '../times/duration.ts';
import { showTime } from '../times/show-time.ts';
import type { Zone } from '../times/zone.ts';

const MOST_OTHERS = 3;

/** The records that the table has: those that the cause rests on, or, where there are none, those from around the end. */
export interface Records {
  readonly isUsed: boolean;
  readonly shown: readonly Evidence[];
  /** Of the others. */
  readonly more: number;
}

/** What happened hours before, or after, has little to do with an end. */
const AROUND_MS = 15 * 60_000;
const AROUND = 'within 15 minutes of its end';

export function recordsOf({ evidence, verdict, move, life }: ExplainFound): Records {
  const used = evidence.filter(({ id }) => verdict?.evidence.includes(id));
  const end = move?.known.endedAt;
  const isAround = ({ at }: Evidence) =>
    end === undefined || (at >= end - AROUND_MS && at <= Math.max(end, life?.gone ?? end) + AROUND_MS);
  const shown = used.length > 0 ? used : evidence.filter(isAround);
  return { isUsed: used.length > 0, shown, more: evidence.length - shown.length };
}

/** Lines; undefined where there is no record of such a pod. Without `records` nothing is said of a table. */
export function explanationText(found: ExplainFound, zone: Zone, records?: Records): string | undefined {
  const { life, verdict, unwatched, hint } = found;
  if (life === undefined) return undefined;
  const lines = [
    verdict === undefined
      ? `${nameOf(life)} has not ended.`
      : `${nameOf(life)} ${verdict.sentence} ${verdictNote(verdict)}`,
    ...cameFromLine(found),
    ...successorLine(found, zone),
  ];
  if (unwatched.length > 0) lines.push(`Nobody watched ${unwatched.join(', ')} then: evidence may be missing.`);
  if (hint !== undefined) lines.push(`Next: ${hint}`);
  // What the pod itself showed: the first disruption among it is evidence as good as any event.
  const caption = captionOf(records);
  const rest = verdict === undefined || caption === undefined ? [] : ['', caption];
  return [...lines, '', ...lifecycleLines(found, life, zone), ...rest].join('\n');
}

function captionOf(records: Records | undefined): string | undefined {
  if (records === undefined) return undefined;
  const { isUsed, shown, more } = records;
  if (isUsed) return more === 0 ? undefined : `It rests on this; -o wide lists ${counted(more, 'more record')}:`;
  if (shown.length === 0)
    return more === 0
      ? undefined
      : `There is no record of what happened ${AROUND}; -o wide lists ${counted(more, 'other record')}.`;
  const rest = more === 0 ? '' : `; -o wide lists ${counted(more, 'more record')}`;
  return `It rests on none of these records; they say what else happened ${AROUND}${rest}:`;
}

function verdictNote({ cause, certainty }: Verdict): string {
  return `(${cause}, ${certainty})`;
}

function nameOf({ pod }: PodLife): string {
  return `${pod.namespace}/${pod.name}${pod.node === '' ? '' : ` on ${pod.node}`}`;
}

function cameFromLine({ cameFrom }: ExplainFound): string[] {
  if (cameFrom === undefined) return [];
  const { from, verdict } = cameFrom;
  return [`It ${took(cameFrom)} the place of ${nameOf(from)}, which ${verdict.sentence} ${verdictNote(verdict)}`];
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
