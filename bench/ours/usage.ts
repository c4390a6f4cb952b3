// What this process has used so far. Called by the peers that run on Node, at the moment that is measured.
import { readFileSync } from 'node:fs';

/** User and system time of all threads, the garbage collector's included. */
export function cpuSeconds(): number {
  const { userCPUTime, systemCPUTime } = process.resourceUsage();
  return (userCPUTime + systemCPUTime) / 1e6;
}

/** VmHWM is the peak. Not ru_maxrss: Linux lets a child begin with its parent's. */
export function memoryBytes(field: 'VmHWM' | 'VmRSS'): number {
  const found = new RegExp(`^${field}:\\s+(\\d+) kB$`, 'm').exec(readFileSync('/proc/self/status', 'utf8'));
  return Number(found?.[1] ?? 0) * 1024;
}
