// All areas, in the order of the table.
import type { Area } from '../case.ts';
import { access } from './access.ts';
import { badRequests } from './bad-requests.ts';
import { compaction } from './compaction.ts';
import { customResources } from './custom-resources.ts';
import { deletion } from './deletion.ts';
import { discovery } from './discovery.ts';
import { dryRun } from './dry-run.ts';
import { eventsAndLeases } from './events-and-leases.ts';
import { fieldTypes } from './field-types.ts';
import { garbageCollection } from './garbage-collection.ts';
import { lists } from './lists.ts';
import { namespaces } from './namespaces.ts';
import { objects } from './objects.ts';
import { patch } from './patch.ts';
import { patchRefusals } from './patch-refusals.ts';
import { podAddresses } from './pod-addresses.ts';
import { representations } from './representations.ts';
import { schemas } from './schemas.ts';
import { selectors } from './selectors.ts';
import { sizes } from './sizes.ts';
import { evictions, scale } from './subresources.ts';
import { transport } from './transport.ts';
import { watch } from './watch.ts';
import { workloads } from './workloads.ts';

export const AREAS: readonly Area[] = [
  discovery,
  objects,
  patch,
  patchRefusals,
  deletion,
  garbageCollection,
  namespaces,
  selectors,
  lists,
  watch,
  podAddresses,
  representations,
  workloads,
  scale,
  evictions,
  eventsAndLeases,
  customResources,
  schemas,
  dryRun,
  sizes,
  fieldTypes,
  badRequests,
  access,
  transport,
  compaction,
];
