// The four answers of `who`.
import { z } from 'zod';
import { answeredHolderSchema, evidenceSchema } from './holder.ts';
import { narrowed, peers } from './listing.ts';
import { instant, query } from './query.ts';

const scope = z.union([
  z.literal('cluster'),
  z.literal('pods'),
  z.strictObject({ namespaces: z.array(z.string()).readonly() }),
]);

const answerRest = {
  ...narrowed,
  ...peers,
  query: query.extend({ ip: z.string(), at: instant }),
  provisional: z.boolean(),
  coverage: z.strictObject({
    scope: scope.nullable(),
    from: instant.nullable(),
    to: instant.nullable(),
    gaps: z.array(z.strictObject({ from: instant, to: instant, reason: z.string() })).readonly(),
  }),
  evidence: z.array(evidenceSchema).readonly(),
};

export const whoSchema = z.discriminatedUnion('answer', [
  z.strictObject({
    ...answerRest,
    answer: z.literal('held'),
    holders: z.tuple([answeredHolderSchema]).readonly(),
    basis: z.literal('traffic').exactOptional(),
  }),
  z.strictObject({
    ...answerRest,
    answer: z.literal('free'),
    reason: z.literal('outside').exactOptional(),
    holders: z.tuple([]).readonly(),
    last: answeredHolderSchema.exactOptional(),
    next: answeredHolderSchema.exactOptional(),
  }),
  z.strictObject({
    ...answerRest,
    answer: z.literal('ambiguous'),
    holders: z.tuple([answeredHolderSchema], answeredHolderSchema).readonly(),
  }),
  z.strictObject({
    ...answerRest,
    answer: z.literal('unknown'),
    reason: z.enum([
      ...(['before-first-record', 'gap', 'expired', 'after-last-record', 'not-watched'] as const),
      ...(['in-the-future', 'damaged', 'not-visible'] as const),
    ]),
    holders: z.tuple([]).readonly(),
  }),
]);

export type WhoDocument = z.infer<typeof whoSchema>;
