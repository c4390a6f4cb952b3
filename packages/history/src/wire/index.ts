// What every door asks and sends: questions on a snapshot, and the documents of version 1. CLI, HTTP, the aggregated API
// and the page import this and nothing deeper. The schemas are apart (wire/schemas), for those who validate.

// What the questions take and give, so that a door needs nothing deeper.
export type { Point } from '../engines/points.ts';
export type { Cluster, LedgerReader, Paged, Snapshot, Span, Subject } from '../engines/snapshot.ts';
export { withSnapshot } from '../engines/with-snapshot.ts';
export {
  CAUSE_GUIDE,
  CAUSES,
  type Cause,
  type CauseChoice,
  chosenCauses,
  lifecycle,
  type Milestone,
  type Move,
  type Successor,
  type Verdict,
} from '../explain/index.ts';
export type { Boundary } from '../model/boundary.ts';
export type { Evidence } from '../model/evidence.ts';
export { type IpAddress, parseIp } from '../model/ip-address.ts';
export type { PodLife } from '../model/pod-life.ts';
export type { Anomaly, Change, Coverage, Holder, Placement } from '../model/records.ts';
export { type EpochMillis, epochMillis, NOT_KNOWN_YET } from '../model/time.ts';
export { AddressWindow } from '../query/address-window.ts';
export type { Answer, AnsweredHolder, AnswerKind } from '../query/answer.ts';
export { LONGEST_SPAN_MS } from '../query/limits.ts';
export { LIVENESS_MS } from '../query/liveness.ts';
export type { NodePod } from '../query/node-pods.ts';
export { type Doubt, doubtText } from '../query/why-in-doubt.ts';
export { ipv4Text } from '../query/window-cache.ts';
export type { JoinedReader, PeerReport } from '../union/joined-reader.ts';
export { addressOf } from './address.ts';
export { type AnomaliesAsked, type AnomaliesFound, anomalyDocument, askAnomalies } from './anomalies.ts';
export { type Asked, type AskedSpan, beginningOf, clusterDocument, spanDocument } from './asked.ts';
export {
  type AskAttributions,
  type Attributed,
  type Attribution,
  type AttributionWindows,
  askAttributions,
  attributionDocument,
  MALFORMED,
  NOTHING_ASKED,
} from './attribution.ts';
export {
  askChanges,
  type ChangesAsked,
  type ChangesFound,
  type ChangesRead,
  changeDocument,
  changeKind,
  readChanges,
} from './changes.ts';
export { endedPods } from './ended-pods.ts';
export type { Ending } from './ending.ts';
export { askExplain, type ExplainAsked, type ExplainFound } from './explain.ts';
export { askGaps, type GapsAsked, type GapsFound } from './gaps.ts';
export { answeredHolderDocument, boundaryDocument, endDocument, evidenceDocument, holderDocument } from './holder.ts';
export { askMoves, type MovesAsked, type MovesFound, moveDocument } from './moves.ts';
export { ALL_VISIBLE, type Visibility } from './narrowed.ts';
export { nearest } from './nearest.ts';
export { neverSeenNode, neverSeenPod, type Search } from './never-seen.ts';
export { changeSentence, changeVerdict, type NodeChange } from './node-changes.ts';
export { askNode, type NodeAsked, type NodeFound, type NodeStay, nodePodDocument } from './node-pods.ts';
export { collect, type Paging, pagingDocument } from './paging.ts';
export { askPlacements, listPlacements, type PlacementsAsked, type PlacementsFound } from './placements.ts';
export type {
  AnomaliesDocument,
  AnomalyDocument,
  AnsweredHolderDocument,
  AttributionDocument,
  BoundaryDocument,
  ChangeDocument,
  ChangesDocument,
  EvidenceDocument,
  ExplainDocument,
  FindDocument,
  FoundDocument,
  GapDocument,
  GapsDocument,
  HolderDocument,
  LaneDocument,
  MoveDocument,
  MovedDocument,
  MovesDocument,
  NodeDocument,
  NodePodDocument,
  NodesDocument,
  StayDocument,
  TimelineDocument,
  TrailDocument,
  WatchingDocument,
  WhoDocument,
} from './schemas/index.ts';
export { isNamed, parseSubject, subjectPhrase } from './subject.ts';
export { CONTRADICTED, inUse } from './traffic.ts';
export {
  askStays,
  askTrail,
  type ExplainedStay,
  type Stay,
  stayDocument,
  type TrailAsked,
  type TrailFound,
} from './trail.ts';
export {
  asFarAsKnown,
  gapDocument,
  openUntil,
  readWatching,
  type Unwatched,
  type Watched,
  type Watching,
  watchedFromTo,
  watchingDocument,
} from './watching.ts';
export { askWho, type WhoAsked, type WhoFound, whoDocument } from './who.ts';
