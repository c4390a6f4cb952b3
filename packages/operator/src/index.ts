// The recorder, and later the controllers and the doors.

export type { AnnotationChange, AnnotationReport } from './annotations/annotation-report.ts';
export {
  type AnnotationFailure,
  type AnnotationSummary,
  AnnotationWatcher,
  type AnnotationWatcherOptions,
} from './annotations/annotation-watcher.ts';
export {
  type ConversionAddress,
  ConversionEndpoint,
  type ConversionEndpointOptions,
} from './conversion/conversion-endpoint.ts';
export { GROUP, PODTRACKER_SLICES, PODTRACKERS, TRACKER_LABEL } from './crds/manifests.ts';
export type { Condition, PodTracker, PodTrackerSpec, PodTrackerStatus } from './crds/podtracker.ts';
export type { PodTrackerSlice } from './crds/podtracker-slice.ts';
export type { NodeEntry, PodEntry } from './crds/tracked-entries.ts';
export { configMapNames, type ListNames } from './footprints/config-map-names.ts';
export type { Footprint, FootprintCondition } from './footprints/footprint.ts';
export {
  FootprintRounds,
  type FootprintRoundsOptions,
  NotStored,
  type RoundNews,
} from './footprints/footprint-rounds.ts';
export {
  type FlushReport,
  HourlyConfigMaps,
  type HourlyConfigMapsOptions,
  type HourlyNews,
} from './footprints/hourly-config-maps.ts';
export type { Reuse } from './moves/address-reuse.ts';
export { MoveFollower, type MoveFollowerOptions } from './moves/move-follower.ts';
export type { MoveListener } from './moves/move-listener.ts';
export { PodTrackerController, type PodTrackerControllerOptions } from './podtracker/podtracker-controller.ts';
export { Selection } from './podtracker/selection.ts';
export type { WriteCounts } from './podtracker/tracker-pass.ts';
export { type AnomalyFields, anomalyReport } from './recorder/anomaly-report.ts';
export type { StoredBatch } from './recorder/commit-queue.ts';
export { EVIDENCE_RESOURCES, evidenceStreams } from './recorder/evidence/evidence-streams.ts';
export { streamFollowed } from './recorder/evidence/stream-loss.ts';
export type { Problem, StreamRole, StreamStatus } from './recorder/followed-stream.ts';
export type { LeaseRefusal, LeaseResult } from './recorder/lease-reader.ts';
export {
  type ClaimsStream,
  type EvidenceStream,
  RECORDED_STREAMS,
  type RecordedStream,
  stream,
} from './recorder/recorded-streams.ts';
export { Recorder } from './recorder/recorder.ts';
export type { ClockCorrection, EvidenceChange, Housekept, RecorderListener } from './recorder/recorder-listener.ts';
export type { RecorderOptions } from './recorder/recorder-options.ts';
export type { ClockStatus, RecorderStatus } from './recorder/recorder-status.ts';
export { daysLeft, isNearlyFull, type ReportRoom, RoomReport, WARN_AT } from './recorder/room-report.ts';
export { collectsSpentListings } from './recorder/spent-listing.ts';
