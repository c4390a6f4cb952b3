// The flags that size a simulated cluster, for `podtrail sandbox` and `podtrail demo`.
import type { Command } from 'commander';
import { UsageError } from '../errors.ts';

export interface SizeOptions {
  readonly nodes: number;
  readonly pods: number;
  readonly seed?: number;
  readonly speed: number;
}

export function sizeFlags(command: Command, defaults: { readonly nodes: number; readonly pods: number }): Command {
  return command
    .option('--nodes <n>', 'simulated nodes', wholeNumber('--nodes', 1, 1000), defaults.nodes)
    .option('--pods <n>', 'about so many pods', wholeNumber('--pods', 1, 100_000), defaults.pods)
    .option('--seed <n>', 'the same seed, the same cluster; default: a random one', wholeNumber('--seed', 0, 2 ** 31))
    .option('--speed <factor>', 'things happen so many times as often; 0: nothing happens by itself', factor, 1);
}

/** A node's range of addresses holds so many pods. */
const MOST_PODS_PER_NODE = 120;

export function checkSize({ nodes, pods }: SizeOptions): void {
  if (pods <= nodes * MOST_PODS_PER_NODE) return;
  throw new UsageError(
    `${pods} pods do not fit on ${nodes} nodes of ${MOST_PODS_PER_NODE} addresses each`,
    `take --nodes ${Math.ceil(pods / (MOST_PODS_PER_NODE / 2))}.`,
  );
}

export function wholeNumber(flag: string, least: number, most: number): (text: string) => number {
  return (text) => {
    const number = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (number >= least && number <= most) return number;
    throw new UsageError(`${flag} ${text} is out of range`, `a whole number from ${least} to ${most}.`);
  };
}

function factor(text: string): number {
  const number = /^\d+(\.\d+)?$/.test(text) ? Number(text) : Number.NaN;
  if (number <= 100) return number;
  throw new UsageError(`--speed ${text} is out of range`, 'a number from 0 to 100; 1 is the usual pace.');
}
