// How far what a kubelet wrote is from what was so, in a recording or a run folder: for the table in docs/sandbox-life.md.
// `node e2e/recordings/measure.ts FOLDER …` prints least, median and most, in seconds.
import { basename } from 'node:path';
import { readTruth } from '../proof/nodes/physical-truth.ts';
import { readAll, type WatchLine } from '../proof/nodes/run-folder.ts';

type PodLine = Extract<WatchLine, { object: unknown }>;

interface PodStatus {
  readonly phase?: string;
  readonly podIP?: string;
  readonly conditions?: readonly {
    readonly type: string;
    readonly status: string;
    readonly lastTransitionTime?: string;
  }[];
  readonly containerStatuses?: readonly { readonly state?: { readonly running?: { readonly startedAt?: string } } }[];
}

const ROWS = [
  'start: condition time - reservation',
  'start: first startedAt - reservation',
  'start: address shown - reservation',
  'loss: release - condition time',
  'loss: release - word',
  'end: release - condition time',
  'end: release - word',
] as const;

for (const folder of process.argv.slice(2)) await measure(folder);

async function measure(folder: string): Promise<void> {
  const found = new Map<string, number[]>(ROWS.map((row) => [row, []]));
  const add = (row: (typeof ROWS)[number], ms: number | undefined): void => {
    if (ms !== undefined && !Number.isNaN(ms)) found.get(row)?.push(ms / 1000);
  };
  const truth = await readTruth(folder);
  const lines = Map.groupBy(
    (await readAll<WatchLine>(folder, 'watch')).filter(
      (line): line is PodLine => line.kind === 'Pod' && 'object' in line,
    ),
    ({ object }) => object.metadata.uid,
  );
  for (const { uids, ip, from, to } of truth.reservations) {
    // Of a static pod the mirror says something else.
    const words = uids.length === 1 ? (lines.get(uids[0] as string) ?? []) : [];
    // The same pod may have had the same address before.
    const shown = words.find(
      ({ at, object }) => at > from && network(statusOf(object), 'True') && statusOf(object).podIP === ip,
    );
    if (shown === undefined) continue;
    const status = statusOf(shown.object);
    add('start: condition time - reservation', minus(network(status, 'True'), from));
    add('start: first startedAt - reservation', minus(firstStart(status), from));
    add('start: address shown - reservation', shown.at - from);
    if (to === undefined) continue;
    const ended = words.find(({ at, object }) => at > shown.at && network(statusOf(object), 'False') !== undefined);
    const kind = ['Succeeded', 'Failed'].includes(statusOf(ended?.object).phase ?? '') ? 'end' : 'loss';
    if (ended === undefined || statusOf(ended.object).podIP !== ip) continue;
    add(`${kind}: release - condition time`, to - Date.parse(network(statusOf(ended.object), 'False') ?? ''));
    add(`${kind}: release - word`, to - ended.at);
  }
  process.stdout.write(`${basename(folder)}\n`);
  for (const [row, values] of found) process.stdout.write(`  ${row.padEnd(38)} ${summary(values)}\n`);
}

function statusOf(object: unknown): PodStatus {
  return (object as { readonly status?: PodStatus } | undefined)?.status ?? {};
}

/** The time of the network condition where it has this status. */
function network({ conditions = [] }: PodStatus, status: string): string | undefined {
  return conditions.find((one) => one.type === 'PodReadyToStartContainers' && one.status === status)
    ?.lastTransitionTime;
}

function firstStart({ containerStatuses = [] }: PodStatus): string | undefined {
  return containerStatuses.flatMap(({ state }) => state?.running?.startedAt ?? []).sort()[0];
}

function minus(time: string | undefined, from: number): number | undefined {
  return time === undefined ? undefined : Date.parse(time) - from;
}

function summary(values: number[]): string {
  if (values.length === 0) return 'none';
  const sorted = values.sort((a, b) => a - b);
  const at = (share: number): string => (sorted[Math.floor(share * (sorted.length - 1))] as number).toFixed(2);
  return `${at(0)} / ${at(0.5)} / ${at(1)} (${sorted.length})`;
}
