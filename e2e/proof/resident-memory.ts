// How much memory a process and all that it has started have resident, read from /proc. Linux only, as the proofs are.
import { readdir, readFile } from 'node:fs/promises';

/** Bytes. A process that ends while it is looked at counts for nothing. */
export async function residentBytes(pid: number): Promise<number> {
  let sum = await residentOf(pid);
  for (const child of await childrenOf(pid)) sum += await residentBytes(child);
  return sum;
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
