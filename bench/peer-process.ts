// One run of one peer: starts its process, reads its JSON lines, and bounds its time and memory. Never decides what an
// end means: a run either finished or died, and says how.
import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { totalmem } from 'node:os';
import { createInterface } from 'node:readline';
import type { FollowedEvents } from './ours/follow-events.ts';
import type { Peer } from './peers.ts';

/** The line that a peer prints at its end. */
export interface PeerResult {
  readonly pods: number;
  readonly added: number;
  readonly cpuSeconds: number;
  /** Of these, before the first request (Node only). */
  readonly startCpuSeconds?: number;
  readonly wallSeconds: number;
  readonly peakRssBytes: number;
  readonly rssBytes: number;
  readonly followed?: FollowedEvents;
  /** Of the answer that carried the pods. */
  readonly contentType: string;
  readonly cacheHash: string;
  readonly clientVersion: string;
}

export type PeerEnd =
  | { readonly kind: 'finished'; readonly result: PeerResult }
  | { readonly kind: 'died'; readonly how: string; readonly wallSeconds: number; readonly peakRssBytes: number };

const TIME_LIMIT_MS = 300_000;
const MEMORY_LIMIT = Math.min(8e9, totalmem() * 0.5);
const LOOK_EVERY_MS = 100;
const running = new Set<ChildProcess>();

export class PeerProcess {
  /** The peer said that it is in step and waits for `start`; false when it ended before that. */
  readonly ready: Promise<boolean>;
  /** Never rejects. */
  readonly ended: Promise<PeerEnd>;
  readonly #child: ChildProcess;
  #stopped = '';
  #peakRssBytes = 0;

  constructor(peer: Peer, extraArgs: readonly string[] = [], timeLimitMs = TIME_LIMIT_MS) {
    const child = spawn(peer.command, [...peer.args, ...extraArgs], { stdio: ['pipe', 'pipe', 'pipe'] });
    this.#child = child;
    running.add(child);
    const begun = performance.now();
    let lastLine = '';
    let stderr = '';
    let sayReady: (ready: boolean) => void = () => {};
    this.ready = new Promise((resolve) => {
      sayReady = resolve;
    });
    createInterface({ input: child.stdout! }).on('line', (line) => {
      if (line === '{"ready":true}') sayReady(true);
      else lastLine = line;
    });
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      stderr = (stderr + text).slice(-20_000);
    });
    child.stdin!.on('error', () => {}); // it may be gone already; `ended` tells
    const looking = setInterval(() => this.#look(begun + timeLimitMs), LOOK_EVERY_MS);
    this.ended = new Promise((resolve) => {
      const end = (how: string, finished: boolean) => {
        clearInterval(looking);
        running.delete(child);
        sayReady(false);
        const wallSeconds = (performance.now() - begun) / 1000;
        if (finished) resolve({ kind: 'finished', result: JSON.parse(lastLine) as PeerResult });
        else resolve({ kind: 'died', how, wallSeconds, peakRssBytes: this.#peakRssBytes });
      };
      child.on('error', (error) => end(error.message, false));
      child.on('close', (code, signal) => {
        const how = this.#stopped || `${signal ?? `exit code ${code}`}${reasonIn(stderr)}`;
        end(how, code === 0 && lastLine !== '');
      });
    });
  }

  send(line: string): void {
    this.#child.stdin!.write(`${line}\n`);
  }

  /** Now; 0 when it is gone. */
  get rssBytes(): number {
    return memoryOf(this.#child.pid, 'VmRSS');
  }

  #look(deadline: number): void {
    this.#peakRssBytes = Math.max(this.#peakRssBytes, memoryOf(this.#child.pid, 'VmHWM'));
    if (this.#peakRssBytes > MEMORY_LIMIT) this.#stop(`stopped at ${Math.round(MEMORY_LIMIT / 1e6)} MB of memory`);
    else if (performance.now() > deadline) this.#stop('stopped: it took too long');
  }

  #stop(why: string): void {
    this.#stopped ||= why;
    this.#child.kill('SIGKILL');
  }
}

export async function runPeer(peer: Peer): Promise<PeerEnd> {
  return await new PeerProcess(peer).ended;
}

/** For a benchmark that is being interrupted. */
export function endPeers(): void {
  for (const child of running) child.kill('SIGKILL');
}

export function memoryOf(pid: number | undefined, field: 'VmHWM' | 'VmRSS'): number {
  try {
    const found = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync(`/proc/${pid}/status`, 'utf8'));
    return Number(found?.[1] ?? 0) * 1024;
  } catch {
    return 0; // it is gone
  }
}

/** The line that names an error, or else the last one. */
function reasonIn(stderr: string): string {
  const lines = stderr.split('\n').filter((line) => line.trim() !== '');
  const line = lines.find((text) => /\b(ERR_|[A-Z]\w*Error\b|FATAL|panic)/.test(text)) ?? lines.at(-1);
  return line === undefined ? '' : `: ${line.trim().slice(0, 200)}`;
}
