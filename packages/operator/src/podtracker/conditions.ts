// The conditions Ready, Degraded and Sliced: from what is the case to what status says, with a new transition time
// only where the answer changed.
import type { Condition } from '../crds/podtracker.ts';
import type { FootprintsState } from './footprint-reports.ts';
import { kubernetesTime } from './packed-entry.ts';

export type Health =
  /** Every selected pod that can be listed is. */
  | { readonly kind: 'listed' }
  /** The first, large fill is under way. */
  | { readonly kind: 'filling' }
  /** Tried often enough; tried again, slowly. */
  | { readonly kind: 'degraded'; readonly reason: string; readonly message: string };

export interface ConditionFacts {
  readonly health: Health;
  readonly sliced: boolean;
  /** Undefined if the tracker asks for no ConfigMaps. */
  readonly footprints?: FootprintsState | undefined;
  readonly generation: number;
  /** Wall clock. */
  readonly now: number;
}

/** How reasons begin that are about footprints. */
const FOOTPRINTS = 'Footprints';

type ConditionState = Pick<Condition, 'type' | 'status' | 'reason' | 'message'>;

/** Conditions of other types, should somebody have written any, are left as they are. */
export function nextConditions(previous: readonly Condition[], facts: ConditionFacts): Condition[] {
  const states = [ready(facts), degraded(previous, facts), sliced(facts)];
  const foreign = previous.filter(({ type }) => !states.some((state) => state.type === type));
  return [...states.map((state) => withTime(state, previous, facts)), ...foreign];
}

function withTime(
  state: ConditionState,
  previous: readonly Condition[],
  { generation, now }: ConditionFacts,
): Condition {
  const before = previous.find(({ type }) => type === state.type);
  const lastTransitionTime = before?.status === state.status ? before.lastTransitionTime : kubernetesTime(now);
  return { ...state, lastTransitionTime, observedGeneration: generation };
}

function ready({ health }: ConditionFacts): ConditionState {
  switch (health.kind) {
    case 'listed':
      return {
        type: 'Ready',
        status: 'True',
        reason: 'Listed',
        message: 'Every selected pod that has an address and has not ended is listed.',
      };
    case 'filling':
      return { type: 'Ready', status: 'False', reason: 'Filling', message: 'The slices are being filled.' };
    case 'degraded':
      return {
        type: 'Ready',
        status: 'False',
        reason: health.reason,
        message: `What is listed may be old: ${health.message}`,
      };
  }
}

/** What is listed goes first; footprints fail beside it, and leave Ready as it is. */
function degraded(previous: readonly Condition[], { health, footprints }: ConditionFacts): ConditionState {
  if (health.kind === 'degraded') {
    return { type: 'Degraded', status: 'True', reason: health.reason, message: health.message };
  }
  if (footprints?.kind === 'failing') {
    const { reason, message } = footprints;
    return { type: 'Degraded', status: 'True', reason: `${FOOTPRINTS}${reason}`, message };
  }
  if (footprints?.kind === 'unknown') {
    // A new leader neither takes back nor repeats what the one before found, until it has tried itself.
    const said = previous.find(({ type, reason }) => type === 'Degraded' && reason.startsWith(FOOTPRINTS));
    if (said !== undefined) return { type: said.type, status: said.status, reason: said.reason, message: said.message };
  }
  return { type: 'Degraded', status: 'False', reason: 'Working', message: '' };
}

function sliced(facts: ConditionFacts): ConditionState {
  if (facts.sliced) {
    // True also between 80 and 100, where it depends on where they come from.
    const message = 'Pods or nodes are in PodTrackerSlices: above 100 they go there, and back into status at 80.';
    return { type: 'Sliced', status: 'True', reason: 'TooManyForStatus', message };
  }
  return { type: 'Sliced', status: 'False', reason: 'FitsIntoStatus', message: 'Every entry is in status.' };
}
