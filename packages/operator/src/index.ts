// The recorder, and later the controllers and the doors.

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
export type { StoredBatch } from './recorder/commit-queue.ts';
export type { Problem, StreamStatus } from './recorder/followed-stream.ts';
export { Recorder, type RecorderOptions, type RecorderStatus } from './recorder/recorder.ts';
export type { FollowedResource, Housekept, RecorderListener } from './recorder/recorder-listener.ts';
