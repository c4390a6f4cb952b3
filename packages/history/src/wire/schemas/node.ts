// Who was on a node, and who came and left.
import { z } from 'zod';
import { ending, successorSchema, verdict } from './ending.ts';
import { holderSchema, times } from './holder.ts';
import { paging, watchingSchema } from './listing.ts';
import { instant, query } from './query.ts';

export const nodePodSchema = z.strictObject({ ...holderSchema.shape, certain: z.boolean(), ...times, ...ending });

/** A pod came to a node, or left it. */
export const nodeChangeSchema = z.strictObject({
  at: instant,
  change: z.enum(['arrived', 'left']),
  ...holderSchema.shape,
  /** Of `arrived`: whose place it took, as far as is known; the cause is that of the predecessor's end. */
  predecessor: successorSchema.nullable(),
  /** Of `left`. */
  successor: successorSchema.nullable(),
  ...verdict,
});

export const nodeSchema = z.strictObject({
  query: z.union([
    query.extend({ node: z.string(), namespace: z.string().nullable(), at: instant }),
    query.extend({ node: z.string(), namespace: z.string().nullable(), since: instant, until: instant }),
  ]),
  pods: z.array(nodePodSchema).readonly(),
  /** Of a span: arrivals and departures of these pods, in the order of time. */
  changes: z.array(nodeChangeSchema).readonly().exactOptional(),
  ...paging,
  coverage: watchingSchema,
});

export type NodePodDocument = z.infer<typeof nodePodSchema>;
export type NodeChangeDocument = z.infer<typeof nodeChangeSchema>;
export type NodeDocument = z.infer<typeof nodeSchema>;
