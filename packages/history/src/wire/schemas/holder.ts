// Who held an address or was on a node, from when to when, and which observation says so.
import { z } from 'zod';
import { instant } from './query.ts';

export const boundarySchema = z.strictObject({
  at: instant,
  notBefore: instant,
  /** 9999-12-31 while nothing bounds it. */
  notAfter: instant,
  source: z.enum(['watch', 'list', 'inferred', 'audit', 'import']),
});

export const evidenceSchema = z.strictObject({
  source: boundarySchema.shape.source,
  epoch: z.int(),
  resourceVersion: z.string(),
  observedAt: instant,
  /** Which replica observed it, where several were asked. */
  collector: z.string().exactOptional(),
});

export const holderSchema = z.strictObject({
  kind: z.enum(['Pod', 'Node', 'Service']),
  namespace: z.string(),
  name: z.string(),
  /** Deprecated: the same as `name`, for every kind. */
  pod: z.string(),
  uid: z.string(),
  node: z.string(),
  workload: z
    .strictObject({ kind: z.string(), name: z.string(), inferred: z.literal(true).exactOptional() })
    .nullable(),
  hostNetwork: z.boolean(),
});

export const times = { start: boundarySchema, end: boundarySchema.nullable() };

export const answeredHolderSchema = z.strictObject({
  ...holderSchema.shape,
  ...times,
  /** Of a candidate. */
  why: z.strictObject({ code: z.string(), text: z.string() }).exactOptional(),
});

export type BoundaryDocument = z.infer<typeof boundarySchema>;
export type EvidenceDocument = z.infer<typeof evidenceSchema>;
export type HolderDocument = z.infer<typeof holderSchema>;
export type AnsweredHolderDocument = z.infer<typeof answeredHolderSchema>;
