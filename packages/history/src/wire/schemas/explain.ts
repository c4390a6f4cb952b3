// Why one pod ended, with the evidence in the order of time.
import { z } from 'zod';
import { EVIDENCE_KINDS } from '../../model/evidence.ts';
import { causeSchema, certaintySchema, lifeSchema, successorSchema } from './ending.ts';
import { boundarySchema, holderSchema } from './holder.ts';
import { narrowed, peers, watchingSchema } from './listing.ts';
import { instant, query, subject } from './query.ts';

const referenceSchema = z.strictObject({
  kind: z.string(),
  namespace: z.string(),
  name: z.string(),
  /** Empty where nobody says it. */
  uid: z.string(),
});

/** What was said or done about an object. */
const evidenceNoteSchema = z.strictObject({
  id: z.string(),
  at: instant,
  what: z.enum(EVIDENCE_KINDS),
  about: referenceSchema,
  reason: z.string(),
  message: z.string(),
  by: z.string(),
  related: referenceSchema.exactOptional(),
  count: z.int(),
  source: boundarySchema.shape.source,
  /** The verdict rests on it. */
  used: z.boolean(),
});

const predecessorSchema = z.strictObject({
  ...successorSchema.shape,
  cause: causeSchema,
  certainty: certaintySchema,
  sentence: z.string(),
});

export const explainSchema = z.strictObject({
  query: query.extend({ ...subject, at: instant }),
  ...narrowed,
  ...peers,
  /** Null: there is no record of such a pod. */
  pod: holderSchema.nullable(),
  isAlive: z.boolean(),
  cause: causeSchema.nullable(),
  certainty: certaintySchema.nullable(),
  sentence: z.string().nullable(),
  actor: z.string().exactOptional(),
  /** What to look at next. */
  hint: z.string().exactOptional(),
  ended: instant.nullable(),
  successor: successorSchema.nullable(),
  /** From unready to the readiness of its successor; null where one of them is not known. */
  downtimeMs: z.number().nullable(),
  /** Whose place it took, and why that was free. */
  predecessor: predecessorSchema.nullable(),
  /** Other pods that had its name, oldest first. */
  otherLives: z.array(z.strictObject({ uid: z.string(), node: z.string(), created: instant })).readonly(),
  lifecycle: lifeSchema.shape.lifecycle,
  qosClass: z.string().nullable(),
  priority: z.int().nullable(),
  restarts: z.int().nullable(),
  endings: lifeSchema.shape.endings,
  evidence: z.array(evidenceNoteSchema).readonly(),
  /** Streams of evidence that nobody watched then. */
  unwatched: z.array(z.string()).readonly(),
  coverage: watchingSchema,
});

export type EvidenceNoteDocument = z.infer<typeof evidenceNoteSchema>;
export type PredecessorDocument = z.infer<typeof predecessorSchema>;
export type ExplainDocument = z.infer<typeof explainSchema>;
