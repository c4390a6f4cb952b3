// What is called like a text that somebody typed.
import { z } from 'zod';
import { narrowed } from './listing.ts';
import { instant, query } from './query.ts';

const foundSchema = z.strictObject({
  kind: z.enum(['Pod', 'Workload', 'Node', 'Service', 'Address']),
  /** Null for what is in none, and for addresses. */
  namespace: z.string().nullable(),
  name: z.string(),
  /** Null for workloads and addresses. */
  uid: z.string().nullable(),
  /** Of a workload: Deployment, StatefulSet and the like. */
  workloadKind: z.string().nullable(),
  node: z.string().nullable(),
  living: z.boolean(),
  /** When it ended; null while it lives. */
  last: instant.nullable(),
});

export const findSchema = z.strictObject({
  query: query.extend({ text: z.string() }),
  ...narrowed,
  /** Exact matches first, then beginnings, then parts; the living before the gone. */
  matches: z.array(foundSchema).readonly(),
  /** False: the search ended before the records did, or more matched than were asked for. */
  complete: z.boolean(),
});

export type FoundDocument = z.infer<typeof foundSchema>;
export type FindDocument = z.infer<typeof findSchema>;
