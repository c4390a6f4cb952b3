// Who ended, why, and who took their place where.
import { z } from 'zod';
import { causeSchema, certaintySchema, successorSchema } from './ending.ts';
import { holderSchema } from './holder.ts';
import { paging, watchingSchema } from './listing.ts';
import { askedSpan, instant, order, query, subject } from './query.ts';

const moveSchema = z.strictObject({
  /** When the pod began to end. */
  at: instant,
  ...holderSchema.shape,
  /** Nodes; `to` is null where nobody took its place, as far as is known. */
  from: z.string(),
  to: z.string().nullable(),
  fromIps: z.array(z.string()).readonly(),
  toIps: z.array(z.string()).readonly(),
  successor: successorSchema.nullable(),
  cause: causeSchema,
  certainty: certaintySchema,
  sentence: z.string(),
  actor: z.string().exactOptional(),
  /** Ids, as `explain` lists them. */
  evidence: z.array(z.string()).readonly(),
  /** From unready to the readiness of its successor; null where one of them is not known. */
  downtimeMs: z.number().nullable(),
});

export const movesSchema = z.strictObject({
  query: query.extend({
    causes: z.array(causeSchema).readonly().nullable(),
    fromNode: z.string().nullable(),
    toNode: z.string().nullable(),
    namespace: z.string().nullable(),
    selector: z.string().exactOptional(),
    /** Where one was asked for. */
    subject: z.strictObject(subject).exactOptional(),
    order: order.exactOptional(),
    ...askedSpan,
  }),
  moves: z.array(moveSchema).readonly(),
  /** With a selector: how many pods of this page it could not judge, because their labels are not stored. */
  unjudged: z.int().exactOptional(),
  ...paging,
  coverage: watchingSchema,
});

export type MoveDocument = z.infer<typeof moveSchema>;
export type MovesDocument = z.infer<typeof movesSchema>;
