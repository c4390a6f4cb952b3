// The documents of version 1, as schemas, a file for each: what every door sends, and what readers may rely on. Types are
// inferred from them, so that builders and documents cannot differ; whoever only builds documents imports types and does
// not load zod.
export { type AnomaliesDocument, type AnomalyDocument, anomaliesSchema, anomalySchema } from './anomalies.ts';
export {
  type AttributedDocument,
  type AttributionDocument,
  attributionSchema,
  type NeighbourDocument,
} from './attribution.ts';
export { type ChangeDocument, type ChangesDocument, changeSchema, changesSchema } from './changes.ts';
export type { EndingDocument, LifeDocument, SuccessorDocument } from './ending.ts';
export { type EvidenceNoteDocument, type ExplainDocument, explainSchema, type PredecessorDocument } from './explain.ts';
export { type FindDocument, type FoundDocument, findSchema } from './find.ts';
export { type GapsDocument, gapsSchema } from './gaps.ts';
export {
  type AnsweredHolderDocument,
  answeredHolderSchema,
  type BoundaryDocument,
  boundarySchema,
  type EvidenceDocument,
  evidenceSchema,
  type HolderDocument,
  holderSchema,
} from './holder.ts';
export { type GapDocument, gapSchema, type WatchingDocument, watchingSchema } from './listing.ts';
export { type MoveDocument, type MovesDocument, movesSchema } from './moves.ts';
export {
  type NodeChangeDocument,
  type NodeDocument,
  type NodePodDocument,
  nodeChangeSchema,
  nodePodSchema,
  nodeSchema,
} from './node.ts';
export { type MovedDocument, type NodesDocument, nodesSchema } from './nodes.ts';
export { type LaneDocument, type TimelineDocument, timelineSchema } from './timeline.ts';
export { type StayDocument, staySchema, type TrailDocument, trailSchema } from './trail.ts';
export { type WhoDocument, whoSchema } from './who.ts';
