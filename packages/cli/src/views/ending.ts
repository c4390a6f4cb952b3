// Why a stay ended, who took its place, and how the pod lived, as cells of tables.
import {
  type Ending,
  lifecycle,
  type Milestone,
  type PodLife,
  type Successor,
  type Verdict,
} from '@podtrail/history/wire';
import type { CsvColumn } from '../output/csv.ts';
import type { Column } from '../output/table.ts';
import { showDuration } from '../times/duration.ts';
import { showTime } from '../times/show-time.ts';
import type { Zone } from '../times/zone.ts';

interface Explained {
  readonly ending: Ending;
}

const MISSING = { 'not-recorded': '<not recorded>', expired: '<expired>' } as const;

/** The name of the cause; that there is none, and why; nothing while it goes on. */
export function causeText({ verdict, missing }: Pick<Ending, 'verdict' | 'missing'>): string {
  return verdictText(verdict) || (missing === undefined ? '' : MISSING[missing]);
}

/** With a "?" where the cause is inferred. That a cause is unknown is no guess. */
export function verdictText(verdict: Verdict | undefined): string {
  if (verdict === undefined) return '';
  const isSure = verdict.certainty === 'certain' || verdict.cause === 'Unknown';
  return `${verdict.cause}${isSure ? '' : '?'}`;
}

/** The node of who took the place; with a "?" where others may have. */
export function nextText(to: Successor | undefined): string {
  if (to === undefined) return '';
  const { node } = to.life.pod;
  return `${node === '' ? '<no node yet>' : node}${to.certainty === 'certain' ? '' : '?'}`;
}

function whyText({ verdict, missing }: Ending): string {
  if (verdict !== undefined) return `${verdict.sentence} (${verdict.certainty})`;
  if (missing === 'expired') return 'the records of why have expired';
  return missing === undefined ? '' : 'why was not recorded then';
}

/** For listings of stays, behind what they had before. */
export function endingColumns(zone: Zone): Column<Explained>[] {
  return [
    { header: 'CAUSE', cell: ({ ending }) => causeText(ending) },
    { header: 'NEXT', cell: ({ ending }) => nextText(ending.to) },
    { header: 'SUCCESSOR', wide: true, cell: ({ ending }) => ending.to?.life.pod.name ?? '' },
    ...lifeColumns<Explained>(({ ending }) => ending.life, zone),
    { header: 'WHY', wide: true, cell: ({ ending }) => whyText(ending) },
  ];
}

export const ENDING_CSV: readonly CsvColumn<Explained>[] = [
  { name: 'cause', value: ({ ending }) => ending.verdict?.cause ?? ending.missing ?? '' },
  { name: 'certainty', value: ({ ending }) => ending.verdict?.certainty ?? '' },
  { name: 'successor', value: ({ ending }) => ending.to?.life.pod.name ?? '' },
  { name: 'next', value: ({ ending }) => ending.to?.life.pod.node ?? '' },
];

/** With `-o wide`: how the pod lived. */
export function lifeColumns<T>(lifeOf: (row: T) => PodLife | undefined, zone: Zone): Column<T>[] {
  const of = (text: (life: PodLife) => string) => (row: T) => {
    const life = lifeOf(row);
    return life === undefined ? '' : text(life);
  };
  return [
    { header: 'LIFECYCLE', wide: true, cell: of((life) => lifecycleText(life, zone)) },
    { header: 'QOS', wide: true, cell: of(({ qosClass }) => qosClass) },
    { header: 'PRIORITY', wide: true, cell: of(({ priority }) => String(priority)) },
    { header: 'RESTARTS', wide: true, cell: of(({ restarts }) => String(restarts)) },
    { header: 'CONTAINERS ENDED', wide: true, cell: of(({ endings }) => endings.map(endingText).join(', ')) },
  ];
}

/** `created 2026-11-15T10:00:10Z, scheduled +1s, network-up +1s, ready +3s`: each after the one before. */
function lifecycleText(life: PodLife, zone: Zone): string {
  return lifecycle(life)
    .map((milestone) => milestoneText(milestone, zone))
    .join(', ');
}

function milestoneText({ name, at, afterMs }: Milestone, zone: Zone): string {
  return afterMs === undefined ? `${name} ${showTime(at, zone)}` : `${name} +${showDuration(afterMs)}`;
}

function endingText({ container, reason, exitCode }: PodLife['endings'][number]): string {
  return `${container} ${reason || 'ended'} (${exitCode})`;
}
