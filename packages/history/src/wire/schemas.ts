// The documents of version 1, as schemas: what every door sends, and what readers may rely on. Types are inferred from
// them, so that builders and documents cannot differ; whoever only builds documents imports types and does not load zod.
import { z } from 'zod';
import { CAUSES } from '../explain/cause.ts';
import { MILESTONES } from '../explain/lifecycle.ts';
import { EVIDENCE_KINDS } from '../model/evidence.ts';

/** There where the asker may see some namespaces only. What is in others is neither in the document nor counted. */
const narrowed = { narrowed: z.literal(true).exactOptional() };

/** There where other replicas were asked, because this one was not watching all of the time. Without those, it is said. */
const peers = {
  peers: z
    .array(z.strictObject({ collector: z.string(), answered: z.boolean(), why: z.string().exactOptional() }))
    .readonly()
    .exactOptional(),
};

/** RFC 3339 in UTC, with milliseconds. */
const instant = z.iso.datetime({ precision: 3 });

const query = z.strictObject({ cluster: z.string(), clusterId: z.string() });

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

const times = { start: boundarySchema, end: boundarySchema.nullable() };

export const answeredHolderSchema = z.strictObject({
  ...holderSchema.shape,
  ...times,
  /** Of a candidate. */
  why: z.strictObject({ code: z.string(), text: z.string() }).exactOptional(),
});

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

const paging = { ...narrowed, ...peers, more: z.boolean(), cursor: z.string().nullable() };

export const gapSchema = z.strictObject({
  from: instant,
  /** Null: it goes on. */
  to: instant.nullable(),
  reason: z.enum([
    ...(['start', 'expired', 'rewound', 'clock', 'undecodable'] as const),
    ...(['before-first-record', 'not-watching', 'removed', 'in-the-future', 'pods-only'] as const),
  ]),
});

/** When the cluster was watched, and the gaps that touch the time asked about. */
export const watchingSchema = z.strictObject({
  from: instant.nullable(),
  to: instant.nullable(),
  gaps: z.array(gapSchema).readonly(),
});

const subject = {
  by: z.enum(['ip', 'service', 'uid', 'name', 'workload']),
  ip: z.string().exactOptional(),
  uid: z.string().exactOptional(),
  namespace: z.string().exactOptional(),
  kind: z.string().exactOptional(),
  name: z.string().exactOptional(),
};
const order = z.enum(['oldest', 'newest']);
const askedSpan = { since: instant.nullable(), until: instant.nullable() };

const causeSchema = z.enum(CAUSES);
const certaintySchema = z.enum(['certain', 'inferred']);

/** Of a pod whose life is stored. */
const lifeSchema = z.strictObject({
  lifecycle: z
    .array(
      z.strictObject({
        name: z.enum(MILESTONES),
        at: instant,
        /** Since the one before; null for the first. */
        afterMs: z.number().nullable(),
        detail: z.string(),
      }),
    )
    .readonly(),
  qosClass: z.string(),
  priority: z.int(),
  restarts: z.int(),
  endings: z
    .array(
      z.strictObject({
        container: z.string(),
        reason: z.string(),
        exitCode: z.int(),
        signal: z.int(),
        at: instant,
      }),
    )
    .readonly(),
});

/** `certain`: nobody else can have taken its place. */
const successorSchema = z.strictObject({ ...holderSchema.shape, certain: z.boolean() });

const verdict = {
  /** Null while it goes on, and where the cause is missing. */
  cause: causeSchema.nullable(),
  certainty: certaintySchema.nullable(),
  sentence: z.string().nullable(),
  actor: z.string().exactOptional(),
  /** It ended, and why was never recorded, or is not there any more. */
  causeMissing: z.enum(['not-recorded', 'expired']).exactOptional(),
};

/** Why a stay ended. A pod that has begun to end may still be there. */
const ending = {
  ...verdict,
  /** Who took its place, as far as is known. */
  successor: successorSchema.nullable(),
  life: lifeSchema.nullable(),
};
const endingSchema = z.strictObject(ending);

export const staySchema = z.strictObject({ ...holderSchema.shape, ip: z.string().nullable(), ...times, ...ending });

export const trailSchema = z.strictObject({
  query: query.extend({ ...subject, ...askedSpan }),
  stays: z.array(staySchema).readonly(),
  ...paging,
  coverage: watchingSchema,
});

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

export const gapsSchema = z.strictObject({ query: query.extend(askedSpan), ...paging, coverage: watchingSchema });

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
    order: order.exactOptional(),
    ...askedSpan,
  }),
  moves: z.array(moveSchema).readonly(),
  /** With a selector: how many pods of this page it could not judge, because their labels are not stored. */
  unjudged: z.int().exactOptional(),
  ...paging,
  coverage: watchingSchema,
});

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

const foundSchema = z.strictObject({
  kind: z.enum(['Pod', 'Workload', 'Node', 'Service', 'Address']),
  /** Null for what is in none, and for addresses. */
  namespace: z.string().nullable(),
  name: z.string(),
  /** Null for workloads and addresses. */
  uid: z.string().nullable(),
  /** Of a workload: Deployment, StatefulSet and the like. */
  workloadKind: z.string().nullable(),
  node: z.string().nullable(),
  living: z.boolean(),
  /** When it ended; null while it lives. */
  last: instant.nullable(),
});

export const findSchema = z.strictObject({
  query: query.extend({ text: z.string() }),
  ...narrowed,
  /** Exact matches first, then beginnings, then parts; the living before the gone. */
  matches: z.array(foundSchema).readonly(),
  /** False: the search ended before the records did, or more matched than were asked for. */
  complete: z.boolean(),
});

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
  /** In the order of their names, of addresses by their numbers. */
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

const count = z.int().nonnegative();

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
        workloads: z
          .array(z.strictObject({ namespace: z.string(), kind: z.string(), name: z.string(), pods: count }))
          .readonly(),
        otherPods: count,
        departures: z.partialRecord(causeSchema, count),
        /** Departures whose causes were not found in time. */
        departuresUnjudged: count,
        /** From the earlier instant to the later. */
        compared: z.strictObject({ arrived: count, left: count, stayed: count }).nullable(),
      }),
    )
    .readonly(),
  /** False: not all departures of the window were read and judged, or some have expired. */
  departuresComplete: z.boolean(),
  /** Moved, left, arrived, at most 2,000; null where nothing was compared. */
  moved: z.array(movedSchema).readonly().nullable(),
  movedMore: z.boolean(),
  coverage: watchingSchema,
});

export type NodesDocument = z.infer<typeof nodesSchema>;
export type MovedDocument = z.infer<typeof movedSchema>;
export type FoundDocument = z.infer<typeof foundSchema>;
export type FindDocument = z.infer<typeof findSchema>;
export type LaneDocument = z.infer<typeof laneSchema>;
export type TimelineDocument = z.infer<typeof timelineSchema>;
export type EvidenceNoteDocument = z.infer<typeof evidenceNoteSchema>;
export type ExplainDocument = z.infer<typeof explainSchema>;
export type EndingDocument = z.infer<typeof endingSchema>;
export type LifeDocument = z.infer<typeof lifeSchema>;
export type PredecessorDocument = z.infer<typeof predecessorSchema>;
export type SuccessorDocument = z.infer<typeof successorSchema>;
export type NodeChangeDocument = z.infer<typeof nodeChangeSchema>;
export type MoveDocument = z.infer<typeof moveSchema>;
export type MovesDocument = z.infer<typeof movesSchema>;
export type AttributedDocument = z.infer<typeof attributedSchema>;
export type NeighbourDocument = z.infer<typeof neighbourSchema>;
export type AttributionDocument = z.infer<typeof attributionSchema>;
export type BoundaryDocument = z.infer<typeof boundarySchema>;
export type EvidenceDocument = z.infer<typeof evidenceSchema>;
export type HolderDocument = z.infer<typeof holderSchema>;
export type AnsweredHolderDocument = z.infer<typeof answeredHolderSchema>;
export type WhoDocument = z.infer<typeof whoSchema>;
export type GapDocument = z.infer<typeof gapSchema>;
export type WatchingDocument = z.infer<typeof watchingSchema>;
export type StayDocument = z.infer<typeof staySchema>;
export type TrailDocument = z.infer<typeof trailSchema>;
export type NodePodDocument = z.infer<typeof nodePodSchema>;
export type NodeDocument = z.infer<typeof nodeSchema>;
export type ChangeDocument = z.infer<typeof changeSchema>;
export type ChangesDocument = z.infer<typeof changesSchema>;
export type GapsDocument = z.infer<typeof gapsSchema>;
export type AnomalyDocument = z.infer<typeof anomalySchema>;
export type AnomaliesDocument = z.infer<typeof anomaliesSchema>;
