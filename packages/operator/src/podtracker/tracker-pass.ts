// One pass over one PodTracker: slices, then status, then what became superfluous. Whoever reads meanwhile may see a
// pod in two places for a moment, never in none. Called by the controller, one pass per tracker at a time.
import {
  ApiError,
  type Clock,
  DONE,
  type EventRecorder,
  exponentialDelay,
  isConflict,
  isNotFound,
  MachineryError,
  type Outcome,
  type ResourceClient,
  requeueAfter,
  retry,
} from '@podtrail/machinery';
import type { PodTracker } from '../crds/podtracker.ts';
import type { PodTrackerSlice } from '../crds/podtracker-slice.ts';
import { mergeDiff } from './merge-diff.ts';
import { hasOldFinalizer, withoutOldFinalizer } from './old-finalizer.ts';
import type { SliceWrite } from './plan-slices.ts';
import { serverSentence } from './server-sentence.ts';
import type { Holds } from './slice-view.ts';
import { FIELD_MANAGER, keysOf, SliceWriter } from './slice-writer.ts';
import type { Tracked } from './tracked.ts';

export interface TrackerPassOptions {
  readonly clock: Clock;
  /** Fenced, like `slices`: refuses to write when this process does not lead. */
  readonly trackers: ResourceClient<PodTracker>;
  readonly slices: ResourceClient<PodTrackerSlice>;
  readonly events?: Pick<EventRecorder, 'record'> | undefined;
  /** Failures in a row before the tracker is called degraded. Default 5. */
  readonly degradedAfter?: number | undefined;
}

export interface WriteCounts {
  status: number;
  slices: number;
  conflicts: number;
  /** Trackers that could not take in what was delivered. */
  failures: number;
}

/** No slice is written more often. */
export const LEAST_BETWEEN_MS = 1000;
/** A fill of more slices than this says so in status before it begins. */
const LARGE_FILL = 50;
/** Slices are compacted when they have been sparse for so long: most holes are filled again by the next rollout. */
const SPARSE_FOR_MS = 30_000;
/** And then one step after the other, this far apart. */
const BETWEEN_STEPS_MS = 5_000;
const CONFLICT_WAIT = { firstMs: 100, longestMs: 10_000 };

/** What a tracker's passes remember of each other. */
interface Course {
  notBefore: number;
  written: number;
  conflicts: number;
  failures: number;
  /** When the next step of drawing slices together is due; undefined while they are not sparse. */
  nextStep: number | undefined;
}

type Plans = readonly (readonly [Holds, readonly SliceWrite[]])[];

/** Why a pass ended early; turned into an outcome at its edge. */
class PlanAgain extends Error {}

export class TrackerPass {
  readonly counts: WriteCounts = { status: 0, slices: 0, conflicts: 0, failures: 0 };
  readonly #options: TrackerPassOptions;
  readonly #writer: SliceWriter;
  readonly #courses = new WeakMap<Tracked, Course>();

  constructor(options: TrackerPassOptions) {
    this.#options = options;
    this.#writer = new SliceWriter({
      slices: options.slices,
      onWrite: (tracked) => this.#count(tracked, 'slices'),
    });
  }

  /** Never rejects for anything that a server may answer. A failure is retried by the controller, slower each time. */
  async run(tracked: Tracked, signal: AbortSignal): Promise<Outcome> {
    const course = this.#courseOf(tracked);
    const { clock } = this.#options;
    const isLeaving = tracked.tracker.metadata.deletionTimestamp !== undefined;
    const early = course.notBefore - clock.monotonic();
    if (early > 0 && !isLeaving) return requeueAfter(early);
    const before = course.written;
    try {
      await this.#dropOldFinalizer(tracked, signal);
      // Of one that is being deleted nothing is kept up any more; what it leaves behind is collected once it is gone.
      if (!isLeaving) await this.#bringTogether(tracked, course, signal);
      course.failures = 0;
      course.conflicts = 0;
      return isLeaving ? DONE : this.#untilNextStep(tracked, course);
    } catch (error) {
      return await this.#judge(tracked, course, error, signal);
    } finally {
      if (course.written > before) course.notBefore = clock.monotonic() + LEAST_BETWEEN_MS;
    }
  }

  /** With nothing to compact there is no next pass: idle costs nothing. */
  #untilNextStep(tracked: Tracked, course: Course): Outcome {
    if (!tracked.isSparse) {
      course.nextStep = undefined;
      return DONE;
    }
    const now = this.#options.clock.monotonic();
    course.nextStep ??= now + SPARSE_FOR_MS;
    return requeueAfter(Math.max(course.nextStep - now, LEAST_BETWEEN_MS));
  }

  async #bringTogether(tracked: Tracked, course: Course, signal: AbortSignal): Promise<void> {
    tracked.catchUp();
    tracked.decide();
    const now = this.#options.clock.monotonic();
    const isDue = course.nextStep !== undefined && course.nextStep <= now;
    if (isDue) course.nextStep = now + BETWEEN_STEPS_MS;
    const plans: Plans = [
      ['pods', tracked.planSlices('pods', isDue)],
      ['nodes', tracked.planSlices('nodes', isDue)],
    ];
    try {
      await this.#carryOut(tracked, plans, signal);
    } catch (error) {
      // Whatever was not come to must be looked at again; what was written will be found to be right.
      for (const [holds, plan] of plans) tracked.again(holds, plan.flatMap(keysOf));
      throw error;
    }
  }

  async #carryOut(tracked: Tracked, plans: Plans, signal: AbortSignal): Promise<void> {
    const writes = plans.reduce((sum, [, plan]) => sum + plan.length, 0);
    if (writes > LARGE_FILL) await this.#writeFilling(tracked, signal);
    for (const [holds, plan] of plans) {
      const fills = plan.filter(({ kind }) => kind !== 'delete');
      await this.#writeSlices(tracked, holds, fills, signal);
    }
    // Too many for status since the plan was made, or few enough again.
    if (tracked.decide()) throw new PlanAgain();
    const deletions = plans.map(([holds, plan]) => [holds, plan.filter(({ kind }) => kind === 'delete')] as const);
    const leaving = Object.fromEntries(deletions.map(([holds, plan]) => [holds, plan.length]));
    const status = tracked.wantedStatus({ kind: 'listed' }, this.#options.clock.now(), leaving);
    await this.#patchStatus(tracked, status, signal);
    for (const [holds, plan] of deletions) await this.#writeSlices(tracked, holds, plan, signal);
  }

  async #writeSlices(tracked: Tracked, holds: Holds, plan: readonly SliceWrite[], signal: AbortSignal): Promise<void> {
    if (plan.length === 0) return;
    const { error, conflicts } = await this.#writer.write(tracked, holds, plan, signal);
    this.counts.conflicts += conflicts;
    if (error !== undefined) throw error;
    if (conflicts > 0) throw new PlanAgain();
  }

  async #writeFilling(tracked: Tracked, signal: AbortSignal): Promise<void> {
    const wanted = tracked.wantedStatus({ kind: 'filling' }, this.#options.clock.now());
    const { pods, nodes, counts } = tracked.tracker.status ?? {};
    // Nothing leaves status before it is in a slice.
    const status = { ...wanted, pods, nodes, counts };
    await this.#patchStatus(tracked, status, signal);
  }

  /** Nothing is sent when nothing differs. */
  async #patchStatus(tracked: Tracked, wanted: Record<string, unknown>, signal: AbortSignal): Promise<void> {
    const { metadata, status = {} } = tracked.tracker;
    const diff = mergeDiff(status, wanted);
    if (diff === undefined) return;
    const body = { metadata: { resourceVersion: metadata.resourceVersion }, status: diff };
    const options = { subresource: 'status', fieldManager: FIELD_MANAGER, signal };
    tracked.learnTracker(await this.#options.trackers.patch(tracked.name, { kind: 'merge', body }, options));
    this.#count(tracked, 'status');
  }

  async #dropOldFinalizer(tracked: Tracked, signal: AbortSignal): Promise<void> {
    if (!hasOldFinalizer(tracked.tracker)) return;
    const { resourceVersion } = tracked.tracker.metadata;
    const body = { metadata: { resourceVersion, finalizers: withoutOldFinalizer(tracked.tracker) } };
    const options = { fieldManager: FIELD_MANAGER, signal };
    tracked.learnTracker(await this.#options.trackers.patch(tracked.name, { kind: 'merge', body }, options));
  }

  /** Conflicts are no failure: read again, wait a little longer each time. Failures are reported after the Nth. */
  async #judge(tracked: Tracked, course: Course, error: unknown, signal: AbortSignal): Promise<Outcome> {
    if (signal.aborted) return retry(error);
    if (error instanceof MachineryError && error.code === 'not-leader') return requeueAfter(LEAST_BETWEEN_MS);
    if (error instanceof PlanAgain || isConflict(error) || isNotFound(error)) {
      if (!(error instanceof PlanAgain)) {
        this.counts.conflicts++;
        await this.#reread(tracked, signal);
      }
      return requeueAfter(exponentialDelay(CONFLICT_WAIT, course.conflicts++));
    }
    course.failures++;
    const { degradedAfter = 5 } = this.#options;
    // What cannot be selected by is not going to mend itself: that is reported at once.
    if (tracked.problem !== undefined || course.failures >= degradedAfter)
      await this.#sayDegraded(tracked, error, signal);
    return retry(error);
  }

  async #reread(tracked: Tracked, signal: AbortSignal): Promise<void> {
    try {
      tracked.learnTracker(await this.#options.trackers.get(tracked.name, { signal }));
    } catch {
      // Gone, or not to be had now: the informer will deliver it, and the next pass tries again.
    }
  }

  async #sayDegraded(tracked: Tracked, error: unknown, signal: AbortSignal): Promise<void> {
    const { reason, message } = complaintOf(tracked, error);
    this.#recordEvent(tracked, 'Degraded', `The tracker cannot be kept up to date: ${message}`);
    try {
      const { pods, nodes, counts } = tracked.tracker.status ?? {};
      const wanted = tracked.wantedStatus({ kind: 'degraded', reason, message }, this.#options.clock.now());
      await this.#patchStatus(tracked, { ...wanted, pods, nodes, counts }, signal);
    } catch {
      // If status cannot be written either, the Event and the log have to do.
    }
  }

  #recordEvent(tracked: Tracked, reason: string, note: string): void {
    const { name, uid } = tracked;
    const regarding = { apiVersion: 'podtrail.dev/v1', kind: 'PodTracker', name, uid };
    this.#options.events?.record({ regarding, type: 'Warning', reason, note });
  }

  #courseOf(tracked: Tracked): Course {
    const known = this.#courses.get(tracked);
    if (known !== undefined) return known;
    const course: Course = {
      notBefore: Number.NEGATIVE_INFINITY,
      written: 0,
      conflicts: 0,
      failures: 0,
      nextStep: undefined,
    };
    this.#courses.set(tracked, course);
    return course;
  }

  #count(tracked: Tracked, what: keyof WriteCounts): void {
    this.counts[what]++;
    this.#courseOf(tracked).written++;
  }
}

function complaintOf({ problem }: Tracked, error: unknown): { reason: string; message: string } {
  const message = serverSentence(error);
  if (problem !== undefined) {
    return { reason: 'CannotSelect', message: `Pods cannot be selected by this spec; correct it: ${message}` };
  }
  return { reason: error instanceof ApiError && error.reason !== '' ? error.reason : 'WriteFailed', message };
}
