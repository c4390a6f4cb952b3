// `npm run proof -- bits`: stores that are damaged at random, asked everything. No cluster is needed.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type BitsTally, bitsRun } from '@podtrail/history/testing';

export interface BitsProof extends BitsTally {
  readonly kinds: Readonly<Record<string, BitsTally>>;
}

export interface BitsProofOptions {
  readonly seed: number;
  readonly mutations: number;
  readonly checks: boolean;
  readonly out: string;
  log(line: string): void;
}

/** `wrong` counts what `verify` missed, too; without checks it is wrong that nothing is. */
export async function proveBits(options: BitsProofOptions, write: (text: string) => void): Promise<BitsProof> {
  const { seed, mutations, checks, out, log } = options;
  const directory = join(out, 'stores');
  const { total, byKind, details } = await bitsRun({ directory, seed, mutations, checks, log });
  await rm(directory, { recursive: true, force: true });
  const lines = [
    ...tableOf(
      [...byKind].sort(([a], [b]) => (a < b ? -1 : 1)),
      total,
    ),
    `seed ${seed}${checks ? '' : ', without checks'}`,
    ...(total.unexpected === 0 ? [] : [`${total.unexpected} refusals had no sentence of ours`]),
    ...details,
  ];
  write(`${lines.join('\n')}\n`);
  const wrong = checks ? total.wrong + total.missed : Number(total.wrong === 0);
  return { ...total, wrong, kinds: Object.fromEntries(byKind) };
}

function tableOf(kinds: readonly (readonly [string, BitsTally])[], total: BitsTally): string[] {
  const row = (what: string, { mutations, unchanged, refusedToOpen, answers, unknown, wrong, missed }: BitsTally) =>
    [what, mutations, unchanged, refusedToOpen, answers, unknown, wrong, missed].map(String);
  const head = ['mutation', 'times', 'no effect', 'not opened', 'answers', 'unknown', 'wrong', 'missed by verify'];
  const rows = [head, ...kinds.map(([what, tally]) => row(what, tally)), row('all', total)];
  const widths = head.map((_, i) => Math.max(...rows.map((cells) => cells[i]?.length ?? 0)));
  const padded = (cell: string, i: number): string =>
    i === 0 ? cell.padEnd(widths[i] ?? 0) : cell.padStart(widths[i] ?? 0);
  return rows.map((cells) => cells.map(padded).join('  '));
}
