// history's public surface: what a recorder writes with, and what every door asks with.
export {
  type ClockDiagnosis,
  diagnoseClock,
  type RepairQuestion,
  repairClock,
} from './engines/clock-repair.ts';
export type { Engine } from './engines/engine.ts';
export type { Batch, LedgerWriter, Resumption, Writer } from './engines/ledger-writer.ts';
export { LineProblem } from './engines/occurrences/line.ts';
export { openStore, planMigration } from './engines/open-store.ts';
export { readFact } from './engines/read-fact.ts';
export { DEFAULT_SIZE_LIMIT, parseSize, parseSizeLimit, type SizeLimit } from './engines/size-limit.ts';
export type { Cluster, LedgerReader, Moment, Paged, Snapshot, Span, Subject } from './engines/snapshot.ts';
export type {
  ClusterStatus,
  Damage,
  Migration,
  Patrol,
  Patrolled,
  Room,
  RoomKept,
  StoreAdmin,
  StoreStatus,
  Verification,
} from './engines/store-admin.ts';
export { allRecords, withSnapshot } from './engines/with-snapshot.ts';
export { HistoryError } from './errors.ts';
export {
  CAUSES,
  type Case,
  type Cause,
  type CausesQuestion,
  type Check,
  causesOf,
  causeWords,
  explain,
  type FoundCause,
  isEvidenceVisible,
  isWantedDeparture,
  isWantedMove,
  lifecycle,
  MILESTONES,
  type Milestone,
  type Move,
  type MoveFilters,
  type MovesQuestion,
  mayBeReplaced,
  movePlace,
  moves,
  moveText,
  RESTATED_EVERY_MS,
  readCase,
  readLife,
  readMove,
  STILL_FOLLOWED,
  STILL_LOST,
  type Successor,
  type Verdict,
  visibleVerdict,
} from './explain/index.ts';
export { CauseObserver } from './explain/observe/cause-observer.ts';
export type { Boundary, Provenance, Source } from './model/boundary.ts';
export { EVIDENCE_KINDS, type Evidence, MOST_MESSAGE } from './model/evidence.ts';
export type { Fact, LiveState, StoredFact } from './model/fact.ts';
export { type IpAddress, parseIp } from './model/ip-address.ts';
export { type Departure, MOST_ENDINGS, type PodLife } from './model/pod-life.ts';
export type {
  Anomaly,
  Change,
  ChangeValue,
  Checkpoint,
  Conflict,
  Coverage,
  Holder,
  Placement,
  PossibleTenure,
  Scope,
  StreamPosition,
  Tenure,
  Workload,
} from './model/records.ts';
export { type EpochMillis, epochMillis, NOT_KNOWN_YET, toText } from './model/time.ts';
export { type ChangeBudgets, DEFAULT_CHANGE_BUDGETS } from './observe/change-budget.ts';
export { deserializeLive, storedFact } from './observe/live-state.ts';
export type { EvidenceObservation, Observation, Observed, ReportedEvidence } from './observe/observation.ts';
export { Observer, type ObserverOptions, type ObserverState } from './observe/observer.ts';
export { workloadOf } from './observe/workload.ts';
export type { AddressWindow } from './query/address-window.ts';
export { type AnomalySummary, anomalySummary } from './query/anomaly-summary.ts';
export type { Answer, AnswerCoverage, AnsweredHolder, AnswerKind, UnknownReason } from './query/answer.ts';
export { AnswerWindows } from './query/answer-windows.ts';
export { withDoubts } from './query/doubts.ts';
export { exportLines } from './query/export.ts';
export { type GapsQuestion, gaps } from './query/gaps.ts';
export { LARGEST_PAGE, LONGEST_SPAN_MS, type PageRequest } from './query/limits.ts';
export type { SpanCoverage } from './query/span-coverage.ts';
export type { Gap } from './query/watched-time.ts';
export { type WhoQuestion, who } from './query/who.ts';
export {
  type DuringAnswer,
  type DuringHolder,
  type DuringQuestion,
  type Overlap,
  whoDuring,
} from './query/who-during.ts';
export { type Doubt, type DoubtCode, doubtText } from './query/why-in-doubt.ts';
export { parseScenario } from './scenario/parse-scenario.ts';
export { type AskOutcome, runScenario } from './scenario/run-scenario.ts';
export type { Ask, Scenario, Statement } from './scenario/scenario.ts';
export { SpentHeap } from './spent-heap.ts';
export type { Joined, JoinedReader, PeerReport } from './union/joined-reader.ts';
export { type Part, partOf } from './union/part.ts';
export { UnionSnapshot } from './union/union-snapshot.ts';
