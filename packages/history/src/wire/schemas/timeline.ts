// Intervals on a time axis, as columns.
import { z } from 'zod';
import { narrowed, watchingSchema } from './listing.ts';
import { instant, query, subject } from './query.ts';

const laneSchema = z.strictObject({
  id: z.string(),
  label: z.string(),
  namespace: z.string().nullable(),
  /** Node, Pod, Service, or the kind of a workload; null for addresses, and for pods without a workload. */
  kind: z.string().nullable(),
});

const strings = z.array(z.string()).readonly();

const numbers = z.array(z.int()).readonly();

const numbersOrNull = z.array(z.int().nullable()).readonly();

/** Times are milliseconds since `base`; columns of the same length stand for one record each. */
export const timelineSchema = z.strictObject({
  query: query.extend({
    by: z.enum(['node', 'workload', 'pod', 'ip']),
    since: instant,
    until: instant,
    subject: z.strictObject(subject).nullable(),
    node: z.string().nullable(),
    namespace: z.string().nullable(),
    ...{ most: z.int(), buckets: z.int(), lanes: z.int() },
  }),
  ...narrowed,
  /** Epoch milliseconds: `since`. */
  base: z.int(),
  /** `density`: there are more intervals than `most`, and only counts are given. */
  detail: z.enum(['intervals', 'density']),
  /** In the order of their names, pods of one name by their starts, addresses by their numbers. */
  lanes: z.array(laneSchema).readonly(),
  moreLanes: z.boolean(),
  /** What columns of `holders` count in: kinds, namespaces, nodes, workloads. Each is there once. */
  texts: z.array(z.string()).readonly(),
  /** Each holder once, a place in every column; `hostNetwork` lists the places of those that have it. */
  holders: z.strictObject({
    ...{ name: strings, uid: strings },
    ...{ kind: numbers, namespace: numbers, node: numbers },
    /** -1 without a workload. */
    ...{ workloadKind: numbers, workload: numbers },
    hostNetwork: numbers,
  }),
  ips: strings,
  /** In the order of lanes, then of starts. `lane`, `holder` and `ip` are places in the lists above. */
  intervals: z.strictObject({
    ...{ lane: numbers, holder: numbers },
    /** Milliseconds since `base`; `end` is null while it lasts. */
    ...{ start: numbers, end: numbersOrNull },
    /** By how many milliseconds it may have begun or ended earlier or later; null where nothing bounds it. */
    ...{ startEarlier: numbers, startLater: numbersOrNull, endEarlier: numbersOrNull, endLater: numbersOrNull },
    /** Only where addresses are read: with lanes by `ip`, and of an address or a Service. */
    ip: numbers,
  }),
  /** How many of a lane there were within each bucket; what is not listed is 0. */
  density: z.strictObject({ bucketMs: z.int(), lane: numbers, bucket: numbers, count: numbers }),
  /** Of all lanes, also of those that are not given. */
  histogram: z.strictObject({ bucketMs: z.int(), departures: numbers, arrivals: numbers }),
  coverage: watchingSchema,
});

export type LaneDocument = z.infer<typeof laneSchema>;
export type TimelineDocument = z.infer<typeof timelineSchema>;
