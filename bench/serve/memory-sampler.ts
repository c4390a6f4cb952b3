// How much memory of its own a process has, over time: without the files that are mapped into it. From /proc.
import { readFileSync } from 'node:fs';

const EVERY_MS = 200;

export interface Memory {
  readonly peakBytes: number;
  /** Medians of the second and the last quarter of the time. */
  readonly secondQuarterBytes: number;
  readonly lastQuarterBytes: number;
  /** The last to the second. */
  readonly growth: number;
}

export class MemorySampler {
  readonly #samples: number[] = [];
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number | undefined) {
    this.#timer = setInterval(() => this.#samples.push(ownBytes(pid)), EVERY_MS);
  }

  stop(): Memory {
    clearInterval(this.#timer);
    const all = this.#samples;
    const quarter = (nth: number) =>
      middle(all.slice(Math.floor((all.length * (nth - 1)) / 4), Math.ceil((all.length * nth) / 4)));
    const [secondQuarterBytes, lastQuarterBytes] = [quarter(2), quarter(4)];
    const peakBytes = Math.max(0, ...all);
    return { peakBytes, secondQuarterBytes, lastQuarterBytes, growth: lastQuarterBytes / secondQuarterBytes };
  }
}

function middle(samples: readonly number[]): number {
  return samples.toSorted((a, b) => a - b)[Math.floor(samples.length / 2)] ?? 0;
}

function ownBytes(pid: number | undefined): number {
  try {
    return Number(/^RssAnon:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024;
  } catch {
    return 0; // it is gone
  }
}
