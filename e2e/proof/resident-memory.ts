// How much memory a process and all that it has started have resident, read from /proc. Linux only, as the proofs are.
import { readdir, readFile } from 'node:fs/promises';

export interface Resident {
  /** Bytes of the process itself. */
  readonly own: number;
  /** With everything that it has started. */
  readonly all: number;
}

/** A process that ends while it is looked at counts for nothing. */
export async function residentBytes(pid: number): Promise<Resident> {
  const own = await residentOf(pid);
  let all = own;
  for (const child of await childrenOf(pid)) all += (await residentBytes(child)).all;
  return { own, all };
}

async function residentOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

async function childrenOf(pid: number): Promise<number[]> {
  const threads = await readdir(`/proc/${pid}/task`).catch(() => []);
  const lists = threads.map((thread) => readFile(`/proc/${pid}/task/${thread}/children`, 'utf8').catch(() => ''));
  return (await Promise.all(lists)).flatMap((list) => list.split(' ').filter(Boolean).map(Number));
}
