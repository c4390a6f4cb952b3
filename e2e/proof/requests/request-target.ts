// A server that the fuzzer sends to: a process, and the kinds of connections to it with what is sent on each.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import type { Chance } from '../random.ts';
import type { FuzzedRequest } from './fuzzed-request.ts';

export interface RequestTarget {
  readonly name: string;
  readonly child: ChildProcess;
  /** In turns, one for each lane. */
  readonly kinds: readonly ConnectionKind[];
}

export interface ConnectionKind {
  connect(): Promise<Socket>;
  nextRequest(chance: Chance): FuzzedRequest;
}

export function startServer(words: readonly string[]): ChildProcess {
  return spawn(process.execPath, words, { stdio: ['ignore', 'pipe', 'pipe'] });
}

/** The port that it says in its first line. */
export async function portOf({ stdout }: ChildProcess): Promise<number> {
  let text = '';
  for await (const chunk of stdout ?? []) {
    text += String(chunk);
    const port = /^https?:\/\/127\.0\.0\.1:(\d+)\//.exec(text)?.[1];
    if (port !== undefined) return Number(port);
  }
  throw new Error('the server ended before it said where it listens');
}

export async function endServer(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGTERM');
  await once(child, 'exit');
}
