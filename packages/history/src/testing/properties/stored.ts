// What a ledger holds after a run, in the shapes that properties compare.

import assert from 'node:assert/strict';
import type { Engine } from '../../engines/engine.ts';
import { allRecords } from '../../engines/with-snapshot.ts';
import type { Tenure } from '../../model/records.ts';
import type { Answer } from '../../query/answer.ts';
import { exportLines } from '../../query/export.ts';

export async function recordsOf(engine: Engine, cluster: string) {
  const facts = await Array.fromAsync(allRecords(engine, cluster));
  const tenures = facts.flatMap((fact) => (fact.kind === 'tenure' ? [fact.tenure] : []));
  const placements = facts.flatMap((fact) => (fact.kind === 'placement' ? [fact.placement] : []));
  tenures.sort((a, b) => a.start.at - b.start.at || Number(a.start.resourceVersion) - Number(b.start.resourceVersion));
  return { facts, tenures, intervals: [...tenures, ...placements] };
}

/** One text: a difference is short. */
export async function linesOf(engine: Engine, cluster: string): Promise<string> {
  return (await Array.fromAsync(exportLines(engine, cluster))).join('\n');
}

export function sameText(actual: string, expected: string): void {
  if (actual === expected) return;
  const lines = expected.split('\n');
  const differing = actual.split('\n').find((line, i) => line !== lines[i]);
  assert.fail(`the exports differ, first in ${differing ?? 'what is missing at the end'}`);
}

export function keyOf({ ip, holder, start }: Tenure): string {
  return `${ip} ${holder.uid} ${start.epoch} ${start.resourceVersion}`;
}

export function summary({ answer, reason, holders }: Answer): string {
  return [answer, reason, ...holders.map((holder) => holder.uid)].join(' ');
}
