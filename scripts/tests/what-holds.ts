// What a hanging test file waits for, from the diagnostic report that Node writes on a signal: the stack of its
// JavaScript, and the handles that keep its event loop alive. Called by run-test-file.ts before it ends such a file.
import { existsSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

export const REPORT_SIGNAL = 'SIGUSR2';
/** Node takes some time to write one, most of all on a busy machine. */
const WRITTEN_WITHIN_MS = 5_000;
const STACK_LINES = 12;

export function reportFlags(directory: string, filename: string): string[] {
  const place = [`--report-directory=${directory}`, `--report-filename=${filename}`];
  return [
    '--report-on-signal',
    `--report-signal=${REPORT_SIGNAL}`,
    '--report-compact',
    '--report-exclude-env',
    ...place,
  ];
}

interface Report {
  readonly javascriptStack?: { readonly message?: string; readonly stack?: readonly string[] };
  readonly libuv?: readonly Handle[];
}

interface Handle {
  readonly type: string;
  readonly is_active?: boolean;
  readonly is_referenced?: boolean;
  readonly localEndpoint?: Endpoint | null;
  readonly remoteEndpoint?: Endpoint | null;
  readonly pid?: number;
  readonly firesInMsFromNow?: number;
}

interface Endpoint {
  readonly host?: string;
  readonly port?: number;
}

/** Lines for a person, or none where no report came: a process that never began, or that ignores the signal. */
export async function readWhatHolds(path: string): Promise<string[]> {
  const until = performance.now() + WRITTEN_WITHIN_MS;
  while (performance.now() < until) {
    const report = read(path);
    if (report !== undefined) return describeReport(report);
    await sleep(50);
  }
  return [];
}

export function describeReport({ javascriptStack, libuv = [] }: Report): string[] {
  const holding = libuv.filter((handle) => handle.is_active === true && handle.is_referenced === true);
  const counts = new Map<string, number>();
  for (const line of holding.map(describeHandle)) counts.set(line, (counts.get(line) ?? 0) + 1);
  const handles = [...counts].map(([line, count]) => (count === 1 ? line : `${line} (${count} times)`));
  const stack = javascriptStack?.stack?.slice(0, STACK_LINES) ?? [];
  return [
    ...(stack.length === 0 ? [] : ['it runs:', ...stack.map((line) => `  ${line}`)]),
    handles.length === 0 ? 'nothing keeps its event loop alive' : 'its event loop is kept alive by:',
    ...handles.map((line) => `  ${line}`),
  ];
}

function describeHandle({ type, localEndpoint, remoteEndpoint, pid, firesInMsFromNow }: Handle): string {
  const parts = [type];
  if (localEndpoint?.port !== undefined) parts.push(`at port ${localEndpoint.port}`);
  if (remoteEndpoint?.port !== undefined) parts.push(`to port ${remoteEndpoint.port}`);
  if (pid !== undefined) parts.push(`pid ${pid}`);
  if (firesInMsFromNow !== undefined) parts.push(`fires in ${Math.round(firesInMsFromNow)} ms`);
  return parts.join(' ');
}

/** Undefined as long as it is not written whole. */
function read(path: string): Report | undefined {
  if (!existsSync(path)) return undefined;
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as Report;
  } catch {
    return undefined;
  }
}
