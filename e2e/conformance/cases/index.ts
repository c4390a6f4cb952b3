// All areas, in the order of the table.
import type { Area } from '../case.ts';
import { access } from './access.ts';
import { badRequests } from './bad-requests.ts';
import { discovery } from './discovery.ts';
import { objects } from './objects.ts';
import { patch } from './patch.ts';

export const AREAS: readonly Area[] = [discovery, objects, patch, badRequests, access];
