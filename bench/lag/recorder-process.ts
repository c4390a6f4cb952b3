// `podtrail record` as a process, and one that asks the store it writes to: what `lag` and `serve` measure its lag with.
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { BenchError } from '../benchmark.ts';

const PODTRAIL = join(import.meta.dirname, '../../packages/cli/src/main.ts');
const ASKER = join(import.meta.dirname, 'asker.ts');
const WATCHING_WITHIN_MS = 120_000;

/** Whoever starts processes ends those in `children`. */
interface RecorderStage {
  readonly kubeconfig: string;
  readonly children: ChildProcess[];
  readonly clusterName: string;
}

export interface StartedRecorder {
  readonly pid: number | undefined;
  /** Where it serves its metrics. */
  readonly metrics: string;
}

/** Resolves when it watches. */
export async function startRecorder(
  { kubeconfig, children, clusterName }: RecorderStage,
  url: string,
): Promise<StartedRecorder> {
  const words = [
    'record',
    '--kubeconfig',
    kubeconfig,
    '--store',
    url,
    '--cluster-name',
    clusterName,
    '--metrics-port',
    '0',
  ];
  const child = spawn(process.execPath, [PODTRAIL, ...words], { stdio: ['ignore', 'ignore', 'pipe'] });
  children.push(child);
  let said = '';
  const watching = Promise.withResolvers<void>();
  const fail = (why: string) => watching.reject(new BenchError(`podtrail record ${why}:\n${said.slice(-2000)}`));
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    said += text;
    if (said.includes('"msg":"watching"')) watching.resolve();
  });
  child.once('exit', () => fail('ended'));
  const patience = setTimeout(() => fail('does not watch'), WATCHING_WITHIN_MS);
  await watching.promise.finally(() => clearTimeout(patience));
  const metrics = /"metrics":"([^"]+)"/.exec(said)?.[1];
  if (metrics === undefined)
    throw new BenchError(`podtrail record names no address of its metrics:\n${said.slice(-2000)}`);
  return { pid: child.pid, metrics };
}

/** How many events the recorder had durable within each bound, in seconds: its own part of the way. */
export async function ownLags(url: string): Promise<Map<number, number>> {
  const page = await (await fetch(url)).text();
  const found = new Map<number, number>();
  for (const [, bound, count] of page.matchAll(/^podtrail_recorder_lag_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm)) {
    found.set(bound === '+Inf' ? Number.POSITIVE_INFINITY : Number(bound), Number(count));
  }
  return found;
}

/** The smallest bound within which this share of the events between two readings lies, in milliseconds. */
export function boundOf(
  before: ReadonlyMap<number, number>,
  after: ReadonlyMap<number, number>,
  share: number,
): number {
  const all = (after.get(Number.POSITIVE_INFINITY) ?? 0) - (before.get(Number.POSITIVE_INFINITY) ?? 0);
  for (const [bound, count] of [...after].sort(([a], [b]) => a - b)) {
    if (count - (before.get(bound) ?? 0) >= all * share) return bound * 1000;
  }
  return Number.NaN;
}

export async function startAsker(
  { children }: Pick<RecorderStage, 'children'>,
  url: string,
  cluster: string,
): Promise<ChildProcess> {
  const child = fork(ASKER, [url, cluster]);
  children.push(child);
  const [first] = await Promise.race([once(child, 'message'), once(child, 'exit')]);
  if (first !== 'ready') throw new BenchError('the asking process ended before it began');
  return child;
}

export function quantile(sorted: readonly number[], q: number): number {
  return sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * q) - 1)] ?? Number.NaN;
}
