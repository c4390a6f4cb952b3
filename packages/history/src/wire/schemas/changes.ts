// Changes of annotations.
import { z } from 'zod';
import { evidenceSchema } from './holder.ts';
import { paging, watchingSchema } from './listing.ts';
import { askedSpan, instant, order, query, subject } from './query.ts';

const changeValue = z
  .strictObject({ text: z.string(), cut: z.literal(true).exactOptional(), sha256: z.string().exactOptional() })
  .nullable();

export const changeSchema = z.strictObject({
  change: z.enum(['added', 'changed', 'removed', 'suppressed']),
  namespace: z.string(),
  name: z.string(),
  /** Deprecated: the same as `name`. */
  pod: z.string(),
  uid: z.string(),
  key: z.string(),
  before: changeValue,
  after: changeValue,
  suppressed: z.strictObject({ budget: z.enum(['pod', 'namespace']), changes: z.int(), last: instant }).exactOptional(),
  evidence: evidenceSchema,
});

export const changesSchema = z.strictObject({
  /** Without `by`: of all pods. */
  query: query.extend({
    ...{ ...subject, by: subject.by.exactOptional(), key: z.string().nullable(), order: order.exactOptional() },
    ...askedSpan,
  }),
  changes: z.array(changeSchema).readonly(),
  ...paging,
  coverage: watchingSchema,
});

export type ChangeDocument = z.infer<typeof changeSchema>;
export type ChangesDocument = z.infer<typeof changesSchema>;
