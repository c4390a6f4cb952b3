// What the cluster reported that cannot be right.
import { z } from 'zod';
import { evidenceSchema } from './holder.ts';
import { paging, watchingSchema } from './listing.ts';
import { askedSpan, query } from './query.ts';

export const anomalySchema = z.strictObject({
  what: z.enum(['node-changed', 'clock-skew', 'unparsable-address']),
  /** Of the object: a pod, a node or a Service. */
  uid: z.string(),
  detail: z.string(),
  evidence: evidenceSchema,
});

export const anomaliesSchema = z.strictObject({
  query: query.extend(askedSpan),
  anomalies: z.array(anomalySchema).readonly(),
  ...paging,
  coverage: watchingSchema,
});

export type AnomalyDocument = z.infer<typeof anomalySchema>;
export type AnomaliesDocument = z.infer<typeof anomaliesSchema>;
