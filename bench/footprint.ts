// `npm run bench -- footprint`: how fast the command starts and what it weighs, as it is published: `podtrail version`
// and `podtrail who` beside bare Node, `podtrail record` beside client-go on the same cluster.
import { spawnSync } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Bar, BenchError, type Benchmark, type OptionValues, wholeNumber } from './benchmark.ts';
import { measureStarts, type Program, type Start } from './footprint/program-start.ts';
import { type Weight, weighRecorder } from './footprint/recorder-weight.ts';
import { CLIENT_GO_STRIP, peersNamed } from './peers.ts';
import type { Session } from './session.ts';
import { fillStore, keptStore, shapeOf } from './store/filled-store.ts';
import { megabytes, table } from './table.ts';

const ROOT = join(import.meta.dirname, '..');
const BUNDLE = join(ROOT, 'packages', 'cli', 'dist', 'podtrail.mjs');
const SOURCE = join(ROOT, 'packages', 'cli', 'src', 'main.ts');
const BARE = 'bare Node';
const VERSION = 'podtrail version';
const WHO = 'podtrail who';
const START = { bar: 6, goal: 4, whoBar: 10, megabytes: 75 };
/** Megabytes: of 60 quiet pods, of `--pods` under `--rate`, and the limit of deploy/kustomize. */
const WEIGHT = { few: 100, busy: 260, limit: 2147 };

/** With causes a recorder may take so much more. */
const CAUSES_FACTOR = 1.3;

export const footprint: Benchmark = {
  name: 'footprint',
  summary: 'start time and memory of the built command: version and who beside bare Node, record beside client-go',
  options: {
    rounds: { placeholder: 'N', help: 'starts of each program', fallback: '21' },
    tenures: { placeholder: 'N', help: 'tenures in the store that who asks', fallback: '1000000' },
    weeks: { placeholder: 'N', help: 'weeks over which they are spread', fallback: '8' },
    seed: { placeholder: 'N', help: 'of everything that is made up', fallback: '1' },
    keep: { placeholder: 'DIR', help: 'keep the filled store there for the next run' },
    few: { placeholder: 'N', help: 'pods of the small cluster; 0 leaves it out', fallback: '60' },
    pods: { placeholder: 'N', help: 'pods of the cluster that changes; 0 leaves it out', fallback: '20000' },
    rate: { placeholder: 'N', help: 'changes a second', fallback: '200' },
    seconds: { placeholder: 'N', help: 'for so long', fallback: '60' },
    large: { placeholder: 'N', help: 'pods of the large cluster, as 100000; 0 leaves it out', fallback: '0' },
    'node-flags': { placeholder: '"FLAGS"', help: 'V8 flags for podtrail record, in place of none' },
  },
  async run(values, session) {
    build(session.log);
    const starts = await startsOf(values, session);
    const weights = await weightsOf(values, session);
    const load = loadavg()[0] ?? 0;
    return {
      report: { starts, weights, load, nodeFlags: values['node-flags'] ?? '' },
      table: `${renderStarts(starts)}\n${renderWeights(weights)}`,
      bars: [...barsOfStarts(starts), ...barsOfWeights(weights)],
    };
  },
};

function build(log: (text: string) => void): void {
  log('Building the packages …');
  const { status, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts', 'build.ts')], { encoding: 'utf8' });
  if (status !== 0) throw new BenchError(`npm run build has failed:\n${stderr}`);
}

async function startsOf(values: OptionValues, { log }: Session): Promise<Start[]> {
  const rounds = wholeNumber(values, 'rounds', 0);
  if (rounds === 0) return [];
  const shape = shapeOf(values);
  const directory = await mkdtemp(join(tmpdir(), 'podtrail-bench-footprint-'));
  try {
    const path = join(directory, 'store.db');
    log(`Filling a store with ${shape.tenures} tenures …`);
    const { keep } = values;
    const { sample } = keep === undefined ? await fillStore(path, shape, log) : await keptStore(keep, path, shape, log);
    const { ip, start, end } = sample[Math.floor(sample.length / 2)]!.tenure;
    const middle = Math.floor((start.at + (end?.at ?? start.at)) / 2);
    const asked = ['who', ip, '--at', String(middle), '--store', `sqlite:${path}`];
    const programs: Program[] = [
      { name: BARE, args: ['-e', '0'] },
      { name: VERSION, args: [BUNDLE, 'version'] },
      { name: WHO, args: [BUNDLE, ...asked] },
      { name: `${VERSION}, from source`, args: [SOURCE, 'version'] },
      { name: `${WHO}, from source`, args: [SOURCE, ...asked] },
    ];
    log(`Starting each of ${programs.length} programs ${rounds} times …`);
    return await measureStarts(programs, rounds);
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}

interface Weighed extends Weight {
  readonly causes: boolean;
  readonly kind: 'few' | 'busy' | 'large';
  readonly pods: number;
}

async function weightsOf(values: OptionValues, session: Session): Promise<Weighed[]> {
  const rate = wholeNumber(values, 'rate', 1);
  const seconds = wholeNumber(values, 'seconds', 1);
  const flags = (values['node-flags'] ?? '').split(' ').filter((flag) => flag !== '');
  const sizes = [
    { kind: 'few', pods: wholeNumber(values, 'few', 0), seconds: 0 },
    { kind: 'busy', pods: wholeNumber(values, 'pods', 0), seconds },
    { kind: 'large', pods: wholeNumber(values, 'large', 0), seconds },
  ] as const;
  const weighed: Weighed[] = [];
  for (const { kind, pods, seconds } of sizes) {
    if (pods === 0) continue;
    const { kubeconfig } = await session.filledCluster(pods);
    const programs = await session.goPrograms();
    const [peer] = peersNamed([CLIENT_GO_STRIP], { kubeconfig, programs, nodeFlags: undefined });
    const options = { podtrail: [...flags, BUNDLE], kubeconfig, rate, seconds, log: session.log };
    // Beside client-go once is enough.
    for (const causes of [true, false]) {
      const weight = await weighRecorder({ ...options, causes, peer: causes ? peer : undefined });
      weighed.push({ kind, pods, causes, ...weight });
      session.log(renderWeights(weighed.slice(-1)));
    }
  }
  return weighed;
}

function renderStarts(starts: readonly Start[]): string {
  const bare = starts.find(({ name }) => name === BARE)?.medianMs ?? Number.NaN;
  const rows = starts.map(({ name, medianMs, leastMs, peakRssBytes }) => [
    name,
    medianMs.toFixed(0),
    leastMs.toFixed(0),
    (medianMs / bare).toFixed(1),
    megabytes(peakRssBytes),
  ]);
  return table(['whole process', 'median ms', 'least ms', '× bare Node', 'peak RSS'], rows);
}

function renderWeights(weights: readonly Weighed[]): string {
  const shown = (bytes: number | undefined) => (bytes === undefined ? '' : megabytes(bytes));
  const rows = weights.map((weight) => [
    `${weight.pods} pods${weight.changes > 0 ? `, ${weight.changes} changes` : ''}${weight.causes ? '' : ', --no-causes'}`,
    ...[weight.quietRssBytes, weight.busyRssBytes, weight.peakRssBytes].map(shown),
    ...[weight.peerQuietRssBytes, weight.peerBusyRssBytes].map(shown),
  ]);
  const header = ['podtrail record', 'quiet', 'while they change', 'peak', 'client-go quiet', 'client-go, changes'];
  return table(header, rows);
}

function barsOfStarts(starts: readonly Start[]): Bar[] {
  const of = (name: string) => starts.find((start) => start.name === name);
  const [bare, version, who] = [of(BARE), of(VERSION), of(WHO)];
  if (bare === undefined || version === undefined || who === undefined) return [];
  const { bar, goal, whoBar } = START;
  return [
    { what: `${VERSION}, × bare Node`, value: version.medianMs / bare.medianMs, bar, goal },
    { what: `${VERSION}, peak RSS in MB`, value: version.peakRssBytes / 1e6, bar: START.megabytes },
    { what: `${WHO}, × bare Node`, value: who.medianMs / bare.medianMs, bar: whoBar },
  ];
}

function barsOfWeights(weights: readonly Weighed[]): Bar[] {
  const withCauses = weights.filter(({ causes }) => causes);
  return [...withCauses.flatMap((weight) => barOfCauses(weight, weights)), ...barsOfMemory(withCauses)];
}

/** What causes cost: the same cluster, recorded with them and without. */
function barOfCauses(weight: Weighed, weights: readonly Weighed[]): Bar[] {
  const without = weights.find(({ causes, kind }) => !causes && kind === weight.kind);
  if (without === undefined) return [];
  const largest = ({ quietRssBytes, busyRssBytes = 0 }: Weight) => Math.max(quietRssBytes, busyRssBytes);
  const value = largest(weight) / largest(without);
  return [{ what: `record of ${weight.pods} pods with causes, × --no-causes`, value, bar: CAUSES_FACTOR }];
}

function barsOfMemory(weights: readonly Weighed[]): Bar[] {
  return weights.map(({ kind, pods, quietRssBytes, busyRssBytes = 0, peakRssBytes }) => {
    const bars: Readonly<Record<Weighed['kind'], readonly [what: string, bytes: number, bar: number]>> = {
      few: [`record of ${pods} quiet pods, MB`, quietRssBytes, WEIGHT.few],
      busy: [`record of ${pods} pods that change, MB`, busyRssBytes, WEIGHT.busy],
      large: [`record of ${pods} pods, peak in MB`, peakRssBytes, WEIGHT.limit],
    };
    const [what, bytes, bar] = bars[kind];
    return { what, value: bytes / 1e6, bar };
  });
}
