// What /api/v1/timeline answers, as the page names its parts.
import type { LaneDocument, TimelineDocument } from '@podtrail/history/wire';

export type { TimelineDocument };
export type TimelineLane = LaneDocument;
export type TimelineHolder = TimelineDocument['holders'][number];
