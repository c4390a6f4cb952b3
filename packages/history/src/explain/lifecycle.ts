// The milestones of a pod's life in their order, and how long each took after the one before.
import type { PodLife } from '../model/pod-life.ts';
import type { EpochMillis } from '../model/time.ts';

export const MILESTONES = [
  'created',
  /** The scheduler found no node for it, the last time that it said so. */
  'unschedulable',
  'scheduled',
  'network-up',
  'ready',
  'disrupted',
  'not-ready',
  'deletion-requested',
  'terminal',
  'gone',
] as const;

export interface Milestone {
  readonly name: (typeof MILESTONES)[number];
  readonly at: EpochMillis;
  /** Since the milestone before; undefined for the first. Never negative: the times come from several clocks. */
  readonly afterMs: number | undefined;
  /** What was said of it: a reason and a message, a phase. */
  readonly detail: string;
}

export function lifecycle(life: PodLife): Milestone[] {
  const { unschedulable, disruption, terminal, deletion } = life;
  const times: readonly [Milestone['name'], EpochMillis | undefined, (string | undefined)?][] = [
    ['created', life.created],
    ['unschedulable', unschedulable?.at, unschedulable && said(unschedulable)],
    ['scheduled', life.scheduled, life.pod.node === '' ? '' : `on ${life.pod.node}`],
    ['network-up', life.networkUp],
    ['ready', life.ready],
    ['disrupted', disruption?.at, disruption && said(disruption)],
    ['not-ready', life.notReady],
    ['deletion-requested', deletion?.requested, deletion && `${deletion.graceSeconds} s of grace`],
    ['terminal', terminal?.at, terminal && [terminal.phase, said(terminal)].filter((text) => text !== '').join(': ')],
    ['gone', life.gone],
  ];
  const reached = times.flatMap(([name, at, detail = '']) => (at === undefined ? [] : [{ name, at, detail }]));
  // A sort that keeps the order of those within one second of each other, as the list above has it.
  reached.sort((a, b) => a.at - b.at);
  return reached.map(({ name, at, detail }, i) => {
    const before = reached[i - 1];
    return { name, at, afterMs: before === undefined ? undefined : Math.max(0, at - before.at), detail };
  });
}

function said({ reason, message }: { readonly reason: string; readonly message: string }): string {
  return message === '' ? reason : `${reason}: ${message}`;
}
