// The whole API over one ledger, with its description.

import { liveRoute } from '../live/live-route.ts';
import { openApiRoute } from '../openapi/openapi.ts';
import type { AskedLedger } from './asked-ledger.ts';
import { type AttributeLog, attributeRoute } from './attribute-route.ts';
import { clustersRoute, type StoreCounts, statsRoute } from './clusters-route.ts';
import type { Operation } from './operation.ts';
import { questionRoutes } from './question-routes.ts';
import { type TrackerSource, trackersRoute } from './trackers-route.ts';
import { whoBatch } from './who-batch.ts';

export interface ApiOptions {
  readonly ledger: AskedLedger;
  /** Of podtrail. */
  readonly version: string;
  /** How much the store holds; without it there is no /api/v1/stats. */
  readonly status?: (() => Promise<StoreCounts>) | undefined;
  /** What reads and writes rows; without it there is no /api/v1/attribute. */
  readonly attribute?: AttributeLog | undefined;
  /** Those of the cluster, where an operator follows them; without it there is no /api/v1/trackers. */
  readonly trackers?: TrackerSource | undefined;
  /** What is served and described beside the questions: commands, tools. */
  readonly more?: readonly Operation[] | undefined;
}

export function apiRoutes(options: ApiOptions): readonly Operation[] {
  const { ledger, version, status, attribute, trackers, more = [] } = options;
  const operations: Operation[] = [
    ...questionRoutes(ledger),
    whoBatch(ledger),
    clustersRoute(ledger),
    liveRoute(ledger),
  ];
  if (attribute !== undefined) operations.push(attributeRoute(ledger, attribute));
  if (status !== undefined) operations.push(statsRoute(ledger, status));
  if (trackers !== undefined) operations.push(trackersRoute(trackers));
  operations.push(...more);
  return [...operations, openApiRoute(operations, version)];
}
