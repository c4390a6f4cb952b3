// All nodes at an instant, and what changed since another.
import { z } from 'zod';
import { causeSchema } from './ending.ts';
import { narrowed, watchingSchema } from './listing.ts';
import { instant, query } from './query.ts';

const count = z.int().nonnegative();

const workloadCounts = z
  .array(z.strictObject({ namespace: z.string(), kind: z.string(), name: z.string(), pods: count }))
  .readonly();

const movedSchema = z.strictObject({
  namespace: z.string(),
  name: z.string(),
  uid: z.string(),
  workload: z.strictObject({ kind: z.string(), name: z.string() }).nullable(),
  /** Nodes. They are the same where a successor came to the same node. */
  from: z.string().nullable(),
  to: z.string().nullable(),
  change: z.enum(['arrived', 'left', 'moved']),
  /** Of `moved`. */
  successor: z.strictObject({ name: z.string(), uid: z.string() }).nullable(),
  /** False: another pod of its workload, which need not have taken this very place. */
  certain: z.boolean(),
});

export const nodesSchema = z.strictObject({
  query: query.extend({
    at: instant,
    against: instant.nullable(),
    namespace: z.string().nullable(),
    workload: z.string().nullable(),
    /** Seconds before `at` in which departures are counted. */
    window: count,
  }),
  ...narrowed,
  /** By their names; with 0 pods, too, where the ledger knows them. */
  nodes: z
    .array(
      z.strictObject({
        node: z.string(),
        /** With those that may have been there. */
        pods: count,
        inDoubt: count,
        hostNetwork: count,
        /** The 12 that have most pods here. */
        workloads: workloadCounts,
        /** Of other workloads, or of none. */
        otherPods: count,
        /** Of the workload that was asked for; null where none was. */
        workloadPods: count.nullable(),
        departures: z.partialRecord(causeSchema, count),
        /** Departures whose causes were not found in time. */
        departuresUnjudged: count,
        /** From the earlier instant to the later. */
        compared: z.strictObject({ arrived: count, left: count, stayed: count }).nullable(),
      }),
    )
    .readonly(),
  /** All that had pods then on any node, those with most pods first. */
  workloads: workloadCounts,
  /** False: not all departures of the window were read and judged, or some have expired. */
  departuresComplete: z.boolean(),
  /** Moved, left, arrived, at most 2,000; null where nothing was compared. */
  moved: z.array(movedSchema).readonly().nullable(),
  movedMore: z.boolean(),
  coverage: watchingSchema,
});

export type MovedDocument = z.infer<typeof movedSchema>;
export type NodesDocument = z.infer<typeof nodesSchema>;
