// Cuts one recording for each provocation out of a run of `npm run proof -- causes --real-nodes N --out RUN_FOLDER`: what
// the API showed of one pod and of its node, with Events of both and of its owner. `node e2e/recordings/cut-causes.ts RUN_FOLDER`
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { endsByNodes, endsOfPods } from '../causes/real/index.ts';
import type { KubeObject, PackedLine, WatchLine } from '../proof/nodes/run-folder.ts';
import { readAll } from '../proof/nodes/run-folder.ts';
import { scrubbed } from './scrub.ts';

/** A line of outcomes.jsonl. */
interface Outcome {
  readonly name: string;
  readonly cause: string;
  readonly uid: string;
  readonly at?: number;
  readonly result: string;
}

interface CoreEvent extends KubeObject {
  readonly reason: string;
  readonly involvedObject: { readonly kind: string; readonly name: string; readonly uid?: string };
}

type ObjectLine = Extract<WatchLine, { object: KubeObject }>;

const TARGET = join(import.meta.dirname, 'causes');
/** Of the node, before the pod was there. */
const BEFORE_MS = 2_000;
const AFTER_MS = 3_000;
/** They say how a pod begins. */
const OF_STARTS = new Set(['Scheduled', 'Pulled', 'Created', 'Started']);

const [from] = process.argv.slice(2);
if (from === undefined) {
  process.stderr.write('usage: node e2e/recordings/cut-causes.ts RUN_FOLDER\n');
  process.exit(2);
}
await cut(from);

async function cut(source: string): Promise<void> {
  await mkdir(TARGET, { recursive: true });
  const watch = await readAll<WatchLine>(source, 'watch');
  const lines = (await readFile(join(source, 'outcomes.jsonl'), 'utf8')).trim().split('\n');
  const outcomes = lines.map((line) => JSON.parse(line) as Outcome);
  for (const [key, { name }] of Object.entries({ ...endsOfPods, ...endsByNodes })) {
    const outcome = outcomes.find((one) => one.name === name && one.result === 'right');
    if (outcome === undefined) continue;
    const packed = gzipSync(packedLines(watch, outcome), { level: 9 });
    await writeFile(join(TARGET, `${key}.jsonl.gz`), packed);
    process.stdout.write(`${key}: ${outcome.cause}, ${packed.length} bytes\n`);
  }
}

function packedLines(watch: readonly WatchLine[], { uid, at, cause }: Outcome): string {
  const ofPod = watch.filter((line) => isAbout(line, 'Pod', (object) => object.metadata.uid === uid)) as ObjectLine[];
  const last = ofPod.at(-1) as ObjectLine;
  const owners = (last.object.metadata as { ownerReferences?: { uid: string }[] }).ownerReferences ?? [];
  const uids = [uid, ...owners.map((owner) => owner.uid)];
  const node = (last.object as { spec?: { nodeName?: string } }).spec?.nodeName ?? '';
  const [start, end] = [(ofPod[0] as ObjectLine).at - BEFORE_MS, last.at + AFTER_MS];
  const isThen = (line: WatchLine) => line.at >= start && line.at <= end;
  const nodes = watch.filter((line) => isAbout(line, 'Node', ({ metadata }) => metadata.name === node)) as ObjectLine[];
  const listed = watch.find((line) => line.kind === 'Node' && line.type === 'LIST') as
    | { items: KubeObject[] }
    | undefined;
  const before =
    nodes.findLast((line) => line.at < start)?.object ?? listed?.items.find(({ metadata }) => metadata.name === node);
  const kept = watch.filter(
    (line) =>
      isThen(line) &&
      (ofPod.includes(line as ObjectLine) || nodes.includes(line as ObjectLine) || isEventAbout(line, uids, node)),
  );
  const list = (kind: 'Pod' | 'Node' | 'Service', items: KubeObject[]): WatchLine =>
    ({ at: start, kind, type: 'LIST', resourceVersion: '1', items }) as WatchLine;
  const run = { cluster: 'causes', uid, cause, ...(at === undefined ? {} : { at }) };
  const all: PackedLine[] = [
    { in: 'run', line: run },
    ...[list('Pod', []), list('Node', before === undefined ? [] : [before]), list('Service', []), ...kept].flatMap(
      (line) => {
        const clean = line.kind === 'Event' ? withoutManagers(line as ObjectLine) : scrubbed(line);
        return clean === undefined ? [] : [{ in: 'watch', line: clean } as const];
      },
    ),
  ];
  return all.map((line) => `${JSON.stringify(line)}\n`).join('');
}

function isAbout(line: WatchLine, kind: string, is: (object: KubeObject) => boolean): boolean {
  return line.kind === kind && 'object' in line && is(line.object);
}

function isEventAbout(line: WatchLine, uids: readonly string[], node: string): boolean {
  if (line.kind !== 'Event' || !('object' in line) || line.type === 'DELETED') return false;
  const { involvedObject: about, reason } = line.object as CoreEvent;
  if (OF_STARTS.has(reason)) return false;
  return uids.includes(about.uid ?? '') || (about.kind === 'Node' && about.name === node);
}

function withoutManagers(line: ObjectLine): ObjectLine {
  const { managedFields: _, ...metadata } = line.object.metadata as unknown as Record<string, unknown>;
  return { ...line, object: { ...line.object, metadata } as unknown as KubeObject };
}
