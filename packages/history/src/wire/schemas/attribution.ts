// What `attribute` puts beside a row of a flow log.
import { z } from 'zod';
import { instant } from './query.ts';

const attributedSchema = z.strictObject({
  kind: z.enum(['Pod', 'Node', 'Service']),
  namespace: z.string(),
  /** The name of the holder, whatever its kind. */
  pod: z.string(),
  uid: z.string(),
  node: z.string(),
  /** The parts of the row's window, 0 to 1, that may have been and certainly were its; not there for an instant. */
  overlap: z.number().exactOptional(),
  certain: z.number().exactOptional(),
});

const neighbourSchema = attributedSchema.omit({ overlap: true, certain: true }).extend({ at: z.string() });

/** What `attribute` puts beside a row, for each address of it. Empty texts where there is nothing to say. */
export const attributionSchema = z.strictObject({
  answer: z.enum(['held', 'free', 'ambiguous', 'unknown', 'malformed', '']),
  kind: z.enum(['Pod', 'Node', 'Service', '']),
  namespace: z.string(),
  pod: z.string(),
  uid: z.string(),
  node: z.string(),
  workload: z.string(),
  from: z.union([instant, z.literal('')]),
  to: z.union([instant, z.literal('')]),
  candidates: z.array(attributedSchema).readonly(),
  reason: z.enum(['outside', 'contradicted']).exactOptional(),
  basis: z.literal('traffic').exactOptional(),
  last: neighbourSchema.exactOptional(),
  next: neighbourSchema.exactOptional(),
});

export type AttributedDocument = z.infer<typeof attributedSchema>;
export type NeighbourDocument = z.infer<typeof neighbourSchema>;
export type AttributionDocument = z.infer<typeof attributionSchema>;
