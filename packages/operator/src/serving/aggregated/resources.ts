// The resources of the aggregated API, all of them. A new one is added here, and nowhere else.
import { CHANGES } from './changes.ts';
import { GAPS } from './gaps.ts';
import { MOVES } from './moves.ts';
import { PLACEMENTS } from './placements.ts';
import type { HistoryResource } from './resource.ts';
import { TENURES } from './tenures.ts';

export const RESOURCES: readonly HistoryResource[] = [TENURES, PLACEMENTS, MOVES, CHANGES, GAPS];
