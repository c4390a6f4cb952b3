// All areas, in the order of the table.
import type { Area } from '../case.ts';
import { access } from './access.ts';
import { badRequests } from './bad-requests.ts';
import { compaction } from './compaction.ts';
import { deletion } from './deletion.ts';
import { discovery } from './discovery.ts';
import { garbageCollection } from './garbage-collection.ts';
import { lists } from './lists.ts';
import { namespaces } from './namespaces.ts';
import { objects } from './objects.ts';
import { patch } from './patch.ts';
import { selectors } from './selectors.ts';
import { watch } from './watch.ts';

export const AREAS: readonly Area[] = [
  discovery,
  objects,
  patch,
  deletion,
  garbageCollection,
  namespaces,
  selectors,
  lists,
  watch,
  badRequests,
  access,
  compaction,
];
