// Cuts small recordings out of a run of `npm run proof -- nodes`: for each mechanism, and each thing that happened to a
// whole node, a few lives of pods with what was really so, in one file. `node e2e/recordings/cut.ts RUN_FOLDER [NAME …]`
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import {
  type ActionLine,
  type CniLine,
  type IpamLine,
  type KubeObject,
  type LinkLine,
  type PackedLine,
  type PacketLine,
  readAll,
  readRun,
  type WatchLine,
} from '../proof/nodes/run-folder.ts';
import { apiWords } from './api-words.ts';
import { scrubbed, short } from './scrub.ts';

const MILLI = 1_000_000;
const TARGET = join(import.meta.dirname, 'mechanisms');
const MECHANISM_LABEL = 'podtrail.dev/mechanism';
const MIRROR = 'kubernetes.io/config.mirror';
/** Lives in one recording: as many as bring a sequence of words that the others have not. */
const MOST_LIVES = 3;
const BEFORE_MS = 2_500;
const AFTER_MS = 12_000;

type PodLine = Extract<WatchLine, { object: KubeObject }>;

/** All pods of one life: of one name, one Job, one Deployment, one static file. */
interface Life {
  readonly mechanism: string;
  readonly name: string;
  readonly lines: PodLine[];
  /** When the last of its addresses was released. */
  released: number;
}

const [from, ...names] = process.argv.slice(2);
if (from === undefined) {
  process.stderr.write('usage: node e2e/recordings/cut.ts RUN_FOLDER [NAME …]\n');
  process.exit(2);
}
await cut(from, names);

async function cut(source: string, wanted: readonly string[]): Promise<void> {
  await mkdir(TARGET, { recursive: true });
  const watch = await readAll<WatchLine>(source, 'watch');
  const actions = await readAll<ActionLine>(source, 'actions');
  const lives = livesIn(watch, await releases(source)).filter(isWhole);
  const events = actions.filter(({ until, node }) => until !== undefined && node !== undefined);
  const quiet = lives.filter((life) => !events.some((event) => strikes(life, event)));
  const sets = new Map<string, Life[]>();
  for (const [mechanism, all] of Map.groupBy(quiet, (life) => life.mechanism)) sets.set(mechanism, chosen(all));
  const pods = lives.flatMap((life) => byPod(life).map((lines): Life => ({ ...life, name: nameOf(lines), lines })));
  for (const event of events) {
    // Pods to which nothing else happened.
    const alone = pods.filter((life) => events.every((other) => other === event || !strikes(life, other)));
    const struck = alone.filter((life) => isOn(life, event) && sawBoth(life, event));
    const name = `node-${event.what.replace(/^node-/, '')}`;
    struck.sort((a, b) => eventfulness(b, event) - eventfulness(a, event));
    if (!sets.has(name) && struck.length > 0) sets.set(name, struck.slice(0, MOST_LIVES));
  }
  for (const [name, set] of sets) {
    if (wanted.length > 0 && !wanted.includes(name)) continue;
    const file = join(TARGET, `${name}.jsonl.gz`);
    const packed = gzipSync(await packedLines(name, source, watch, actions, set), { level: 9 });
    await writeFile(file, packed);
    process.stdout.write(`${name}: ${set.map((life) => life.name).join(', ')}, ${packed.length} bytes\n`);
  }
}

/** UID (of a static pod: the hash of its file) → when its last address was released. */
async function releases(source: string): Promise<ReadonlyMap<string, number>> {
  const owners = new Map((await readAll<CniLine>(source, 'cni')).map(({ sandbox, uid }) => [sandbox, uid]));
  const ends = new Map<string, number>();
  for (const { t, sandbox } of await readAll<IpamLine>(source, 'ipam')) ends.set(owners.get(sandbox) ?? '', t / MILLI);
  return ends;
}

function livesIn(watch: readonly WatchLine[], released: ReadonlyMap<string, number>): Life[] {
  const lives = new Map<string, Life>();
  for (const line of watch) {
    if (line.kind !== 'Pod' || !('object' in line)) continue;
    const mechanism = line.object.metadata.labels?.[MECHANISM_LABEL];
    if (mechanism === undefined) continue;
    const name = /^.*?-\d+(?=-|$)/.exec(line.object.metadata.name)?.[0] ?? line.object.metadata.name;
    const life: Life = lives.get(name) ?? { mechanism, name, lines: [], released: 0 };
    life.lines.push(line);
    for (const key of keysOf(line.object)) life.released = Math.max(life.released, released.get(key) ?? 0);
    lives.set(name, life);
  }
  return [...lives.values()];
}

function keysOf({ metadata }: KubeObject): string[] {
  const hash = metadata.annotations?.[MIRROR];
  return hash === undefined ? [metadata.uid] : [metadata.uid, hash];
}

function nameOf(lines: readonly PodLine[]): string {
  return lines[0]?.object.metadata.name ?? '';
}

function byPod({ lines }: Life): PodLine[][] {
  return [...Map.groupBy(lines, ({ object }) => object.metadata.uid).values()];
}

function isWhole(life: Life): boolean {
  return byPod(life).every((lines) => lines[0]?.type === 'ADDED' && lines.at(-1)?.type === 'DELETED');
}

function span({ lines, released }: Life): { readonly first: number; readonly last: number } {
  return { first: lines[0]!.at, last: Math.max(lines.at(-1)!.at, released) };
}

function overlaps(life: Life, { at, until }: ActionLine): boolean {
  return span(life).first < until! + 15_000 && span(life).last > at;
}

/** It was there before, and said something after. */
function sawBoth(life: Life, { at }: ActionLine): boolean {
  return byPod(life).some((lines) => lines.filter((line) => line.at < at).length > 3 && lines.at(-1)!.at > at + 2_000);
}

function strikes(life: Life, event: ActionLine): boolean {
  return overlaps(life, event) && isOn(life, event);
}

function isNear(lives: readonly Life[], at: number): boolean {
  return lives.some((life) => at > span(life).first - BEFORE_MS && at < span(life).last + AFTER_MS);
}

function isOn({ lines }: Life, { node }: ActionLine): boolean {
  return lines.some(({ object }) => object.spec?.nodeName === node);
}

/** Whoever survived with another address has the most to tell, then whoever said the most. */
function eventfulness(life: Life, { at }: ActionLine): number {
  const after = byPod(life).map((lines) => lines.filter((line) => line.at > at));
  const addresses = after.map((lines) => new Set(lines.map(({ object }) => object.status?.podIP)).size);
  return Math.max(...addresses) * 1_000 + Math.max(...after.map((lines) => apiWords(lines).length));
}

/** The lives whose sequences are the most frequent, each bringing another one. */
function chosen(lives: readonly Life[]): Life[] {
  const sequences = (life: Life): string[] => byPod(life).map((lines) => apiWords(lines).join('\n'));
  const counts = new Map<string, number>();
  for (const sequence of lives.flatMap(sequences)) counts.set(sequence, (counts.get(sequence) ?? 0) + 1);
  const known = new Set<string>();
  const kept: Life[] = [];
  const worth = (life: Life): number =>
    [...new Set(sequences(life))].reduce((sum, one) => sum + (known.has(one) ? 0 : (counts.get(one) ?? 0)), 0);
  while (kept.length < MOST_LIVES) {
    const best = lives.reduce<Life | undefined>((a, b) => (a === undefined || worth(b) > worth(a) ? b : a), undefined);
    if (best === undefined || worth(best) === 0) break;
    kept.push(best);
    for (const sequence of sequences(best)) known.add(sequence);
  }
  return kept;
}

async function packedLines(
  name: string,
  source: string,
  watch: readonly WatchLine[],
  actions: readonly ActionLine[],
  lives: readonly Life[],
): Promise<string> {
  const run = await readRun(source);
  const podLines = new Set(lives.flatMap(({ lines }) => lines));
  const objects = [...podLines].map(({ object }) => object);
  const uids = new Set(objects.flatMap(keysOf));
  const nodes = new Set(objects.map(({ spec }) => spec?.nodeName ?? ''));
  const cni = (await readAll<CniLine>(source, 'cni')).filter(({ uid }) => uids.has(uid));
  const sandboxes = new Set(cni.map(({ sandbox }) => sandbox));
  const veths = new Set(cni.flatMap((line) => line.veths));
  const ipam = (await readAll<IpamLine>(source, 'ipam')).filter(({ sandbox }) => sandboxes.has(sandbox));
  const links = (await readAll<LinkLine>(source, 'links')).filter(({ veth }) => veths.has(veth));
  const first = Math.min(...lives.map((life) => span(life).first)) - BEFORE_MS;
  const last = Math.max(...lives.map((life) => span(life).last)) + AFTER_MS;
  const addresses = [...new Set(ipam.map(({ ip }) => ip))].sort();
  const events = actions.filter((action) => action.until !== undefined && lives.some((life) => strikes(life, action)));

  const lines: PackedLine[] = [];
  const add = (to: PackedLine['in'], all: Iterable<unknown>): void => {
    for (const line of all) lines.push({ in: to, line });
  };
  add('run', [
    { ...run, cluster: `${name} of ${run.cluster}`, addresses, from: Math.ceil(first), to: Math.floor(last - 2_000) },
  ]);
  add('watch', listings(watch, first, nodes));
  for (const line of watch) {
    if (line.at < first || line.at > last || line.type === 'LIST') continue;
    const isNode = line.kind === 'Node' || line.kind === 'Lease';
    const isKept = isNode && 'object' in line && nodes.has(line.object.metadata.name) && isNear(lives, line.at);
    if (podLines.has(line as PodLine) || isKept) add('watch', [scrubbed(line)]);
  }
  // The watch was open until then.
  const end = watch.findLast(({ at }) => at <= last);
  add('watch', [{ at: Math.floor(last), kind: 'Pod', type: 'BOOKMARK', resourceVersion: versionOf(end) }]);
  add('cni', cni.map(short));
  add('ipam', ipam.map(short));
  add('links', links);
  add('packets', await firstAndLast(source, uids));
  const pods = new Set(objects.map(({ metadata }) => metadata.name));
  const done = actions.filter(({ at, pod }) => at > first && at < last && pods.has(pod ?? ''));
  add('actions', [...done, ...events]);
  return lines.map((line) => `${JSON.stringify(line)}\n`).join('');
}

/** What a recorder that starts just then would have listed, of what is kept. */
function listings(watch: readonly WatchLine[], at: number, nodes: ReadonlySet<string>): WatchLine[] {
  const before = watch.filter((line) => line.at <= at);
  const newest = new Map<string, KubeObject>();
  for (const line of before) {
    if (line.kind !== 'Node') continue;
    const seen = line.type === 'LIST' ? line.items : 'object' in line ? [line.object] : [];
    for (const object of seen) if (nodes.has(object.metadata.name)) newest.set(object.metadata.name, object);
  }
  const resourceVersion = versionOf(before.at(-1));
  return (['Pod', 'Node', 'Service'] as const).map((kind) => {
    const items = kind === 'Node' ? [...newest.values()] : [];
    return scrubbed({ at: Math.floor(at), kind, type: 'LIST', resourceVersion, items })!;
  });
}

function versionOf(line: WatchLine | undefined): string {
  if (line === undefined) return '0';
  return 'object' in line ? line.object.metadata.resourceVersion : line.resourceVersion;
}

async function firstAndLast(source: string, uids: ReadonlySet<string>): Promise<PacketLine[]> {
  const ends = new Map<string, PacketLine[]>();
  for (const packet of await readAll<PacketLine>(source, 'packets')) {
    if (!uids.has(packet.uid)) continue;
    const key = `${packet.uid} ${packet.ip}`;
    const [begun = packet] = ends.get(key) ?? [];
    ends.set(key, [begun, packet]);
  }
  return [...ends.values()].flat();
}
