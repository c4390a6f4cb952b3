// What the flow logs of Azure have in common: `records` of one document, each with flow tuples, comma-separated texts.
// Each tuple becomes a row of its own.
import type { Members } from '../row.ts';
import type { Flow } from './format.ts';

/** One tuple as a row: the names of its fields, and what its record says about all of its tuples. */
export function tupleFlow(tuple: unknown, names: readonly string[], around: Members, coarseMs: number): Flow {
  const values = typeof tuple === 'string' ? tuple.split(',') : [];
  const members: Record<string, unknown> = { ...around };
  for (const [i, name] of names.entries()) members[name] = values[i] ?? '';
  const [start, source, destination] = values;
  const back = Number(values[names.indexOf('packets_dst_to_src')] ?? 0);
  return {
    ends: [
      { address: source || undefined, sent: true },
      { address: destination || undefined, sent: back > 0 },
    ],
    start,
    lasted: coarseMs,
    members,
  };
}

export function listOf(record: Members, name: string): readonly Members[] {
  const value = Object.hasOwn(record, name) ? record[name] : undefined;
  return Array.isArray(value) ? value.filter((item) => typeof item === 'object' && item !== null) : [];
}

export function tuplesOf(record: Members): readonly unknown[] {
  const value = Object.hasOwn(record, 'flowTuples') ? record['flowTuples'] : undefined;
  return Array.isArray(value) ? value : [];
}
